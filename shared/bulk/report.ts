import type { ServiceError } from '../client/errors';
import { countSegments } from '../text/countSegments';
import type { BatchResult, BulkAnswer } from './batches';
import type { Recipient, SkippedRecipient, SkipReason } from './recipients';

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
		| { readonly outcome: 'not_tried'; readonly reason: 'cancelled' | ServiceError }
		| { readonly outcome: 'skipped'; readonly reason: SkipReason; readonly message: string }
	);

/** A bulk send in figures; amounts in currency units, and only where the service gave them. */
export interface BulkSummary {
	/** Numbers in the lists, those set aside included. */
	readonly total: number;
	readonly accepted: number;
	readonly rejected: number;
	readonly unknown: number;
	readonly not_tried: number;
	readonly skipped: number;
	/** How many of the skipped there are of each reason. */
	readonly skipped_by_reason: Readonly<Partial<Record<SkipReason, number>>>;
	/** Requests that were made. */
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
	if (result.outcome === 'not_tried') {
		return recipients.map((one) => ({ ...one, outcome: 'not_tried', reason: result.reason }));
	}
	if (result.outcome !== 'accepted') {
		return recipients.map((one) => ({ ...one, outcome: result.outcome, error: result.error }));
	}
	const { output } = result;
	const told = byRecipient([...(output.results ?? []), ...listedAsLeftOut(output)], recipients);
	const batch = output.batch_id ? { batch_id: output.batch_id } : {};
	return recipients.map((one) => {
		const entry = told.get(one.to);
		const status = entry?.status ?? undefined;
		if (entry && wasRefused(entry)) {
			const message = wordsOf(entry) ?? `The service answered "${status ?? 'not sent'}" for this number.`;
			if (status !== undefined && SKIPPED.test(status))
				return { ...one, outcome: 'skipped', reason: 'skipped_by_service', message };
			return { ...one, outcome: 'rejected', message, status: status ?? 'not sent', ...batch };
		}
		const id = entry?.message_id ? { message_id: entry.message_id } : {};
		return { ...one, outcome: 'accepted', ...id, ...(status !== undefined && { status }), ...batch };
	});
}

/**
 * How many of a batch's recipients the service says it left out without saying which: their rows count as accepted, as
 * the batch was.
 */
export function leftOutOf(result: BatchResult): number {
	if (result.outcome !== 'accepted') return 0;
	const counts = Object.entries(result.output).filter(([key]) => LEFT_OUT.test(key));
	const leftOut = counts.reduce((sum, [, count]) => sum + (typeof count === 'number' && count > 0 ? count : 0), 0);
	const rows = recipientResults(result);
	const accepted = rows.filter(({ outcome }) => outcome === 'accepted').length;
	return Math.min(accepted, Math.max(0, leftOut - (rows.length - accepted)));
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
	const balance = answers.map((answer) => answer.balance ?? undefined).findLast((amount) => amount !== undefined);
	const cost = sumOf(answers);
	return {
		total: results.length,
		accepted: count('accepted'),
		rejected: count('rejected'),
		unknown: count('unknown'),
		not_tried: count('not_tried'),
		skipped: count('skipped'),
		skipped_by_reason: byReason,
		requests: batches.filter(({ outcome }) => outcome !== 'not_tried').length,
		total_segments: segmentsOf(batches),
		...(cost !== undefined && { cost }),
		...(balance !== undefined && { balance }),
	};
}

const NOT_SENT =
	/fail|reject|invalid|undeliver|error|block|refus|opted|opt[\s_-]?out|unsubscri|denied|declin|insufficient|blacklist|suppress|skip|not[\s_-]?sent|unsent|duplicate/i;
const LEFT_OUT = /^(skipped|failed|rejected|invalid|duplicates?|opted_out|blocked|not_sent)(_count)?$/i;
const LISTED = /_?(numbers|recipients)$/i;
const SKIPPED = /skip|duplicate/i;

function wordsOf({ error, reason, message }: Readonly<Record<string, unknown>>): string | undefined {
	return [error, reason, message].filter((words) => typeof words === 'string').find((words) => words !== '');
}

type Told = NonNullable<BulkAnswer['results']>[number];

function wasRefused({ status, message_id, success, ok, error }: Told): boolean {
	if ([success, ok].some((flag) => flag === false || flag === 'false' || flag === 0)) return true;
	if (typeof status === 'string') return NOT_SENT.test(status);
	return !message_id && typeof error === 'string' && error !== '';
}

/** Numbers in lists of their own for what was not sent, such as `rejected: ["+233..."]`. */
function listedAsLeftOut(answer: BulkAnswer): Told[] {
	return Object.entries(answer).flatMap(([key, list]): Told[] => {
		const status = key.replace(LISTED, '');
		if (!LEFT_OUT.test(status)) return [];
		const numbers: readonly unknown[] = Array.isArray(list) ? list : [];
		return numbers
			.filter((number) => typeof number === 'string' || typeof number === 'number')
			.map((number) => ({ to: String(number), status }));
	});
}

/** As many digits as tell numbers apart that are written with and without their country code. */
const NATIONAL_DIGITS = 7;

/** What is told of each recipient, by number in E.164, whether the service writes it so, without the plus or as at home. */
function byRecipient(told: readonly Told[], recipients: readonly Recipient[]): ReadonlyMap<string, Told> {
	const found = new Map<string, Told>();
	if (told.length === 0) return found;
	const endings = new Map<string, string[]>();
	for (const { to } of recipients) {
		const ending = to.slice(-NATIONAL_DIGITS);
		endings.set(ending, [...(endings.get(ending) ?? []), to]);
	}
	for (const entry of told) {
		const digits = entry.to.replace(/\D/g, '').replace(/^0+/, '');
		const alike = (endings.get(digits.slice(-NATIONAL_DIGITS)) ?? []).filter((to) => to.endsWith(digits));
		const whole = alike.find((to) => to === `+${digits}`);
		const [only, ...others] = whole === undefined ? alike : [whole];
		if (only !== undefined && others.length === 0) found.set(only, entry);
	}
	return found;
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
function sumOf(answers: readonly BulkAnswer[]): number | undefined {
	const costs = answers.map(({ cost }) => cost);
	if (costs.length === 0 || costs.some((cost) => typeof cost !== 'number')) return undefined;
	return costs.reduce<number>((sum, cost) => sum + Math.round(Number(cost) * 1e6), 0) / 1e6;
}
