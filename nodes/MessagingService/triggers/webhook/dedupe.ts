import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { BoundedMap } from '../../memory/boundedMap';
import { reject } from './rejection';

/** Webhooks that this process has seen. 20,000 entries need about 3 MB. */
const seen = new BoundedMap<true>({ maxSize: 20_000 });

/**
 * Marks a webhook as seen. It is synchronous, so of concurrent duplicates exactly one wins.
 * @param key {@link fingerprint} of the trigger and the fields that identify the event
 * @param forMs how long duplicates are recognized, in milliseconds; 0 = never
 * @returns whether it is the first one
 */
export function markSeen(key: string, forMs: number): boolean {
	if (forMs <= 0) return true;
	if (seen.get(key)) return false;
	seen.set(key, true, forMs);
	return true;
}

/** Forgets a webhook, so that its duplicate counts as new. */
export function unmarkSeen(key: string): void {
	seen.delete(key);
}

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

/** One event of a start. */
interface Unanswered {
	readonly response: Response;
	readonly undo: () => void;
	/** When its caller left, in milliseconds since 1970. */
	readonly since: number;
	/** Part of the start that this event is: a batch has one response for all its events. */
	readonly share: number;
}

/** How long n8n may take to respond before the start counts as failed, in milliseconds. */
const GIVEN_UP_MS = 60_000;
const KEPT_MS = 24 * 3_600_000;

/** Starts whose callers left before n8n responded. Each holds a response object, so the number is small. */
const unanswered = new BoundedMap<Unanswered>({ maxSize: 200, sizeOf: ({ share }) => share });

/** An event in the memory of the process. */
export interface RememberedEvent {
	/** {@link fingerprint} of the event. */
	readonly key: string;
	/** Removes the event from the memory. */
	readonly forget: () => void;
}

/**
 * Forgets events if n8n does not accept them. n8n responds after the execution is stored, and with 500 if that fails
 * (database busy, Redis unavailable). The sender then tries again, and its second request must start the workflow. If
 * the caller leaves before the response, the result is open, and {@link isUndecided} decides later.
 * @param events those that start one execution
 */
export function forgetUnlessAccepted(context: IWebhookFunctions, events: readonly RememberedEvent[]): void {
	if (events.length === 0) return;
	const response = context.getResponseObject();
	response.once('finish', () => {
		if (isFailure(response)) for (const { forget } of events) forget();
	});
	response.once('close', () => {
		if (response.writableFinished) return;
		const start = { response, since: Date.now(), share: 1 / events.length };
		for (const { key, forget } of events) unanswered.set(key, { ...start, undo: forget }, KEPT_MS);
	});
}

/**
 * Whether n8n may still accept an event whose caller left. Starting the workflow for a second request could run it
 * twice. Treating the second request as a duplicate would lose the event if n8n fails. Forgets the event if n8n has
 * failed.
 */
export function isUndecided(key: string): boolean {
	const start = unanswered.get(key);
	if (start === undefined) return false;
	const { response, undo, since } = start;
	// Node emits no `finish` after the connection is closed, but the response still has n8n's result.
	if (!response.writableEnded && Date.now() - since < GIVEN_UP_MS) return true;
	unanswered.delete(key);
	if (!response.writableEnded || isFailure(response)) undo();
	return false;
}

/** Asks the sender of an undecided event to try again. */
export function tryAgain(context: IWebhookFunctions): IWebhookResponseData {
	const message = 'n8n is still starting the workflow for an earlier request with this event. Try again in a minute';
	return reject(context, { status: 503, reason: 'an earlier request with this event is undecided', message });
}

function isFailure({ statusCode }: Response): boolean {
	return statusCode >= 400;
}
