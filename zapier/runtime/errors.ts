import type { ZObject } from 'zapier-platform-core';
import { InputError, type ErrorCode, type ServiceError } from '../../shared';

/** Labels that the user sees, by the names of the wire. */
export type Labels = Readonly<Record<string, string>>;

const CONNECTION_LABELS: Labels = { apiKey: 'API Key', baseUrl: 'Base URL' };

/** Rejections that a replay cannot cure: the recipient or the input has to change. They do not turn the Zap off. */
const HALTING: ReadonlySet<ErrorCode | undefined> = new Set(['opted_out', 'validation']);

/** Longest delay of a throttled run after which a one-time code is still of use, in seconds. */
const LONGEST_CODE_DELAY = 60;

/** Calls whose unknown outcome may be a message on its way; of the others the hint says what doing it again means. */
const SENDING = /^(sms|whatsapp|email|voice)\.send|^verification\.start$/;

/**
 * Words a failure for the person who reads the Zap's history: what happened, in the service's own words where it
 * said something, and what to do.
 * @param labels names the fields as the step shows them
 */
export function errorText(error: ServiceError, labels: Labels = {}): string {
	const named = (field: string) => labels[field] ?? CONNECTION_LABELS[field] ?? field;
	const message =
		error instanceof InputError
			? error.issues.map((issue) => `${named(issue.field)} ${issue.message}`).join('; ')
			: error.message;
	return `${sentence(message)} ${error.hint}`;
}

/** How a step words and ends a failed call. */
export interface StepFailure {
	/** Names the fields as the step shows them. */
	readonly labels?: Labels;
	/** Label of the field whose value keeps a replay from sending again, if it is filled in. */
	readonly keptBy?: string;
	/** Whether the service took the same key right after it rejected it. */
	readonly keyWorks?: boolean;
}

/**
 * Makes Zapier's error of a call that was not accepted. Zapier emails the owner about an errored step and, with
 * Autoreplay, repeats it whole; it repeats a throttled one too, and leaves a halted one to a person. So a call that may
 * have been accepted ends in a halt, unless a Send Once Key makes the replay harmless.
 * @returns one of `z.errors.*`
 */
export function toZapierError(z: ZObject, error: ServiceError, { labels, keptBy, keyWorks }: StepFailure = {}): Error {
	const { status, code, meaning, retryAfterMs, sent, endpoint } = error;
	const words = errorText(error, labels);
	if (sent !== 'no') {
		if (!SENDING.test(endpoint)) return new z.errors.HaltedError(`${words}${facts(error)}`);
		if (keptBy === undefined) {
			return new z.errors.HaltedError(`${words} Replaying this step would send it again.${facts(error)}`);
		}
		const replay = `Replaying this step does not send it again: for that, change the ${keptBy}.`;
		return new z.errors.Error(`${words} ${replay}`, code, status);
	}
	if (error instanceof InputError || HALTING.has(meaning)) return new z.errors.HaltedError(`${words}${facts(error)}`);
	if (status === 429) {
		const seconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000);
		return new z.errors.ThrottledError(words, seconds);
	}
	if (status === 401 && keyWorks) return new z.errors.Error(`${sentence(error.message)} ${KEY_WORKS}`, code, status);
	if (status === 401) return new z.errors.ExpiredAuthError(words);
	return new z.errors.Error(words, code, status);
}

/** An expired connection holds every run of all its Zaps, so one stray 401 does not expire it. */
const KEY_WORKS =
	'The account stays connected, because the service did not reject the API key a second time. Try again later. Nothing was sent or charged.';

/**
 * Replaces an error after which Zapier would run the step again much later: a one-time code has run out by then.
 * @param ending an error of a step that sent nothing
 * @returns a halt in the same words, or the error itself if Zapier repeats it within a minute or not at all
 */
export function haltIfLate(z: ZObject, ending: unknown): unknown {
	if (ending instanceof z.errors.ThrottledError) {
		const { message, delay } = wordsOf(ending);
		return (delay ?? 0) <= LONGEST_CODE_DELAY ? ending : new z.errors.HaltedError(message);
	}
	if (!(ending instanceof z.errors.Error)) return ending;
	const { message, code, status } = wordsOf(ending);
	return new z.errors.HaltedError(`${message}${facts({ code, status })}`);
}

/** What Zapier's core writes as JSON into the message of some of its errors (`src/errors.js` of zapier-platform-core). */
interface CoreWords {
	readonly message: string;
	readonly code?: string;
	readonly status?: number;
	/** In seconds. */
	readonly delay?: number;
}

function wordsOf({ message }: Error): CoreWords {
	return JSON.parse(message) as CoreWords;
}

/**
 * Keeps what a person filled in out of the error: to an error without this mark, Zapier's core adds the whole bundle and
 * the beginning of every response, and writes them into the log (`src/middleware.js` of zapier-platform-core).
 * @returns the same error
 */
export function withoutBundle(error: unknown): unknown {
	return error instanceof Error ? Object.assign(error, { doNotContextify: true }) : error;
}

function sentence(words: string): string {
	return /[.!?…]$/.test(words) ? words : `${words}.`;
}

// Zapier has a place of its own for both in its other errors.
function facts({ code, status }: { readonly code?: string; readonly status?: number }): string {
	const known = [code && `code ${code}`, status && `HTTP ${status}`].filter(Boolean).join(', ');
	return known && ` (${known})`;
}
