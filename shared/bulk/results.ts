import { UnknownOutcomeError, type ServiceError } from '../client/errors';
import { unknownHint } from '../client/hint';
import { redact } from '../client/errorBody';
import type { Outcome } from '../client/outcome';
import type { SkippedByRelay } from '../client/relayReply';
import { contract } from '../contract';
import { countSegments } from '../text/countSegments';
import { hasLeft, type BatchResult, type BulkSendOutput } from './batches';
import type { Recipient, SkippedRecipient, SkipReason } from './recipients';
import { readBulkResponse, type ReportedBatch, type ReportedRecipient } from '../reading/bulk';

/**
 * The fields of an accepted message to one recipient of a bulk send, without charges.
 * @example const { message_id, segment_count }: FirstMessage = row.first;
 */
export interface FirstMessage {
	readonly sender_id: string;
	/** Billed segments of the message. */
	readonly segment_count: number;
	/** Only if the service gave one for this number. */
	readonly message_id?: string;
	/** As of the response to the send. */
	readonly status?: string;
	readonly batch_id?: string;
}

/**
 * The result for one recipient of a bulk send.
 * @example const failed = results.filter(({ outcome }: RecipientResult) => outcome === 'rejected');
 */
export type RecipientResult = Recipient &
	(
		| (FirstMessage & {
				readonly outcome: 'accepted';
				/** An earlier call sent it under the same idempotency key, and this one did not send it again. */
				readonly already_sent?: true;
		  })
		| { readonly outcome: 'rejected' | 'unknown'; readonly error: ServiceError; readonly batch_id?: undefined }
		/** The service accepted the batch, but rejected this number. */
		| { readonly outcome: 'rejected'; readonly message: string; readonly status: string; readonly batch_id?: string }
		| { readonly outcome: 'not_attempted'; readonly reason: 'canceled' | ServiceError }
		| {
				readonly outcome: 'skipped';
				readonly reason: SkipReason;
				readonly message: string;
				/** The outcome of the earlier message to this number, if it was sent before and the outcome is known. */
				readonly first?: Outcome<FirstMessage>;
		  }
	);

/** The totals of a bulk send. Amounts are in currency units, and only there if the service gave them. */
export interface BulkSummary {
	/** Numbers in the lists, including skipped ones. */
	readonly total: number;
	readonly accepted: number;
	readonly rejected: number;
	readonly unknown: number;
	readonly not_attempted: number;
	readonly skipped: number;
	/** Number of skipped numbers by reason. */
	readonly skipped_by_reason: Readonly<Partial<Record<SkipReason, number>>>;
	/** Requests that left, including rejected ones that were sent again in parts. Without retries after a 429. */
	readonly requests: number;
	/** Billed segments of the messages that were accepted now. */
	readonly total_segments: number;
	/** Cost of all batches, as the service reported it. */
	readonly cost?: number;
	/** Lowest wallet balance of all responses: that after the last charge. */
	readonly balance?: number;
}

/**
 * The result for each recipient of a batch.
 * @example const rows = recipientResults(result);
 */
export function recipientResults(result: BatchResult): RecipientResult[] {
	if (result.outcome === 'not_attempted') {
		return result.input.recipients.map((one) => ({ ...one, outcome: 'not_attempted', reason: result.reason }));
	}
	const before = read.get(result);
	if (before) return before;
	const earlier = skippedByRelay(result);
	const left = result.input.recipients.filter((one) => !earlier.has(one));
	const now = new Map(rowsOf(result, left).map((row, place) => [left[place], row]));
	const rows = result.input.recipients.flatMap((one) => earlier.get(one) ?? now.get(one) ?? []);
	read.set(result, rows);
	return rows;
}

type MadeBatch = Exclude<BatchResult, { outcome: 'not_attempted' }>;

/** Rows of the recipients that were forwarded. */
function rowsOf(result: MadeBatch, left: readonly Recipient[]): RecipientResult[] {
	if (result.outcome !== 'accepted') {
		return left.map((one) => ({ ...one, outcome: result.outcome, error: result.error }));
	}
	const { named, others } = reportOf(result, left);
	const sent = sentFieldsOf(result);
	return left.map((one) => rowOf(one, named.get(one.to) ?? others, result, sent));
}

function sentFieldsOf({ input }: MadeBatch): { readonly sender_id: string; readonly segment_count: number } {
	const { sender_id, message } = input.input;
	return { sender_id, segment_count: countSegments(message).segment_count };
}

/** Rows of the recipients that a relay left out. */
function skippedByRelay(result: MadeBatch): ReadonlyMap<Recipient, RecipientResult> {
	const { skipped = [], maybeSentNow } = result.relay ?? {};
	const earlier = new Map<string, SkippedByRelay[]>();
	for (const one of skipped) earlier.set(one.to, [...(earlier.get(one.to) ?? []), one]);
	const rows = new Map<Recipient, RecipientResult>();
	for (const recipient of result.input.recipients) {
		const found = earlier.get(recipient.to)?.shift();
		if (found?.outcome === 'accepted') {
			rows.set(recipient, {
				...recipient,
				outcome: 'accepted',
				...sentFieldsOf(result),
				...(found.messageId !== undefined && { message_id: found.messageId }),
				...(found.status !== undefined && { status: found.status }),
				...(found.batchId !== undefined && { batch_id: found.batchId }),
				...(!maybeSentNow && { already_sent: true }),
			});
		} else if (found) rows.set(recipient, { ...recipient, outcome: 'unknown', error: earlierUnknown() });
	}
	return rows;
}

function earlierUnknown(): ServiceError {
	const hint = `${unknownHint(contract.sms.send)} Then settle it on the page of the relay.`;
	return new UnknownOutcomeError('The outcome of the first call with this idempotency key is not known', {
		endpoint: contract.sms.sendBulk.id,
		sent: 'unknown',
		hint,
	});
}

/** A cache, because a large response takes time to read and is needed several times. */
const read = new WeakMap<MadeBatch, RecipientResult[]>();

function rowOf(
	one: Recipient,
	{ result: outcome, message_id, status, reason }: ReportedRecipient,
	result: AcceptedBatch,
	sent: { readonly sender_id: string; readonly segment_count: number },
): RecipientResult {
	const { batch_id } = result.output;
	const batch = batch_id ? { batch_id } : {};
	switch (outcome) {
		case 'accepted':
			return { ...one, outcome, ...sent, ...(message_id && { message_id }), ...(status && { status }), ...batch };
		case 'skipped':
			return { ...one, outcome, reason: 'skipped_by_service', message: reason ?? notSent(status) };
		case 'rejected':
			return { ...one, outcome, message: reason ?? notSent(status), status: status ?? 'not sent', ...batch };
		default:
			return { ...one, outcome, error: unclear(reason ?? (status && notSent(status)), result) };
	}
}

type AcceptedBatch = Extract<BatchResult, { outcome: 'accepted' }>;

function notSent(status: string | undefined): string {
	if (status === undefined) return 'The service did not accept this number.';
	return `The service responded with "${status}" for this number.`;
}

function unclear(reason: string | undefined, { input }: AcceptedBatch): ServiceError {
	const message = reason ?? 'The service accepted the request, but not clearly this number.';
	const hint = unknownHint(contract.sms.send);
	return new UnknownOutcomeError(redact(message, { message: input.input.message }), {
		endpoint: contract.sms.sendBulk.id,
		sent: 'unknown',
		hint,
	});
}

/**
 * Picks the fields of an accepted message, for a row about a message that was sent before.
 * @example const row = { ...recipient, outcome: 'skipped', reason: 'already_sent', message, first: { outcome: 'accepted', output: firstMessage(accepted) } };
 */
export function firstMessage({ sender_id, segment_count, message_id, status, batch_id }: FirstMessage): FirstMessage {
	return {
		sender_id,
		segment_count,
		...(message_id && { message_id }),
		...(status && { status }),
		...(batch_id && { batch_id }),
	};
}

/**
 * The number of recipients of a batch that the service reports as failed without naming them. All rows that they may be
 * are `unknown`.
 * @example if (unnamedRejections(result) > 0) warn('Some numbers were rejected, but the service does not say which.');
 */
export function unnamedRejections(result: BatchResult): number {
	if (result.outcome !== 'accepted') return 0;
	if (!recipientResults(result).some(({ outcome }) => outcome === 'unknown')) return 0;
	const earlier = skippedByRelay(result);
	const left = result.input.recipients.filter((one) => !earlier.has(one));
	return reportOf(result, left).unnamedFailures;
}

function reportOf({ output, input }: AcceptedBatch, recipients: readonly Recipient[]): ReportedBatch {
	const numbers = recipients.map(({ to }) => to);
	return readBulkResponse(output, numbers, input.input);
}

/**
 * The rows of the numbers that were skipped before anything was sent.
 * @example const rows = [...skippedResults(skipped), ...sent];
 */
export function skippedResults(skipped: readonly SkippedRecipient[]): RecipientResult[] {
	return skipped.map((one) => ({ ...one, outcome: 'skipped' }));
}

/**
 * The totals of a bulk send.
 * @example const { accepted, rejected } = summarize(batches, batches.flatMap(recipientResults));
 */
export function summarize(batches: readonly BatchResult[], results: readonly RecipientResult[]): BulkSummary {
	const count = (outcome: RecipientResult['outcome']) => results.filter((one) => one.outcome === outcome).length;
	const byReason: Partial<Record<SkipReason, number>> = {};
	for (const one of results) {
		if (one.outcome === 'skipped') byReason[one.reason] = (byReason[one.reason] ?? 0) + 1;
	}
	const outputs = batches.flatMap((result) =>
		result.outcome === 'accepted' && hasLeft(result) ? [result.output] : [],
	);
	// Requests are answered in any order, and each one lowers the balance.
	const balances = outputs.flatMap((output) => output.balance ?? []);
	const balance = balances.length > 0 ? balances.reduce((least, one) => Math.min(least, one)) : undefined;
	const cost = sumOf(outputs);
	return {
		total: results.length,
		accepted: count('accepted'),
		rejected: count('rejected'),
		unknown: count('unknown'),
		not_attempted: count('not_attempted'),
		skipped: count('skipped'),
		skipped_by_reason: byReason,
		requests: batches.reduce((sum, batch) => sum + (batch.requests ?? (hasLeft(batch) ? 1 : 0)), 0),
		total_segments: segmentsOf(batches),
		...(cost !== undefined && { cost }),
		...(balance !== undefined && { balance }),
	};
}

function isSentNow(row: RecipientResult): boolean {
	return row.outcome === 'accepted' && row.already_sent !== true;
}

function segmentsOf(batches: readonly BatchResult[]): number {
	const each = new Map<string, number>();
	let sum = 0;
	for (const result of batches) {
		if (result.outcome !== 'accepted') continue;
		const { message } = result.input.input;
		const segments = each.get(message) ?? countSegments(message).segment_count;
		each.set(message, segments);
		sum += segments * recipientResults(result).filter(isSentNow).length;
	}
	return sum;
}

/** Sums amounts with up to 6 decimals without the errors of binary fractions; undefined if an amount is missing. */
function sumOf(outputs: readonly BulkSendOutput[]): number | undefined {
	const costs = outputs.map(({ cost }) => cost);
	if (costs.length === 0 || costs.some((cost) => typeof cost !== 'number')) return undefined;
	return costs.reduce<number>((sum, cost) => sum + Math.round(Number(cost) * 1e6), 0) / 1e6;
}
