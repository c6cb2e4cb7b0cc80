import { UnknownOutcomeError, type ServiceError } from '../client/errors';
import { unknownHint } from '../client/hint';
import { redact } from '../client/errorBody';
import { contract } from '../contract';
import { countSegments } from '../text/countSegments';
import { hasLeft, type BatchResult, type BulkSendOutput } from './batches';
import type { Recipient, SkippedRecipient, SkipReason } from './recipients';
import { readBulkResponse, type ReportedRecipient } from './bulkResponse';

/**
 * The result for one recipient of a bulk send.
 * @example const failed = results.filter(({ outcome }: RecipientResult) => outcome === 'rejected');
 */
export type RecipientResult = Recipient &
	(
		| {
				readonly outcome: 'accepted';
				readonly sender_id: string;
				/** Billed segments of the message. */
				readonly segment_count: number;
				/** Only if the service gave one for this number. */
				readonly message_id?: string;
				readonly status?: string;
				readonly batch_id?: string;
		  }
		| { readonly outcome: 'rejected' | 'unknown'; readonly error: ServiceError; readonly batch_id?: undefined }
		/** The service accepted the batch, but rejected this number. */
		| { readonly outcome: 'rejected'; readonly message: string; readonly status: string; readonly batch_id?: string }
		| { readonly outcome: 'not_attempted'; readonly reason: 'canceled' | ServiceError }
		| { readonly outcome: 'skipped'; readonly reason: SkipReason; readonly message: string }
	);

/**
 * The totals of a bulk send. Amounts are in currency units, and only there if the service gave them.
 * @example const { accepted, cost }: BulkSummary = summarize(batches, results);
 */
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
	/** Billed segments of the accepted messages. */
	readonly total_segments: number;
	/** Cost of all batches, as the service reported it. */
	readonly cost?: number;
	/** Wallet balance after the last batch. */
	readonly balance?: number;
}

/**
 * The result for each recipient of a batch.
 * @example const rows = recipientResults(result);
 */
export function recipientResults(result: BatchResult): RecipientResult[] {
	const { recipients } = result.input;
	if (result.outcome === 'not_attempted') {
		return recipients.map((one) => ({ ...one, outcome: 'not_attempted', reason: result.reason }));
	}
	if (result.outcome !== 'accepted') {
		return recipients.map((one) => ({ ...one, outcome: result.outcome, error: result.error }));
	}
	const before = read.get(result);
	if (before) return before;
	const { named, others } = readBulkResponse(result.output, recipients, result.input.input);
	const { sender_id, message } = result.input.input;
	const sent = { sender_id, segment_count: countSegments(message).segment_count };
	const rows = recipients.map((one) => rowOf(one, named.get(one.to) ?? others, result, sent));
	read.set(result, rows);
	return rows;
}

/** A cache, because a large response takes time to read and is needed several times. */
const read = new WeakMap<BatchResult, RecipientResult[]>();

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
 * The number of recipients of a batch that the service reports as failed without naming them. All rows that they may be
 * are `unknown`.
 * @example if (unnamedRejections(result) > 0) warn('Some numbers were rejected, but the service does not say which.');
 */
export function unnamedRejections(result: BatchResult): number {
	if (result.outcome !== 'accepted') return 0;
	if (!recipientResults(result).some(({ outcome }) => outcome === 'unknown')) return 0;
	return readBulkResponse(result.output, result.input.recipients, result.input.input).unnamedFailures;
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
	const outputs = batches.flatMap((result) => (result.outcome === 'accepted' ? [result.output] : []));
	const balance = outputs.map((output) => output.balance ?? undefined).findLast((amount) => amount !== undefined);
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

function segmentsOf(batches: readonly BatchResult[]): number {
	const each = new Map<string, number>();
	let sum = 0;
	for (const result of batches) {
		if (result.outcome !== 'accepted') continue;
		const { message } = result.input.input;
		const segments = each.get(message) ?? countSegments(message).segment_count;
		each.set(message, segments);
		sum += segments * recipientResults(result).filter(({ outcome }) => outcome === 'accepted').length;
	}
	return sum;
}

/** Sums amounts with up to 6 decimals without the errors of binary fractions; undefined if an amount is missing. */
function sumOf(outputs: readonly BulkSendOutput[]): number | undefined {
	const costs = outputs.map(({ cost }) => cost);
	if (costs.length === 0 || costs.some((cost) => typeof cost !== 'number')) return undefined;
	return costs.reduce<number>((sum, cost) => sum + Math.round(Number(cost) * 1e6), 0) / 1e6;
}
