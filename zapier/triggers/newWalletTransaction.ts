import {
	defineInputFields,
	defineTrigger,
	type PlainOutputField,
	type PollingTriggerPerform,
} from 'zapier-platform-core';
import { optionalText } from '../runtime/inputs';
import { connect, runStep } from '../runtime/perform';
import { recentTransactions } from '../runtime/recentTransactions';
import { toResult } from '../runtime/results';

/** Rows of a poll, always as many: an older row that came into sight later would count as new. */
const WINDOW = 500;

const inputFields = defineInputFields([
	{
		key: 'types',
		label: 'Types',
		type: 'string',
		list: true,
		required: false,
		choices: { topup: 'Top-Up', debit: 'Debit', refund: 'Refund', adjustment: 'Adjustment' },
		helpText: 'Which transactions start the Zap; all of them where this is empty. A send is a debit.',
	},
]);

const outputFields = [
	{ key: 'id', label: 'ID', type: 'string' },
	{ key: 'type', label: 'Type', type: 'string' },
	{ key: 'amount', label: 'Amount', type: 'number' },
	{ key: 'balance', label: 'Balance After It', type: 'number' },
	{ key: 'created_at', label: 'Created At', type: 'datetime' },
] satisfies PlainOutputField[];

const perform = (async (z, bundle) =>
	await runStep(z, bundle, inputFields, async () => {
		const wanted = [bundle.inputData.types].flat().flatMap((type) => plain(optionalText(type)) ?? []);
		const window = bundle.meta.isLoadingSample ? 100 : WINDOW;
		const rows = await recentTransactions(connect(z, bundle), ({ length }) => length >= window);
		const shown = rows.filter(({ type }) => wanted.length === 0 || wanted.includes(plain(type) ?? ''));
		return shown.map((row) => ({ ...toResult(outputFields, row), id: row.id }));
	})) satisfies PollingTriggerPerform<typeof inputFields>;

/** The service's words for the types are not shown in its interface: `top_up` is a top-up too. */
function plain(type: string | null | undefined): string | undefined {
	return type?.toLowerCase().replace(/[\s_-]/g, '');
}

/** New Wallet Transaction: a top-up, debit, refund or adjustment. */
export const newWalletTransaction = defineTrigger({
	key: 'new_wallet_transaction',
	noun: 'Transaction',
	display: {
		label: 'New Wallet Transaction',
		description: 'Triggers when money comes into the wallet or leaves it.',
	},
	operation: {
		type: 'polling',
		inputFields,
		perform,
		sample: { id: '12', type: 'debit', amount: -0.05, balance: 39.95, created_at: '2026-11-20T12:00:00Z' },
		outputFields,
	},
});
