import type { Repeat } from '../contract/endpoint';

/**
 * The result of one attempt.
 * @example const attempt: Attempt = { kind: 'response', status: 429, readable: true };
 */
export type Attempt =
	| {
			readonly kind: 'response';
			readonly status: number;
			/** Whether the response clearly states the outcome. */
			readonly readable: boolean;
			readonly retryAfterMs?: number;
	  }
	| NoResponse;

/** An attempt without a response. */
interface NoResponse {
	readonly kind: 'no-response';
	/** Whether any byte of the request may have reached the other side. */
	readonly left: 'no' | 'maybe';
	/** Whether the caller ended it. */
	readonly aborted: boolean;
}

/**
 * The meaning of a response to a call with an idempotency key (docs/relay.md#responses).
 * `accepted`: the service accepted the message of the key, and the response can be read.
 * `accepted_unread`: it did, but the response cannot be read. A repeat gets the stored fields.
 * `rejected`: it did not accept it, and the key is free.
 * `unknown`: the relay does not know. A person settles it.
 * `in_use`: a call with the key is in flight.
 * `nothing_now`: this request sent nothing, which says nothing about earlier attempts.
 * `not_relay`: the response does not come from the relay, so the relay may have the request.
 */
export type KeyedMeaning =
	| 'accepted'
	| 'accepted_unread'
	| 'rejected'
	| 'unknown'
	| 'in_use'
	| 'nothing_now'
	| 'not_relay';

/** The result of one attempt of a call with an idempotency key. */
export type KeyedAttempt =
	| {
			readonly kind: 'reply';
			readonly meaning: KeyedMeaning;
			/** Whether the obstacle may pass by itself, such as a rate limit or a database that is away. */
			readonly mayPass: boolean;
			readonly retryAfterMs?: number;
	  }
	/** Nothing left, because no relay was found at the address. */
	| { readonly kind: 'no-relay'; readonly mayPass: boolean }
	| NoResponse;

/**
 * How often and how long a call is attempted. Times in milliseconds.
 * @example createClient({ ...options, retry: { attempts: 2, budgetMs: 10_000 } });
 */
export interface RetryPolicy {
	/** Maximum number of attempts, the first included. */
	readonly attempts: number;
	/** Time after which no further attempt starts. One in flight continues until its own timeout. */
	readonly budgetMs: number;
	/** Maximum of the first exponential backoff. It doubles with each attempt. */
	readonly baseMs: number;
	/** Maximum of one wait. A longer Retry-After ends the call at once. */
	readonly longestWaitMs: number;
}

/** Default retry policy. */
export const defaultRetryPolicy: RetryPolicy = {
	attempts: 4,
	budgetMs: 60_000,
	baseMs: 500,
	longestWaitMs: 30_000,
};

/** The next step after an attempt. */
export type RetryDecision =
	| { readonly next: 'done' }
	| { readonly next: 'rejected' }
	| { readonly next: 'unknown' }
	| { readonly next: 'retry'; readonly waitMs: number };

/**
 * Decides the next step after an attempt. Pure, so all its rules can be tested (decision 4).
 * @param repeat whether the call may be repeated after it may have been accepted
 * @param attempt its result
 * @param number of the attempt, from 1
 * @param elapsedMs time since the first attempt, in milliseconds
 * @param random a number from 0 up to 1, for full jitter
 * @example decide('once', { kind: 'no-response', left: 'maybe', aborted: false }, 1, 0, policy, Math.random()).next // 'unknown'
 */
export function decide(
	repeat: Repeat,
	attempt: Attempt,
	number: number,
	elapsedMs: number,
	policy: RetryPolicy,
	random: number,
): RetryDecision {
	const failure = classify(repeat, attempt);
	if (failure !== 'repeatable') return { next: failure };
	const retryAfterMs = attempt.kind === 'response' ? attempt.retryAfterMs : undefined;
	return retryWithin(policy, { number, elapsedMs, retryAfterMs, random }) ?? { next: 'rejected' };
}

/**
 * Decides the next step after an attempt of a call with an idempotency key. Pure. The relay makes the hop safe to repeat,
 * so an attempt without a clear outcome is repeated with the same key (decision 33).
 * @param attempt its result
 * @param inDoubt whether an earlier attempt of this call may have been accepted; see {@link inDoubtAfter}
 * @param number of the attempt, from 1
 * @param elapsedMs time since the first attempt, in milliseconds
 * @param random a number from 0 up to 1, for full jitter
 * @returns `rejected` only if no attempt of this call may have been accepted
 */
export function decideKeyed(
	attempt: KeyedAttempt,
	inDoubt: boolean,
	number: number,
	elapsedMs: number,
	policy: RetryPolicy,
	random: number,
): RetryDecision {
	const failure = classifyKeyed(attempt);
	if (failure === 'done' || failure === 'unknown') return { next: failure };
	const end: RetryDecision = { next: inDoubtAfter(attempt, inDoubt) ? 'unknown' : 'rejected' };
	if (failure === 'end') return end;
	const retryAfterMs = attempt.kind === 'reply' ? attempt.retryAfterMs : undefined;
	return retryWithin(policy, { number, elapsedMs, retryAfterMs, random }) ?? end;
}

/**
 * Whether a call with an idempotency key may have been accepted, after one more attempt. Only a clear rejection of the
 * message ends the doubt of earlier attempts.
 * @param before the same before this attempt
 */
export function inDoubtAfter(attempt: KeyedAttempt, before: boolean): boolean {
	if (attempt.kind === 'no-relay') return before;
	if (attempt.kind === 'no-response') return before || attempt.left === 'maybe';
	if (attempt.meaning === 'rejected') return false;
	return attempt.meaning === 'nothing_now' ? before : true;
}

function classifyKeyed(attempt: KeyedAttempt): 'done' | 'unknown' | 'end' | 'repeatable' {
	if (attempt.kind === 'no-response') return attempt.aborted ? 'end' : 'repeatable';
	if (attempt.kind === 'no-relay') return attempt.mayPass ? 'repeatable' : 'end';
	switch (attempt.meaning) {
		case 'accepted':
			return 'done';
		case 'unknown':
			return 'unknown';
		case 'accepted_unread':
		case 'in_use':
			return 'repeatable';
		case 'not_relay':
		case 'rejected':
		case 'nothing_now':
			return attempt.mayPass ? 'repeatable' : 'end';
	}
}

interface Progress {
	/** Of the attempt, from 1. */
	readonly number: number;
	/** Since the first attempt, in milliseconds. */
	readonly elapsedMs: number;
	readonly retryAfterMs: number | undefined;
	readonly random: number;
}

/** @returns undefined if the policy allows no further attempt */
function retryWithin(
	policy: RetryPolicy,
	{ number, elapsedMs, retryAfterMs, random }: Progress,
): Extract<RetryDecision, { next: 'retry' }> | undefined {
	if (number >= policy.attempts) return undefined;
	const backoff = random * Math.min(policy.longestWaitMs, policy.baseMs * 2 ** (number - 1));
	// Treat `Retry-After: 0` as absent, or the call would be repeated at once.
	const waitMs = retryAfterMs ? retryAfterMs : backoff;
	if (waitMs > policy.longestWaitMs || elapsedMs + waitMs > policy.budgetMs) return undefined;
	return { next: 'retry', waitMs };
}

function classify(repeat: Repeat, attempt: Attempt): 'done' | 'rejected' | 'unknown' | 'repeatable' {
	const ambiguous = repeat === 'once' ? 'unknown' : 'repeatable';
	if (attempt.kind === 'no-response') {
		if (attempt.aborted) return repeat === 'once' && attempt.left === 'maybe' ? 'unknown' : 'rejected';
		return attempt.left === 'no' ? 'repeatable' : ambiguous;
	}
	const { status, readable } = attempt;
	if (status >= 200 && status < 300) return readable ? 'done' : ambiguous;
	const rejects = status >= 300 && status < 500 && status !== 408;
	if (!rejects || (repeat === 'once' && !readable)) return ambiguous;
	return status === 429 ? 'repeatable' : 'rejected';
}

/**
 * Reads a Retry-After header: seconds or an HTTP date (RFC 9110, 10.2.3).
 * @param now current time, in milliseconds since 1970
 * @returns milliseconds to wait, or undefined if the header is missing or cannot be read
 * @example parseRetryAfter('2', Date.now()) // 2000
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
	const value = header?.trim();
	if (!value) return undefined;
	if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
	// Date.parse also accepts bare numbers and fragments, but an HTTP date always begins with a weekday.
	if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value)) return undefined;
	const date = Date.parse(value);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
