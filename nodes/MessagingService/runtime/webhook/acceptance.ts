import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { BoundedMap } from './boundedMap';
import { reject } from './rejection';

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

interface Unanswered {
	readonly response: Response;
	readonly undo: () => void;
	/** When its caller left, in milliseconds since 1970. */
	readonly since: number;
}

/** A start that n8n has not answered after this time is given up, in milliseconds. */
const GIVEN_UP_MS = 60_000;
const KEPT_MS = 24 * 3_600_000;

/** Starts whose callers left before n8n responded. They hold a response object each, so there are few of them. */
const unanswered = new BoundedMap<Unanswered>(200);

/**
 * Forgets an event again if n8n does not accept it. n8n responds after the execution is stored, and with 500 if that
 * fails (database busy, Redis gone): the sender then tries again, and its second request must start the workflow. A
 * caller that leaves before the response says nothing about that, so its event waits for {@link isUndecided}.
 * @param key {@link fingerprint} of the event
 * @param undo takes the event out of what this process remembers
 */
export function forgetUnlessAccepted(context: IWebhookFunctions, key: string, undo: () => void): void {
	const response = context.getResponseObject();
	response.once('finish', () => {
		if (isFailure(response)) undo();
	});
	response.once('close', () => {
		const since = Date.now();
		if (!response.writableFinished) unanswered.set(key, { response, undo, since }, since + KEPT_MS);
	});
}

/**
 * Whether n8n may still accept an event whose caller left. Starting the workflow for a second request would run it
 * twice; taking the second request for known would lose the event if n8n fails. Forgets the event if n8n has failed.
 */
export function isUndecided(key: string): boolean {
	const now = Date.now();
	const start = unanswered.get(key, now);
	if (start === undefined) return false;
	const { response, undo, since } = start;
	// Node emits no `finish` for a connection that is gone, but the response keeps what n8n wrote.
	if (!response.writableEnded && now - since < GIVEN_UP_MS) return true;
	unanswered.delete(key);
	if (!response.writableEnded || isFailure(response)) undo();
	return false;
}

/** Asks the sender of an undecided event to try again. */
export function tryAgain(context: IWebhookFunctions): IWebhookResponseData {
	const message = 'n8n is still starting the workflow for an earlier request with this event: try again in a minute';
	return reject(context, { status: 503, reason: 'an earlier request with this event is undecided', message });
}

function isFailure({ statusCode }: Response): boolean {
	return statusCode >= 400;
}
