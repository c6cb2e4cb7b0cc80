import {
	errorText,
	OUTSIDE_SENDING_HOURS,
	unnamedRejections,
	recipientResults,
	skippedResults,
	summarize,
	type BatchResult,
	type Labels,
	type RecipientResult,
} from '../../shared';
import { failureOf } from './bulkFailure';
import type { MessageGroup } from './bulkRecipients';
import { toSendAgain } from './sendAgain';

/** Output of a bulk send: totals, the recipients to send to again, and a row for each number. */
export type BulkOutput = Readonly<Record<string, unknown>> & {
	readonly results: readonly object[];
	/** Number of rows left out of the results. */
	readonly rows_left_out: number;
};

/** Input of {@link outputOf}. */
export interface BulkSent {
	readonly groups: readonly MessageGroup[];
	readonly done: readonly BatchResult[];
	/** Number of requests sent. */
	readonly requests: number;
	/** Whether the recipients are line items, each with its own message. */
	readonly ofLines: boolean;
	/** Field labels of the step. */
	readonly labels: Labels;
	/** Whether the rows say if an earlier run sent them, which only a relay knows. */
	readonly byRelay: boolean;
}

type RowOptions = Pick<BulkSent, 'ofLines' | 'labels' | 'byRelay'>;

/**
 * Most bytes of an output as JSON. Zapier's core fails a step with a larger output, after the messages were sent
 * (`large-response-cacher.js`). AWS Lambda ends it at 6 MB, and the margin is for the data that Zapier adds.
 */
const MAX_BYTES = 4_000_000;

/** Most bytes of an output without rows and lists. */
const TOTALS_BYTES = 5_000;

/** A line of a second step's line items. */
interface LineToSend {
	readonly to: string;
	readonly message: string;
}

/** Whether an output has room for all recipients of a bulk send, in case all of them must be sent to again. */
export function canReturnAll(groups: readonly MessageGroup[], ofLines: boolean): boolean {
	const lines = groups.flatMap(({ message, recipients }) => recipients.map(({ to }) => ({ to, message })));
	const numbers = sizeOf(lines.map(({ to }) => to));
	return TOTALS_BYTES + numbers + (ofLines ? sizeOf(lines) : 0) <= MAX_BYTES;
}

/** Output of a bulk send without recipients. */
export function nothingToSend(): BulkOutput {
	return outputOf({ groups: [], done: [], requests: 0, ofLines: false, labels: {}, byRelay: false });
}

/**
 * Makes the output of a bulk send, with all numbers to send again. If the rows do not all fit, it lists only rows that
 * were not accepted.
 * @throws ServiceError if there was something to send, and nothing was accepted or may have been
 */
export function outputOf({ groups, done, requests, ...rowOptions }: BulkSent): BulkOutput {
	const { ofLines } = rowOptions;
	const rows: RecipientResult[] = [];
	const again: Array<RecipientResult & { readonly message: string }> = [];
	for (const result of done) {
		const ofBatch = recipientResults(result);
		const { message } = result.input.input;
		for (const row of ofBatch) rows.push(row);
		for (const row of toSendAgain(result, ofBatch)) again.push({ ...row, message });
	}
	for (const { skipped } of groups) for (const row of skippedResults(skipped)) rows.push(row);
	const failed = failureOf(rows);
	if (failed) throw failed;
	rows.sort(inOrder);
	again.sort(inOrder);

	const summary = summarize(done, rows);
	const unnamed = done.some((result) => unnamedRejections(result) > 0);
	const totals = {
		outcome: outcomeOf(rows, unnamed),
		total: summary.total,
		accepted: summary.accepted,
		rejected: summary.rejected,
		unknown: summary.unknown,
		not_attempted: summary.not_attempted,
		skipped: summary.skipped,
		requests,
		total_segments: summary.total_segments,
		cost: summary.cost ?? null,
		balance: summary.balance ?? null,
		unknown_numbers: rows.flatMap(({ outcome, to }) => (outcome === 'unknown' ? [to] : [])),
		numbers_to_send_again: again.map(({ to }) => to),
		lines_to_send_again: ofLines ? again.map(({ to, message }): LineToSend => ({ to, message })) : [],
	};
	const results = rowsThatFit(rows, (row) => toRow(row, rowOptions), totals);
	return { ...totals, rows_left_out: rows.length - results.length, results };
}

/** Compares results by the places of their numbers in the input. */
export function inOrder(a: RecipientResult, b: RecipientResult): number {
	return a.source - b.source || a.position - b.position;
}

/** The rows that fit beside the totals: all of them, or else as many as fit of the rows that were not accepted. */
export function rowsThatFit(
	rows: readonly RecipientResult[],
	toRow: (row: RecipientResult) => object,
	totals: object,
): readonly object[] {
	const bytes = MAX_BYTES - TOTALS_BYTES - sizeOf(totals);
	const all = rows.map(toRow);
	if (sizeOf(all) <= bytes) return all;
	const fitting: object[] = [];
	let left = bytes;
	for (const [index, row] of all.entries()) {
		if (rows[index]?.outcome === 'accepted') continue;
		left -= sizeOf(row) + 1;
		if (left < 0) break;
		fitting.push(row);
	}
	return fitting;
}

function sizeOf(value: unknown): number {
	return Buffer.byteLength(JSON.stringify(value));
}

/** @param unnamed whether the service left out numbers without naming them */
function outcomeOf(rows: readonly RecipientResult[], unnamed: boolean): string {
	const outcomes = new Set(rows.map(({ outcome }) => outcome));
	if (outcomes.has('unknown')) return 'unknown';
	if (!outcomes.has('accepted')) return rows.some(isOutsideHours) ? 'skipped' : 'nothing_to_send';
	return unnamed || rows.some(wasMissed) ? 'partly_accepted' : 'accepted';
}

function isOutsideHours(row: RecipientResult): boolean {
	return row.outcome === 'skipped' && row.reason === OUTSIDE_SENDING_HOURS;
}

/** Whether an intended recipient does not get the message. Duplicates and excluded numbers are not intended. */
function wasMissed(row: RecipientResult): boolean {
	if (row.outcome !== 'skipped') return row.outcome !== 'accepted';
	return row.reason === 'invalid_number' || row.reason === 'skipped_by_service';
}

function toRow(row: RecipientResult, { ofLines, labels, byRelay }: RowOptions): object {
	const accepted = row.outcome === 'accepted' ? row : undefined;
	return {
		to: row.to,
		outcome: row.outcome,
		sender_id: accepted?.sender_id ?? null,
		segment_count: accepted?.segment_count ?? null,
		message_id: accepted?.message_id ?? null,
		status: accepted?.status ?? null,
		batch_id: accepted?.batch_id ?? null,
		reason: reasonOf(row, labels),
		line: (ofLines ? row.source : row.position) + 1,
		...(byRelay && { already_sent: accepted?.already_sent ?? false }),
	};
}

/** Why a recipient gets no message, as a sentence; null if there is nothing to say. */
export function reasonOf(row: RecipientResult, labels: Labels): string | null {
	if ('message' in row) return row.message;
	if ('error' in row) return errorText(row.error, labels);
	if (row.outcome !== 'not_attempted') return null;
	return row.reason === 'canceled'
		? 'There was no time left for this number.'
		: `The send stopped before this number. ${errorText(row.reason, labels)}`;
}
