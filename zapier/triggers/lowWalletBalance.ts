import {
	defineInputFields,
	defineTrigger,
	type PlainOutputField,
	type PollingTriggerPerform,
} from 'zapier-platform-core';
import type { Client } from '../../shared';
import { findCrossings } from '../runtime/crossings';
import { numberInput } from '../runtime/inputs';
import { connect, runStep } from '../runtime/perform';
import { recentTransactions, type Transaction } from '../runtime/recentTransactions';
import { toResult } from '../runtime/results';

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
	{ key: 'balance_after', label: 'Balance After It Fell', type: 'number' },
	{ key: 'crossed_at', label: 'Fell At', type: 'datetime' },
	{ key: 'transaction_id', label: 'Transaction ID', type: 'string' },
] satisfies PlainOutputField[];

const perform = (async (z, bundle) =>
	await runStep(z, bundle, inputFields, async () => {
		const threshold = numberInput(bundle.inputData.threshold, 'threshold');
		const { rows, balance, currency, fits } = await readWallet(connect(z, bundle), threshold);
		const crossings = findCrossings(rows, fits ? balance : undefined, threshold);
		return crossings.map((crossing) => ({
			...toResult(outputFields, { balance, currency: currency ?? null, threshold, ...crossing }),
			id: crossing.id,
		}));
	})) satisfies PollingTriggerPerform<typeof inputFields>;

/** What the wallet holds, and its latest transactions: back to where it last fell, if it holds too little. */
async function readWallet(client: Client, threshold: number) {
	for (let tries = 1; ; tries++) {
		const before = await client.wallet.getBalance();
		const enough = (rows: readonly Transaction[]) =>
			before.balance >= threshold || findCrossings(rows, before.balance, threshold).length > 0;
		const rows = await recentTransactions(client, enough);
		const { balance, currency } = await client.wallet.getBalance();
		// What is charged between two answers must not be taken for something that no row tells of.
		const fits = balance === before.balance || balance === rows[0]?.balance;
		if (fits || tries === 3) return { rows, balance, currency, fits };
	}
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
