import {
	leftOutOf,
	recipientResults,
	skippedResults,
	summarize,
	type BatchResult,
	type RecipientResult,
} from '../../shared';
import { failureOf } from './bulkFailure';
import type { MessageGroup } from './bulkRecipients';
import { errorText, type Labels } from './errors';
import { toSendAgain } from './sendAgain';

/** What a bulk send gives: figures, the recipients to send to again, and a row for each number. */
export type BulkOutput = Readonly<Record<string, unknown>> & {
	readonly results: readonly object[];
	/** Rows that are not among the results. */
	readonly rows_left_out: number;
};

/** What of a bulk send its output is made of. */
export interface BulkSent {
	readonly mailings: readonly MessageGroup[];
	readonly done: readonly BatchResult[];
	/** Requests that left. */
	readonly requests: number;
	/** Whether the recipients are line items, each with its own message. */
	readonly ofLines: boolean;
	/** Names the fields as the step shows them. */
	readonly labels: Labels;
}

/**
 * Most bytes of an output as JSON. Zapier's core ends a step with an error if its output is too large, after it has sent
 * (`large-response-cacher.js`; AWS Lambda ends it at 6 MB); the rest is for what Zapier puts around it.
 */
const MAX_BYTES = 4_000_000;

/** Bytes of an output without rows and lists, at most. */
const FIGURES_BYTES = 5_000;

/** A line of a second step's line items. */
interface LineToSend {
	readonly to: string;
	readonly message: string;
}

/** Whether an output can hold all recipients of a bulk send, should all of them be left over. */
export function canReleaseKeys(mailings: readonly MessageGroup[], ofLines: boolean): boolean {
	const lines = mailings.flatMap(({ message, recipients }) => recipients.map(({ to }) => ({ to, message })));
	const numbers = sizeOf(lines.map(({ to }) => to));
	return FIGURES_BYTES + numbers + (ofLines ? sizeOf(lines) : 0) <= MAX_BYTES;
}

/** What a bulk send gives that has nobody to send to. */
export function nothingToSend(): BulkOutput {
	return outputOf({ mailings: [], done: [], requests: 0, ofLines: false, labels: {} });
}

/**
 * Makes the output of a bulk send. All numbers to send again are in it; of the rows, those that fit, first those that
 * were not accepted.
 * @throws ServiceError if there was something to send, and nothing of it was accepted or may have been
 */
export function outputOf({ mailings, done, requests, ofLines, labels }: BulkSent): BulkOutput {
	const rows: RecipientResult[] = [];
	const again: Array<RecipientResult & { readonly message: string }> = [];
	for (const result of done) {
		const ofBatch = recipientResults(result);
		const { message } = result.input.input;
		for (const row of ofBatch) rows.push(row);
		for (const row of toSendAgain(result, ofBatch)) again.push({ ...row, message });
	}
	for (const { skipped } of mailings) for (const row of skippedResults(skipped)) rows.push(row);
	const failed = failureOf(rows);
	if (failed) throw failed;
	rows.sort(inOrder);
	again.sort(inOrder);

	const summary = summarize(done, rows);
	const unnamed = done.some((result) => leftOutOf(result) > 0);
	const figures = {
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
	const results = rowsThatFit(rows, (row) => toRow(row, ofLines, labels), MAX_BYTES - FIGURES_BYTES - sizeOf(figures));
	return { ...figures, rows_left_out: rows.length - results.length, results };
}

function inOrder(a: RecipientResult, b: RecipientResult): number {
	return a.source - b.source || a.position - b.position;
}

/** The rows that fit into so many bytes: all, or else those that were not accepted, as many as fit. */
function rowsThatFit(
	rows: readonly RecipientResult[],
	toRow: (row: RecipientResult) => object,
	bytes: number,
): readonly object[] {
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

/** @param unnamed whether the service left numbers out without saying which */
function outcomeOf(rows: readonly RecipientResult[], unnamed: boolean): string {
	const outcomes = new Set(rows.map(({ outcome }) => outcome));
	if (outcomes.has('unknown')) return 'unknown';
	if (!outcomes.has('accepted')) return 'nothing_to_send';
	return unnamed || rows.some(wasMissed) ? 'partly_accepted' : 'accepted';
}

/** Whether somebody who was meant to get the message does not. */
function wasMissed(row: RecipientResult): boolean {
	if (row.outcome !== 'skipped') return row.outcome !== 'accepted';
	return row.reason === 'invalid_number' || row.reason === 'skipped_by_service';
}

function toRow(row: RecipientResult, ofLines: boolean, labels: Labels): object {
	const accepted = row.outcome === 'accepted' ? row : undefined;
	return {
		to: row.to,
		outcome: row.outcome,
		message_id: accepted?.message_id ?? null,
		status: accepted?.status ?? null,
		batch_id: accepted?.batch_id ?? null,
		reason: reasonOf(row, labels),
		line: (ofLines ? row.source : row.position) + 1,
	};
}

function reasonOf(row: RecipientResult, labels: Labels): string | null {
	if ('message' in row) return row.message;
	if ('error' in row) return errorText(row.error, labels);
	if (row.outcome !== 'not_attempted') return null;
	return row.reason === 'cancelled'
		? 'There was no time left for it.'
		: `The send ended before it. ${errorText(row.reason, labels)}`;
}
