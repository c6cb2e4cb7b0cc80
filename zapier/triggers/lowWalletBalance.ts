import {
	defineInputFields,
	defineTrigger,
	type PlainOutputField,
	type PollingTriggerPerform,
} from 'zapier-platform-core';
import { contract, findCrossings } from '../../shared';
import { numberInput } from '../runtime/inputs';
import { connect, runStep } from '../runtime/perform';
import { readForPoll, recentTransactions, type Transaction, type WalletPoll } from '../runtime/recentTransactions';
import { toOutput } from '../runtime/results';

/**
 * Falls that a poll gives: the newest ones. A changed threshold has other falls, and nobody knows whether Zapier primes a
 * Zap that is changed while it is on; then so many old ones start it at most.
 */
const FALLS = 3;

/** Times that rows and balance are read until they fit, and rows up to which reading them again is no waste. */
const TRIES = 3;
const FEW_ROWS = 200;

const inputFields = defineInputFields([
	{
		key: 'threshold',
		label: 'Threshold',
		type: 'number',
		required: true,
		helpText:
			'Amount in the currency of the wallet. The Zap runs once each time the balance falls below it. If the wallet holds less already when you turn the Zap on, it runs the next time, after a top-up.',
	},
]);

const outputFields = [
	{ key: 'id', label: 'ID', type: 'string' },
	{ key: 'balance', label: 'Balance Now', type: 'number' },
	{ key: 'currency', label: 'Currency', type: 'string' },
	{ key: 'threshold', label: 'Threshold', type: 'number' },
	{ key: 'balance_after', label: 'Balance After', type: 'number' },
	{ key: 'crossed_at', label: 'Crossed At', type: 'datetime' },
	{ key: 'transaction_id', label: 'Transaction ID', type: 'string' },
] satisfies PlainOutputField[];

const perform = (async (z, bundle) =>
	await runStep(z, bundle, inputFields, async () => {
		const threshold = numberInput(bundle.inputData.threshold, 'threshold');
		return await readForPoll(z, bundle, connect(z, bundle), async (poll) => {
			const { rows, balance, currency, fits } = await readWallet(poll, threshold);
			const crossings = findCrossings(rows, fits ? balance : undefined, threshold);
			return crossings.slice(0, poll.turningOn ? undefined : FALLS).map((crossing) => ({
				...toOutput(outputFields, { balance, currency: currency ?? null, threshold, ...crossing }),
				id: crossing.id,
			}));
		});
	})) satisfies PollingTriggerPerform<typeof inputFields>;

/**
 * What the wallet holds, and its latest transactions. Falls are looked for also when the wallet holds enough now, because
 * it may have been topped up since.
 */
async function readWallet(poll: WalletPoll, threshold: number) {
	for (let tries = 1; ; tries++) {
		const began = poll.left();
		const before = await balanceNow(poll);
		if ('error' in before) throw before.error;
		const enough = (rows: readonly Transaction[]) =>
			!poll.turningOn && findCrossings(rows, before.balance, threshold).length >= FALLS;
		const rows = await recentTransactions(poll, enough);
		const now = await balanceNow(poll);
		const { balance, currency } = 'error' in now ? before : now;
		// What is charged between two answers must not be taken for something that no row shows.
		const fits = !('error' in now) && (balance === before.balance || balance === rows[0]?.balance);
		const tookMs = began - poll.left();
		const isCheap = rows.length <= FEW_ROWS || typeof rows[0]?.balance !== 'number';
		if (fits || tries === TRIES || !isCheap || poll.left() < 2 * tookMs) return { rows, balance, currency, fits };
	}
}

async function balanceNow({ client, signal }: WalletPoll) {
	const requested = await client.call(contract.wallet.getBalance, {}, { signal });
	return requested.outcome === 'accepted' ? requested.output : { error: requested.error };
}

/** Low Wallet Balance: once each time that the wallet falls below a threshold. */
export const lowWalletBalance = defineTrigger({
	key: 'low_wallet_balance',
	noun: 'Balance',
	display: {
		label: 'Low Wallet Balance',
		description: 'Triggers when the wallet falls below an amount that you choose.',
	},
	operation: {
		type: 'polling',
		inputFields,
		perform,
		sample: {
			id: '12:10',
			balance: 9.5,
			currency: 'GHS',
			threshold: 10,
			balance_after: 9.95,
			crossed_at: '2026-11-20T12:00:00Z',
			transaction_id: '12',
		},
		outputFields,
	},
});
