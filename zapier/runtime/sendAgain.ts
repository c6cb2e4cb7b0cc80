import {
	contract,
	InputError,
	mayBeOneRecipient,
	meaningOfWords,
	namedRecipients,
	type BatchResult,
	type ErrorCode,
	type RecipientResult,
} from '../../shared';

/** Meanings of a rejection that are the recipient's own: the same message would be rejected again. */
const OF_RECIPIENT: ReadonlySet<ErrorCode | undefined> = new Set(['opted_out', 'failed_send', 'validation']);

/**
 * Finds the recipients of a batch that another run may send to: certainly nothing was sent to them, and for a reason
 * that is not their own (429, an empty wallet, a rejected key, no time left). Never those whose outcome is unknown.
 * @param rows what became of the recipients of the batch
 */
export function toSendAgain(result: BatchResult, rows: readonly RecipientResult[]): readonly RecipientResult[] {
	if (result.outcome === 'not_attempted') return rows;
	if (result.outcome === 'accepted') return rows.filter(wasNotPaid);
	// An unknown one, and a message that cannot be right.
	if (result.outcome === 'unknown' || result.error instanceof InputError) return [];
	if (!mayBeOneRecipient(result)) return rows;
	const { recipients } = result.input;
	if (recipients.length === 1) return OF_RECIPIENT.has(result.error.meaning) ? [] : rows;
	const named = new Set(namedRecipients(result.error.message, recipients).map(({ to }) => to));
	return rows.filter(({ to }) => !named.has(to));
}

/** Whether the service accepted the request, but not this number of it, because the wallet was empty. */
function wasNotPaid(row: RecipientResult): boolean {
	return row.outcome === 'rejected' && meaningOfRow(row) === 'insufficient_balance';
}

/** What the rejection of one recipient means; undefined if nothing tells. */
export function meaningOfRow(row: RecipientResult): ErrorCode | undefined {
	if ('error' in row) return row.error.meaning;
	if (!('message' in row)) return undefined;
	const words = 'status' in row ? [row.status, row.message] : [row.message];
	return words.map((text) => meaningOfWords(contract.sms.sendBulk, text)).find((meaning) => meaning !== undefined);
}
