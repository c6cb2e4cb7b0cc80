import { setTimeout as wait } from 'node:timers/promises';
import type { Bundle, ZObject } from 'zapier-platform-core';
import {
	CanceledError,
	contract,
	hasLeft,
	planGroups,
	sendBatches,
	type Batch,
	type BatchResult,
	type BulkSendOutput,
	type BulkInput,
	type MakeCall,
	type Outcome,
} from '../../shared';
import { isBaseUrlRelay } from './baseUrlIsRelay';
import { recipientKeys, type MessageGroup } from './bulkRecipients';
import { inWordsOfKey } from './earlierRun';
import type { IdempotencyKeyOf } from './idempotencyKeys';
import { connect, TIMEOUT_MS } from './perform';

/** Wait after a 429 without `Retry-After`, in milliseconds. */
const PAUSE_MS = 1_000;

/** Most recipients of a request with a key for each (docs/relay.md#requests). */
const MOST_KEYS = 10_000;

/** Shortest remaining time in which a request may start, in milliseconds. */
const LEAST_ROOM_MS = 2_000;

/** Options of {@link sendBulk}. */
export interface BulkSendOptions {
	/** Part of every request. */
	readonly common: Omit<BulkInput, 'to' | 'message'>;
	/** Most numbers in one request; undefined for the default. */
	readonly numbersPerRequest: number | undefined;
	/** Whether to send a rejected request again without the rejected numbers. */
	readonly skipRejectedNumbers: boolean;
	/** When the step began, by `performance.now()`. */
	readonly began: number;
	/** The time that the user chose, or `now`, if the Sending Hours moved it. */
	readonly movedFrom: string | undefined;
	/** Makes the idempotency keys of the recipients; only with a relay and a Send Once Key. */
	readonly keyOf?: IdempotencyKeyOf;
}

/** Result of {@link sendBulk}. */
export interface BulkSendResult {
	readonly done: readonly BatchResult[];
	/** Number of requests that were sent to the service, including retries after a 429. */
	readonly requests: number;
}

/**
 * Sends messages to many recipients, several requests at a time (docs/api.md#send-a-bulk-sms). Stops before Zapier would
 * end the step: a request starts only if the remaining time is at least twice the slowest response so far. The other
 * recipients are `not_attempted`.
 */
export async function sendBulk(
	z: ZObject,
	bundle: Bundle,
	groups: readonly MessageGroup[],
	{ common, numbersPerRequest, skipRejectedNumbers, began, movedFrom, keyOf }: BulkSendOptions,
): Promise<BulkSendResult> {
	const texts = groups.map(({ message, recipients }) => ({ text: { ...common, message }, recipients }));
	const keys = keyOf && (await recipientKeys(groups, keyOf));
	const batches = planGroups(
		texts,
		keys && numbersPerRequest ? Math.min(numbersPerRequest, MOST_KEYS) : numbersPerRequest,
	);
	const elapsed = () => performance.now() - began;
	// One client for all requests, because each proves once that its base URL is a relay's.
	const relay = isBaseUrlRelay(bundle.authData) ? connect(z, bundle, TIMEOUT_MS - elapsed()) : undefined;
	let slowest = 0;
	const hasRoom = (after = 0) => elapsed() + after + Math.max(LEAST_ROOM_MS, 2 * slowest) <= TIMEOUT_MS;
	const stopping = new AbortController();
	const done: BatchResult[] = [];
	let inFlight = 0;
	let requests = 0;
	let accepted = false;

	async function request({ input, recipients }: Batch): Promise<Outcome<BulkSendOutput>> {
		const startedAt = elapsed();
		inFlight++;
		const client = relay ?? connect(z, bundle, TIMEOUT_MS - startedAt);
		const options = keys && { idempotencyKeys: recipients.flatMap((one) => keys.get(one) ?? []), movedFrom };
		const result = inWordsOfKey(await client.call(contract.sms.sendBulk, input, options), keyOf, input.to);
		inFlight--;
		slowest = Math.max(slowest, elapsed() - startedAt);
		if (hasLeft(result)) requests++;
		accepted ||= result.outcome !== 'rejected';
		return result;
	}

	// Requests in flight are awaited, because an aborted one would be unknown. A 429 is retried here if time allows. If
	// nothing was accepted so far, the step ends throttled instead, and Zapier reruns it after the delay.
	const make: MakeCall<Batch, BulkSendOutput> = async (batch, _, { waitSignal }) => {
		for (;;) {
			if (!hasRoom()) {
				stopping.abort();
				return tooLate();
			}
			const result = await request(batch);
			const pauseMs = pauseAfter(result);
			if (pauseMs === undefined || (!accepted && inFlight === 0) || !hasRoom(pauseMs)) return result;
			await wait(pauseMs, undefined, { signal: waitSignal }).catch(() => undefined);
			if (waitSignal?.aborted) return result;
		}
	};
	const options = { skipRejectedNumbers, signal: stopping.signal };
	for await (const result of sendBatches(make, batches, options)) done.push(result);
	return { done, requests };
}

/** How long to wait before a retry, in milliseconds; undefined if the request must not be retried. */
function pauseAfter(result: Outcome<unknown>): number | undefined {
	if (result.outcome !== 'rejected' || result.error.status !== 429) return undefined;
	return result.error.retryAfterMs || PAUSE_MS;
}

/** The batch becomes `not_attempted`, because the run is already stopping. */
function tooLate(): Outcome<BulkSendOutput> {
	const hint = 'Nothing was sent or charged.';
	return {
		outcome: 'rejected',
		error: new CanceledError('No time left', { endpoint: 'sms.sendBulk', sent: 'no', hint }),
	};
}
