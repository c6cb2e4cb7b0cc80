import {
	defineInputFields,
	defineTrigger,
	type PlainOutputField,
	type PollingTriggerPerform,
} from 'zapier-platform-core';
import { contract, findCrossings } from '../../shared';
import { numberInput } from '../runtime/inputs';
import { connect, runReading } from '../runtime/perform';
import { readForPoll, recentTransactions, type Transaction, type WalletPoll } from '../runtime/recentTransactions';
import { toOutput } from '../runtime/results';

/**
 * Most crossings that a poll returns, newest first. A changed threshold has other crossings, and Zapier doesn't document
 * whether it primes a Zap again that is edited while on. This limit caps the runs for past crossings.
 */
const MAX_CROSSINGS = 3;

/** Most attempts to read rows and balance until they agree, and most rows for which another attempt is worthwhile. */
const MAX_ATTEMPTS = 3;
const FEW_ROWS = 200;

const inputFields = defineInputFields([
	{
		key: 'threshold',
		label: 'Threshold',
		type: 'number',
		required: true,
		helpText: 'Amount in wallet currency, for example `10`. The Zap runs once each time the balance falls below it.',
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
	await runReading(z, bundle, inputFields, async () => {
		const threshold = numberInput(bundle.inputData.threshold, 'threshold');
		return await readForPoll(z, bundle, connect(z, bundle), async (poll) => {
			const { rows, balance, currency, fits } = await readWallet(poll, threshold);
			const crossings = findCrossings(rows, fits ? balance : undefined, threshold);
			return crossings.slice(0, poll.turningOn ? undefined : MAX_CROSSINGS).map((crossing) => ({
				...toOutput(outputFields, { balance, currency: currency ?? null, threshold, ...crossing }),
				id: crossing.id,
			}));
		});
	})) satisfies PollingTriggerPerform<typeof inputFields>;

/**
 * Reads the balance and the latest transactions. The balance may be above the threshold now because of a top-up after
 * the crossing, so the transactions are always read.
 */
async function readWallet(poll: WalletPoll, threshold: number) {
	for (let attempt = 1; ; attempt++) {
		const began = poll.left();
		const before = await balanceNow(poll);
		if ('error' in before) throw before.error;
		const enough = (rows: readonly Transaction[]) =>
			!poll.turningOn && findCrossings(rows, before.balance, threshold).length >= MAX_CROSSINGS;
		const rows = await recentTransactions(poll, enough);
		const now = await balanceNow(poll);
		const { balance, currency } = 'error' in now ? before : now;
		// A charge between the two requests must not look like a charge that the list lacks.
		const fits = !('error' in now) && (balance === before.balance || balance === rows[0]?.balance);
		const tookMs = began - poll.left();
		const isCheap = rows.length <= FEW_ROWS || typeof rows[0]?.balance !== 'number';
		if (fits || attempt === MAX_ATTEMPTS || !isCheap || poll.left() < 2 * tookMs)
			return { rows, balance, currency, fits };
	}
}

async function balanceNow({ client, signal }: WalletPoll) {
	const requested = await client.call(contract.wallet.getBalance, {}, { signal });
	return requested.outcome === 'accepted' ? requested.output : { error: requested.error };
}

/** Low Wallet Balance: triggers once each time the balance falls below a threshold. */
export const lowWalletBalance = defineTrigger({
	key: 'low_wallet_balance',
	noun: 'Balance',
	display: {
		label: 'Low Wallet Balance',
		description: 'Triggers when the balance falls below an amount that you choose.',
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
