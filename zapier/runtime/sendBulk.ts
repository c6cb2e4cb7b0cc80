import { setTimeout as wait } from 'node:timers/promises';
import type { Bundle, ZObject } from 'zapier-platform-core';
import {
	contract,
	planBatches,
	recipientResults,
	sendBatches,
	skippedResults,
	summarize,
	type BatchResult,
	type Batch,
	type BulkAnswer,
	type BulkInput,
	type ErrorCode,
	type MakeCall,
	type Outcome,
	type RecipientResult,
	type ServiceError,
} from '../../shared';
import type { Mailing } from './bulkRecipients';
import { connect, TIMEOUT_MS } from './perform';

/** Time after which no further request leaves, in milliseconds since the step began. */
const STOP_MS = 15_000;

/** Wait after a 429 that names no time, in milliseconds. */
const PAUSE_MS = 1_000;

/** Refusals of one recipient, which say nothing about the others. */
const OF_RECIPIENT: ReadonlySet<ErrorCode | undefined> = new Set(['opted_out', 'failed_send']);

/** How a bulk send leaves. */
export interface BulkOptions {
	readonly text: Omit<BulkInput, 'to' | 'message'>;
	readonly numbersPerRequest: number | undefined;
	/** Whether a refused request is sent again in halves, down to the numbers at fault. */
	readonly leaveOutRefused: boolean;
	/** When the step began, by `performance.now()`. */
	readonly began: number;
}

/** What a bulk send gives: figures, and a row for each number. */
export type BulkResult = Readonly<Record<string, unknown>> & { readonly results: readonly object[] };

/**
 * Sends texts to many, several requests at a time, and says of each number what became of it. Ends before Zapier would
 * end the step: what has not left by then is `not_tried`. Once anything may have been accepted it does not fail.
 * @throws ServiceError where nothing was accepted and the reason is not one of single recipients
 */
export async function sendBulk(
	z: ZObject,
	bundle: Bundle,
	mailings: readonly Mailing[],
	{ text, numbersPerRequest, leaveOutRefused, began }: BulkOptions,
): Promise<BulkResult> {
	const batches: Batch[] = [];
	for (const { message, recipients } of mailings) {
		batches.push(...planBatches(recipients, { ...text, message }, numbersPerRequest, batches.length));
	}
	const elapsed = () => performance.now() - began;
	const stopping = new AbortController();
	const timer = setTimeout(() => stopping.abort(), Math.max(0, STOP_MS - elapsed()));
	const done: BatchResult[] = [];
	let underWay = 0;
	let accepted = false;

	// A request that has left is waited for, so that what became of it is known. One that is to be slower is made again
	// in time; but where nothing was accepted so far, the whole step is left to Zapier, which has more time.
	const make: MakeCall<Batch, BulkAnswer> = async ({ input }, _, { waitSignal }) => {
		for (;;) {
			underWay++;
			const client = connect(z, bundle, TIMEOUT_MS - elapsed());
			const result = await client.call(contract.sms.sendBulk, input).finally(() => underWay--);
			accepted ||= result.outcome !== 'rejected';
			const pauseMs = pauseAfter(result);
			const leave = !accepted && underWay === 0;
			if (pauseMs === undefined || leave || elapsed() + pauseMs > STOP_MS) return result;
			await wait(pauseMs, undefined, { signal: waitSignal }).catch(() => undefined);
			if (waitSignal?.aborted) return result;
		}
	};
	try {
		const options = { splitRefused: leaveOutRefused, signal: stopping.signal };
		for await (const result of sendBatches(make, batches, options)) done.push(result);
	} finally {
		clearTimeout(timer);
	}
	return report(mailings, done);
}

/** How long to wait before the same request may be made again, in milliseconds; undefined where it may not. */
function pauseAfter(result: Outcome<unknown>): number | undefined {
	if (result.outcome !== 'rejected' || result.error.status !== 429) return undefined;
	return result.error.retryAfterMs || PAUSE_MS;
}

function report(mailings: readonly Mailing[], done: readonly BatchResult[]): BulkResult {
	const rows = [...done.flatMap(recipientResults), ...mailings.flatMap(({ skipped }) => skippedResults(skipped))];
	rows.sort((a, b) => a.source - b.source || a.position - b.position);
	const failed = failureOf(rows);
	if (failed) throw failed;
	const summary = summarize(done, rows);
	const numbers = (outcome: RecipientResult['outcome']) =>
		rows.flatMap((row) => (row.outcome === outcome ? [row.to] : []));
	return {
		outcome: outcomeOf(rows),
		total: summary.total,
		accepted: summary.accepted,
		rejected: summary.rejected,
		unknown: summary.unknown,
		not_tried: summary.not_tried,
		skipped: summary.skipped,
		requests: summary.requests,
		total_segments: summary.total_segments,
		cost: summary.cost ?? null,
		balance: summary.balance ?? null,
		unknown_numbers: numbers('unknown'),
		not_tried_numbers: numbers('not_tried'),
		results: rows.map(toRow),
	};
}

/** Why a send failed altogether: what to tell instead of rows. */
function failureOf(rows: readonly RecipientResult[]): ServiceError | undefined {
	if (rows.some(({ outcome }) => outcome === 'accepted' || outcome === 'unknown')) return undefined;
	const errors = rows.flatMap((row) => ('error' in row ? [row.error] : []));
	return errors.find(({ meaning }) => !OF_RECIPIENT.has(meaning));
}

function outcomeOf(rows: readonly RecipientResult[]): string {
	const outcomes = new Set(rows.map(({ outcome }) => outcome));
	if (outcomes.has('unknown')) return 'unknown';
	const some = outcomes.has('accepted');
	if (outcomes.has('rejected') || outcomes.has('not_tried')) return some ? 'partly_accepted' : 'rejected';
	return some ? 'accepted' : 'skipped';
}

function toRow(row: RecipientResult): object {
	const told = row.outcome === 'accepted' ? row : undefined;
	return {
		to: row.to,
		outcome: row.outcome,
		message_id: told?.message_id ?? null,
		status: told?.status ?? null,
		batch_id: told?.batch_id ?? null,
		reason: reasonOf(row),
		line: row.source + 1,
	};
}

function reasonOf(row: RecipientResult): string | null {
	if ('message' in row) return row.message;
	if ('error' in row) return row.outcome === 'unknown' ? `${row.error.message} ${row.error.hint}` : row.error.message;
	if (row.outcome !== 'not_tried') return null;
	return row.reason === 'cancelled'
		? 'There was no time left for it.'
		: `The send ended before it: ${row.reason.message}`;
}
