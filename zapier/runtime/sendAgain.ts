import {
	contract,
	InputError,
	mayBeOneRecipient,
	errorCodeOfText,
	namedRecipients,
	type BatchResult,
	type ErrorCode,
	type RecipientResult,
} from '../../shared';

/** Meanings of a rejection that concern the recipient. The service would reject the same message again. */
const RECIPIENT_ERRORS: ReadonlySet<ErrorCode | undefined> = new Set(['opted_out', 'failed_send', 'validation']);

/**
 * Finds the recipients of a batch that another run may send to. Certainly nothing was sent to them, for a reason that
 * does not concern them (429, an empty wallet, a rejected key, no time left). Never includes unknown outcomes.
 * @param rows results of the batch's recipients
 */
export function toSendAgain(result: BatchResult, rows: readonly RecipientResult[]): readonly RecipientResult[] {
	if (result.outcome === 'not_attempted') return rows;
	if (result.outcome === 'accepted') return rows.filter(wasNotPaid);
	// An invalid message would be rejected again.
	if (result.outcome === 'unknown' || result.error instanceof InputError) return [];
	if (!mayBeOneRecipient(result)) return rows;
	const { recipients } = result.input;
	if (recipients.length === 1) return RECIPIENT_ERRORS.has(result.error.meaning) ? [] : rows;
	const named = new Set(namedRecipients(result.error.message, recipients).map(({ to }) => to));
	return rows.filter(({ to }) => !named.has(to));
}

/** Whether the service accepted the request, but rejected this number because the wallet was empty. */
function wasNotPaid(row: RecipientResult): boolean {
	return row.outcome === 'rejected' && meaningOfRow(row) === 'insufficient_balance';
}

/** The meaning of a recipient's rejection; undefined if it is not known. */
export function meaningOfRow(row: RecipientResult): ErrorCode | undefined {
	if ('error' in row) return row.error.meaning;
	if (!('message' in row)) return undefined;
	const texts = 'status' in row ? [row.status, row.message] : [row.message];
	return texts.map((text) => errorCodeOfText(contract.sms.sendBulk, text)).find((meaning) => meaning !== undefined);
}
