import {
	defineInputFields,
	defineTrigger,
	type PlainOutputField,
	type PollingTriggerPerform,
} from 'zapier-platform-core';
import { signedAmounts, transactionChoice } from '../../shared';
import { optionalText } from '../runtime/inputs';
import { connect, runReading } from '../runtime/perform';
import { readForPoll, recentTransactions, type Transaction } from '../runtime/recentTransactions';
import { toOutput } from '../runtime/results';
import { withinSize } from '../runtime/withinSize';

/**
 * Rows of the chosen types that a poll returns. Zapier itself holds runs if more than 100 rows are new. The count is
 * fixed, because an older row that first appears in a later poll would count as new. Turning a Zap on reads twice as
 * many, in case rows disappear from the list.
 */
const CHOSEN_ROWS = 100;

/** Sample rows for the editor, and most rows searched for them. */
const SAMPLES = 3;
const MAX_SEARCHED = 500;

const inputFields = defineInputFields([
	{
		key: 'types',
		label: 'Types',
		type: 'string',
		list: true,
		required: false,
		choices: { topup: 'Top-Up', debit: 'Debit', refund: 'Refund', adjustment: 'Adjustment' },
		helpText: 'Which transactions start the Zap. Leave empty for all. A send is a debit.',
	},
]);

const outputFields = [
	{ key: 'id', label: 'ID', type: 'string' },
	{ key: 'type', label: 'Type', type: 'string' },
	{ key: 'amount', label: 'Amount', type: 'number' },
	{ key: 'balance', label: 'Balance After', type: 'number' },
	{ key: 'created_at', label: 'Created At', type: 'datetime' },
] satisfies PlainOutputField[];

const perform = (async (z, bundle) =>
	await runReading(z, bundle, inputFields, async () => {
		const wanted = [bundle.inputData.types].flat().flatMap((type) => plain(optionalText(type)) ?? []);
		const { isLoadingSample } = bundle.meta;
		return await readForPoll(z, bundle, connect(z, bundle), async (poll) => {
			const most = wanted.length === 0 ? undefined : poll.turningOn ? 2 * CHOSEN_ROWS : CHOSEN_ROWS;
			const rows = await recentTransactions(poll, (read) => {
				if (isLoadingSample) return read.length >= MAX_SEARCHED || chosen(read, wanted).length >= SAMPLES;
				return most !== undefined && chosen(read, wanted).length >= most;
			});
			const shown = chosen(rows, wanted).slice(0, isLoadingSample ? 100 : most);
			// Zapier stores only the IDs of this poll.
			if (poll.turningOn) return shown.map(({ id }) => ({ id }));
			return withinSize(shown.map((row) => ({ ...toOutput(outputFields, row), id: row.id })));
		});
	})) satisfies PollingTriggerPerform<typeof inputFields>;

/** The rows of the chosen types. A row also matches by the service's own type name, if that is not one of the choices. */
function chosen(rows: readonly Transaction[], wanted: readonly string[]): readonly Transaction[] {
	if (wanted.length === 0) return rows;
	const amounts = signedAmounts(rows);
	return rows.filter((row, index) => {
		const name = transactionChoice(row, amounts[index]);
		return (
			wanted.includes(name ?? '') || (!CHOICES.has(plain(row.type) ?? '') && wanted.includes(plain(row.type) ?? ''))
		);
	});
}

const CHOICES = new Set(['topup', 'debit', 'refund', 'adjustment']);

/** Normalizes a type, because the API does not list its types: `top_up` counts as `topup`. */
function plain(type: string | null | undefined): string | undefined {
	return type?.toLowerCase().replace(/[\s_-]/g, '');
}

/** New Wallet Transaction: triggers for a top-up, debit, refund or adjustment (docs/api.md#list-wallet-transactions). */
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
