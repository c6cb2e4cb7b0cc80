import { listOrder, transactionKind } from '../../shared';
import type { Examined } from '../examine';
import { isUnreadable, joined, notAttempted, responded, type Finding, type Row } from './row';

/** The row of a response whose fields have to be found. Fields that are not found make it differ. */
function fieldsRow(
	examined: Examined,
	required: readonly string[],
	wanted: readonly string[],
	nothing: string,
): Finding {
	const { outcome } = examined;
	const service = responded(examined);
	if (outcome.outcome !== 'accepted') {
		const verdict = isUnreadable(examined) ? 'unreadable' : 'differs';
		return {
			service,
			reading: verdict === 'differs' ? 'The service rejected the call.' : 'It cannot be read.',
			verdict,
		};
	}
	if (Array.isArray(outcome.output) && outcome.output.length === 0) return { ...notAttempted(nothing), service };
	const all = [...required, ...wanted];
	const found = all.flatMap((field) => examined.placesOf(field).map((place) => `\`${field}\` at ${place}`));
	const missing = all.filter((field) => examined.placesOf(field).length === 0);
	const reads = found.length > 0 ? [`Reads ${joined(found)}`] : [];
	const misses = missing.length > 0 ? [`Does not find ${missing.map((field) => `\`${field}\``).join(', ')}`] : [];
	return {
		service,
		reading: joined([...reads, ...misses]),
		verdict: missing.length === 0 ? 'ok' : required.some((field) => missing.includes(field)) ? 'unreadable' : 'differs',
	};
}

const topUpAmounts: Row = ({ emptyRequests }) => {
	const topUp = emptyRequests.find(({ endpoint }) => endpoint.id === 'wallet.createTopUp');
	if (!topUp) return notAttempted('Create a top-up in n8n or Zapier.');
	const { outcome } = topUp;
	const service = responded(topUp);
	if (outcome.outcome !== 'rejected') {
		return { service, reading: 'A top-up without an amount is not rejected.', verdict: 'unreadable' };
	}
	const clear = topUp.placesOf('error.message').length > 0;
	return {
		service,
		reading: clear ? 'Shows the words of the service.' : 'Finds no words to show.',
		verdict: clear ? 'ok' : 'differs',
		next: 'Only an amount that is too low or too high shows the limits.',
	};
};

const transactionsInTriggers: Row = ({ transactions, walletRows }) => {
	const service = responded(transactions);
	if (transactions.outcome.outcome !== 'accepted') {
		return {
			service,
			reading: 'The triggers cannot read the list.',
			verdict: isUnreadable(transactions) ? 'unreadable' : 'differs',
		};
	}
	if (walletRows.length === 0)
		return { ...notAttempted('Run the doctor again when the wallet has transactions.'), service };
	const unknown = walletRows.some((row) => transactionKind(row) === 'unknown');
	const order = walletRows.length < 2 ? 'newest_first' : listOrder(walletRows);
	return {
		service,
		reading: joined([
			unknown ? 'A type is unknown' : 'All types are known',
			order === 'unknown' ? 'The order is unknown, so the first row counts as the newest' : 'The order is known',
		]),
		verdict: unknown || order === 'unknown' ? 'differs' : 'ok',
		...(unknown && { next: 'Add the type to `NAMES` in `shared/wallet/transactionKind.ts`, with its kind.' }),
	};
};

/** Rows about the wallet, sender IDs and contacts. */
export const accountRows = {
	'Balance response': ({ balance }) => fieldsRow(balance, ['balance'], ['currency'], ''),
	'Transaction fields': ({ transactions }) =>
		fieldsRow(
			transactions,
			['amount'],
			['id', 'type', 'balance', 'created_at'],
			'Run the doctor again when the wallet has transactions.',
		),
	'Top-up amounts': topUpAmounts,
	'Top-up states': () =>
		notAttempted('Create a top-up in n8n or Zapier, pay it, and compare its states with the dashboard.'),
	'Wallet transactions in triggers': transactionsInTriggers,
	'Sender ID fields': ({ senderIds }) =>
		fieldsRow(senderIds.first, ['name'], ['status'], 'Run the doctor again when a sender ID is approved.'),
	'Contact fields': ({ contacts }) =>
		fieldsRow(contacts.first, ['phone'], ['id', 'name'], 'Run the doctor again when the account has contacts.'),
} satisfies Record<string, Row>;
