import type { ZObject } from 'zapier-platform-core';
import {
	asSentence,
	errorFacts,
	errorMessage,
	errorText,
	InputError,
	type ErrorCode,
	type Labels,
	type ServiceError,
} from '../../shared';
import { WHICH_SWITCH } from './baseUrlIsRelay';
import { EarlierRunError } from './earlierRun';

/** Rejections that a replay cannot fix, because the recipient or input must change. A halt does not turn the Zap off. */
const HALTING: ReadonlySet<ErrorCode | undefined> = new Set(['opted_out', 'validation']);

/** Longest delay of a throttled run after which a one-time code is still useful, in seconds. */
const LONGEST_CODE_DELAY = 60;

/** Calls whose unknown outcome may be a sent message. For other calls, the hint explains what a second call would do. */
const SENDING = /^(sms|whatsapp|email|voice)\.send|^verification\.start$/;

/** Context of a failed call. */
export interface StepFailure {
	/** Field labels of the step. */
	readonly labels?: Labels;
	/** Label of the Send Once Key field, if it has a value that keeps a replay from sending again. */
	readonly keptBy?: string;
	/** Whether a relay stores that value. */
	readonly byRelay?: boolean;
	/** Whether the service accepted the same API key right after it rejected it. */
	readonly keyWorks?: boolean;
}

/**
 * Converts the error of a call that was not accepted to Zapier's. Zapier emails the owner about an errored step and, with
 * Autoreplay, reruns it from the start. It also reruns a throttled step. Zapier's pages do not say for certain whether
 * Autoreplay repeats a halted one. A halt is the least risk for a call that may have been accepted, unless a Send Once Key
 * makes the replay harmless.
 * @returns one of `z.errors.*`
 */
export function toZapierError(
	z: ZObject,
	error: ServiceError,
	{ labels, keptBy, byRelay, keyWorks }: StepFailure = {},
): Error {
	const { status, code, meaning, retryAfterMs, sent, endpoint } = error;
	const text = errorText(error, labels);
	// A halted error has no fields for these, unlike Zapier's other errors.
	const halt = () => new z.errors.HaltedError(`${text}${errorFacts(error)}`);
	if (error instanceof EarlierRunError) return new z.errors.HaltedError(`${error.message} ${error.hint}`);
	if (sent !== 'no') {
		if (!SENDING.test(endpoint)) return halt();
		if (keptBy === undefined) {
			return new z.errors.HaltedError(`${text} Replaying this step would send it again.${errorFacts(error)}`);
		}
		const replay = byRelay
			? 'Replaying this step never sends it twice. If it stays unknown, settle it on the page of the relay.'
			: `Replaying this step does not send it again. To send it again, change the ${keptBy}.`;
		return new z.errors.Error(`${text} ${replay}`, code, status);
	}
	if (isAboutConnection(error)) {
		const problem = asSentence(errorMessage(error, labels));
		return new z.errors.Error(`${problem} ${WHICH_SWITCH} ${error.hint}`, 'InvalidConnection', 400);
	}
	if (error instanceof InputError || HALTING.has(meaning)) return halt();
	if (status === 429) {
		const seconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000);
		return new z.errors.ThrottledError(text, seconds);
	}
	if (status === 401 && keyWorks) return new z.errors.Error(`${asSentence(error.message)} ${KEY_WORKS}`, code, status);
	if (status === 401) return new z.errors.ExpiredAuthError(text);
	return new z.errors.Error(text, code, status);
}

/** Whether no relay was found at the base URL. Every step has that problem, so the owner gets an email. */
function isAboutConnection(error: ServiceError): boolean {
	return error instanceof InputError && error.issues.some(({ field }) => field === 'baseUrl');
}

/** Zapier holds all runs of an expired connection, so a single stray 401 does not expire it. */
const KEY_WORKS =
	'The account stays connected, because the service did not reject the API key a second time. Try again later. Nothing was sent or charged.';

/**
 * Replaces an error that would make Zapier rerun the step much later, when a one-time code has expired.
 * @param ending an error of a step that sent nothing
 * @returns a halt with the same message, or the error itself if Zapier reruns it within a minute or not at all
 */
export function haltIfLate(z: ZObject, ending: unknown): unknown {
	if (ending instanceof z.errors.ThrottledError) {
		const { message, delay } = readCoreError(ending);
		return (delay ?? 0) <= LONGEST_CODE_DELAY ? ending : new z.errors.HaltedError(message);
	}
	if (!(ending instanceof z.errors.Error)) return ending;
	const { message, code, status } = readCoreError(ending);
	return new z.errors.HaltedError(`${message}${errorFacts({ code, status })}`);
}

/** The JSON that Zapier's core writes into the message of some errors (`src/errors.js` of zapier-platform-core). */
interface CoreError {
	readonly message: string;
	readonly code?: string;
	readonly status?: number;
	/** In seconds. */
	readonly delay?: number;
}

function readCoreError({ message }: Error): CoreError {
	return JSON.parse(message) as CoreError;
}

/**
 * Keeps the user's input out of an error. Without this flag, Zapier's core adds the whole bundle and the start of every
 * response to it, and logs them (`src/middleware.js` of zapier-platform-core).
 * @returns the same error
 */
export function withoutBundle(error: unknown): unknown {
	return error instanceof Error ? Object.assign(error, { doNotContextify: true }) : error;
}
