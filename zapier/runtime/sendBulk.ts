import { setTimeout as wait } from 'node:timers/promises';
import type { Bundle, ZObject } from 'zapier-platform-core';
import {
	CanceledError,
	contract,
	hasLeft,
	InputError,
	planBatches,
	sendBatches,
	type Batch,
	type BatchResult,
	type BulkAnswer,
	type BulkInput,
	type MakeCall,
	type Outcome,
} from '../../shared';
import type { MessageGroup } from './bulkRecipients';
import { connect, TIMEOUT_MS } from './perform';

/** Wait after a 429 that names no time, in milliseconds. */
const PAUSE_MS = 1_000;

/** Least time that is left for a response to a request, in milliseconds. */
const LEAST_ROOM_MS = 2_000;

/** How a bulk send leaves. */
export interface BulkSendOptions {
	/** Goes out with every request. */
	readonly common: Omit<BulkInput, 'to' | 'message'>;
	/** Most numbers of one request; undefined for the default. */
	readonly numbersPerRequest: number | undefined;
	/** Whether a rejected request is sent again without the numbers at fault. */
	readonly skipRejectedNumbers: boolean;
	/** When the step began, by `performance.now()`. */
	readonly began: number;
}

/** What became of a bulk send. */
export interface BulkSendResult {
	readonly done: readonly BatchResult[];
	/** Requests that left, repeats after a 429 among them. */
	readonly requests: number;
}

/**
 * Sends messages to many, several requests at a time. Ends before Zapier would end the step: a request leaves only if
 * twice the slowest response so far fits into the time that is left. The rest is `not_attempted`.
 */
export async function sendBulk(
	z: ZObject,
	bundle: Bundle,
	mailings: readonly MessageGroup[],
	{ common, numbersPerRequest, skipRejectedNumbers, began }: BulkSendOptions,
): Promise<BulkSendResult> {
	const batches: Batch[] = [];
	for (const { message, recipients } of mailings) {
		// One by one: a call takes only so many arguments as the stack holds.
		for (const batch of planBatches(recipients, { ...common, message }, numbersPerRequest, batches.length)) {
			batches.push(batch);
		}
	}
	const elapsed = () => performance.now() - began;
	let slowest = 0;
	const hasRoom = (after = 0) => elapsed() + after + Math.max(LEAST_ROOM_MS, 2 * slowest) <= TIMEOUT_MS;
	const stopping = new AbortController();
	const done: BatchResult[] = [];
	let inFlight = 0;
	let requests = 0;
	let accepted = false;

	async function request(input: BulkInput): Promise<Outcome<BulkAnswer>> {
		const left = elapsed();
		inFlight++;
		const result = await connect(z, bundle, TIMEOUT_MS - left).call(contract.sms.sendBulk, input);
		inFlight--;
		slowest = Math.max(slowest, elapsed() - left);
		if (hasLeft(result)) requests++;
		accepted ||= result.outcome !== 'rejected';
		return result;
	}

	// A request that has left is waited for, so that its outcome is known. One that the service wants later is made again
	// in time; but if nothing was accepted so far, the whole step is left to Zapier, which has more time.
	const make: MakeCall<Batch, BulkAnswer> = async ({ input }, _, { waitSignal }) => {
		if (input.message.trim() === '') return blank();
		for (;;) {
			if (!hasRoom()) {
				stopping.abort();
				return tooLate();
			}
			const result = await request(input);
			const pauseMs = pauseAfter(result);
			if (pauseMs === undefined || (!accepted && inFlight === 0) || !hasRoom(pauseMs)) return result;
			await wait(pauseMs, undefined, { signal: waitSignal }).catch(() => undefined);
			if (waitSignal?.aborted) return result;
		}
	};
	const options = { skipRejectedNumbers: skipRejectedNumbers, signal: stopping.signal };
	for await (const result of sendBatches(make, batches, options)) done.push(result);
	return { done, requests };
}

/** How long to wait before the same request may be made again, in milliseconds; undefined if it may not. */
function pauseAfter(result: Outcome<unknown>): number | undefined {
	if (result.outcome !== 'rejected' || result.error.status !== 429) return undefined;
	return result.error.retryAfterMs || PAUSE_MS;
}

/** Of a line whose message is white space, as what is left of two mapped values that are empty. */
function blank(): Outcome<BulkAnswer> {
	const error = new InputError('sms.sendBulk', [{ field: 'message', message: 'is empty: write the text' }]);
	return { outcome: 'rejected', error };
}

/** Makes the batch `not_attempted`, because the run has ended by then. */
function tooLate(): Outcome<BulkAnswer> {
	const hint = 'Nothing was sent or charged.';
	return {
		outcome: 'rejected',
		error: new CanceledError('No time left', { endpoint: 'sms.sendBulk', sent: 'no', hint }),
	};
}
