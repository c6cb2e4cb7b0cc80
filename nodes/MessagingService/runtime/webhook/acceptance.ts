import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { BoundedMap } from '../boundedMap';
import { reject } from './rejection';

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

interface Unanswered {
	readonly response: Response;
	readonly undo: () => void;
	/** When its caller left, in milliseconds since 1970. */
	readonly since: number;
}

/** How long n8n may take to respond before the start counts as failed, in milliseconds. */
const GIVEN_UP_MS = 60_000;
const KEPT_MS = 24 * 3_600_000;

/** Starts whose callers left before n8n responded. Each holds a response object, so the number is small. */
const unanswered = new BoundedMap<Unanswered>(200);

/**
 * Forgets an event if n8n does not accept it. n8n responds after the execution is stored, and with 500 if that fails
 * (database busy, Redis unavailable). The sender then tries again, and its second request must start the workflow. If
 * the caller leaves before the response, the result is open, and {@link isUndecided} decides later.
 * @param key {@link fingerprint} of the event
 * @param undo removes the event from the memory of this process
 */
export function forgetUnlessAccepted(context: IWebhookFunctions, key: string, undo: () => void): void {
	const response = context.getResponseObject();
	response.once('finish', () => {
		if (isFailure(response)) undo();
	});
	response.once('close', () => {
		const since = Date.now();
		if (!response.writableFinished) unanswered.set(key, { response, undo, since }, KEPT_MS);
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
