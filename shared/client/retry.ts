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
	| { readonly kind: 'no-response'; readonly left: 'no' | 'maybe'; readonly aborted: boolean };

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

/**
 * The next step after an attempt.
 * @example const waits = (decision: RetryDecision) => decision.next === 'retry';
 */
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

	const stop: RetryDecision = { next: 'rejected' };
	if (number >= policy.attempts) return stop;
	const retryAfterMs = attempt.kind === 'response' ? attempt.retryAfterMs : undefined;
	const backoff = random * Math.min(policy.longestWaitMs, policy.baseMs * 2 ** (number - 1));
	// Treat `Retry-After: 0` as absent, or the call would be repeated at once.
	const waitMs = retryAfterMs ? retryAfterMs : backoff;
	if (waitMs > policy.longestWaitMs || elapsedMs + waitMs > policy.budgetMs) return stop;
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
