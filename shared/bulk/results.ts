import { UnknownOutcomeError, type ServiceError } from '../client/errors';
import { unknownHint } from '../client/hint';
import { redact } from '../client/errorBody';
import { contract } from '../contract';
import { countSegments } from '../text/countSegments';
import { hasLeft, type BatchResult, type BulkSendOutput } from './batches';
import type { Recipient, SkippedRecipient, SkipReason } from './recipients';
import { readBulkResponse, type ReportedRecipient } from './bulkResponse';

/** What became of one recipient of a bulk send. */
export type RecipientResult = Recipient &
	(
		| {
				readonly outcome: 'accepted';
				/** Only where the service gave one for this number. */
				readonly message_id?: string;
				readonly status?: string;
				readonly batch_id?: string;
		  }
		| { readonly outcome: 'rejected' | 'unknown'; readonly error: ServiceError; readonly batch_id?: undefined }
		/** The service took the batch, and refused this number of it. */
		| { readonly outcome: 'rejected'; readonly message: string; readonly status: string; readonly batch_id?: string }
		| { readonly outcome: 'not_attempted'; readonly reason: 'cancelled' | ServiceError }
		| { readonly outcome: 'skipped'; readonly reason: SkipReason; readonly message: string }
	);

/** A bulk send in figures; amounts in currency units, and only where the service gave them. */
export interface BulkSummary {
	/** Numbers in the lists, those set aside included. */
	readonly total: number;
	readonly accepted: number;
	readonly rejected: number;
	readonly unknown: number;
	readonly not_attempted: number;
	readonly skipped: number;
	/** How many of the skipped there are of each reason. */
	readonly skipped_by_reason: Readonly<Partial<Record<SkipReason, number>>>;
	/** Requests that left, also those that were rejected and sent again in parts; without repeats of one after a 429. */
	readonly requests: number;
	/** Segments that the accepted texts are charged as. */
	readonly total_segments: number;
	/** What the service said the batches cost. */
	readonly cost?: number;
	/** Wallet balance after the last batch. */
	readonly balance?: number;
}

/** What became of the recipients of a batch, one by one. */
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
	const rows = recipients.map((one) => rowOf(one, named.get(one.to) ?? others, result));
	read.set(result, rows);
	return rows;
}

/** A large response takes time to read, and is asked for several times. */
const read = new WeakMap<BatchResult, RecipientResult[]>();

function rowOf(
	one: Recipient,
	{ fate, message_id, status, words }: ReportedRecipient,
	result: AcceptedBatch,
): RecipientResult {
	const { batch_id } = result.output;
	const batch = batch_id ? { batch_id } : {};
	switch (fate) {
		case 'accepted':
			return { ...one, outcome: fate, ...(message_id && { message_id }), ...(status && { status }), ...batch };
		case 'skipped':
			return { ...one, outcome: fate, reason: 'skipped_by_service', message: words ?? notSent(status) };
		case 'rejected':
			return { ...one, outcome: fate, message: words ?? notSent(status), status: status ?? 'not sent', ...batch };
		default:
			return { ...one, outcome: fate, error: unclear(words ?? (status && notSent(status)), result) };
	}
}

type AcceptedBatch = Extract<BatchResult, { outcome: 'accepted' }>;

function notSent(status: string | undefined): string {
	if (status === undefined) return 'The service did not accept this number.';
	return `The service answered "${status}" for this number.`;
}

function unclear(words: string | undefined, { input }: AcceptedBatch): ServiceError {
	const message =
		words ?? 'The service accepted the request, but does not say clearly whether it accepted this number.';
	const hint = unknownHint(contract.sms.send);
	return new UnknownOutcomeError(redact(message, { message: input.input.message }), {
		endpoint: contract.sms.sendBulk.id,
		sent: 'unknown',
		hint,
	});
}

/**
 * How many of a batch's recipients the service says it left out without saying which. Rows that they may be are
 * `unknown`.
 */
export function unnamedRejections(result: BatchResult): number {
	if (result.outcome !== 'accepted') return 0;
	if (!recipientResults(result).some(({ outcome }) => outcome === 'unknown')) return 0;
	return readBulkResponse(result.output, result.input.recipients, result.input.input).leftOut;
}

/** The rows of those that were set aside before anything was sent. */
export function skippedResults(skipped: readonly SkippedRecipient[]): RecipientResult[] {
	return skipped.map((one) => ({ ...one, outcome: 'skipped' }));
}

/** Sums a bulk send up. */
export function summarize(batches: readonly BatchResult[], results: readonly RecipientResult[]): BulkSummary {
	const count = (outcome: RecipientResult['outcome']) => results.filter((one) => one.outcome === outcome).length;
	const byReason: Partial<Record<SkipReason, number>> = {};
	for (const one of results) {
		if (one.outcome === 'skipped') byReason[one.reason] = (byReason[one.reason] ?? 0) + 1;
	}
	const answers = batches.flatMap((result) => (result.outcome === 'accepted' ? [result.output] : []));
	const balance = answers.map((response) => response.balance ?? undefined).findLast((amount) => amount !== undefined);
	const cost = sumOf(answers);
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

/** Sums amounts of up to 6 decimals without the dust of binary fractions; nothing where an answer names none. */
function sumOf(answers: readonly BulkSendOutput[]): number | undefined {
	const costs = answers.map(({ cost }) => cost);
	if (costs.length === 0 || costs.some((cost) => typeof cost !== 'number')) return undefined;
	return costs.reduce<number>((sum, cost) => sum + Math.round(Number(cost) * 1e6), 0) / 1e6;
}
