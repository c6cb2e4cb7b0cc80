import type { Repeat } from '../contract/endpoint';

/** What became of one attempt of a call. */
export type Attempt =
	| {
			readonly kind: 'answer';
			readonly status: number;
			/** Whether the response says clearly what became of the call. */
			readonly readable: boolean;
			readonly retryAfterMs?: number;
	  }
	| { readonly kind: 'no-answer'; readonly left: 'no' | 'maybe'; readonly aborted: boolean };

/** How often and how long a call is tried. Times in milliseconds. */
export interface RetryPolicy {
	/** Attempts in all, the first included. */
	readonly attempts: number;
	/** Time after which no further attempt is begun; one that is under way goes on until its own limit. */
	readonly budgetMs: number;
	/** Ceiling of the first exponential wait; it doubles with every further one. */
	readonly baseMs: number;
	/** Longest single wait; a longer Retry-After ends the call at once. */
	readonly longestWaitMs: number;
}

/** Retry policy of a client that is given none. */
export const defaultRetryPolicy: RetryPolicy = {
	attempts: 4,
	budgetMs: 60_000,
	baseMs: 500,
	longestWaitMs: 30_000,
};

/** What to do after an attempt. */
export type RetryDecision =
	| { readonly next: 'done' }
	| { readonly next: 'rejected' }
	| { readonly next: 'unknown' }
	| { readonly next: 'retry'; readonly waitMs: number };

/**
 * Decides what follows an attempt; pure, so that its rules can be tested exhaustively (decision 4).
 * @param repeat whether the call may be repeated once it may have been accepted
 * @param attempt what happened
 * @param number which attempt that was, from 1
 * @param elapsedMs time since the first attempt began
 * @param random a number from 0 up to 1, for full jitter
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
	const asked = attempt.kind === 'answer' ? attempt.retryAfterMs : undefined;
	const backoff = random * Math.min(policy.longestWaitMs, policy.baseMs * 2 ** (number - 1));
	// Asked not to wait at all, it would be asked again at once.
	const waitMs = asked ? asked : backoff;
	if (waitMs > policy.longestWaitMs || elapsedMs + waitMs > policy.budgetMs) return stop;
	return { next: 'retry', waitMs };
}

function classify(repeat: Repeat, attempt: Attempt): 'done' | 'rejected' | 'unknown' | 'repeatable' {
	const ambiguous = repeat === 'once' ? 'unknown' : 'repeatable';
	if (attempt.kind === 'no-answer') {
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
 * @param now the present, in milliseconds since 1970
 * @returns milliseconds to wait, or undefined where the header is missing or means nothing
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
	const value = header?.trim();
	if (!value) return undefined;
	if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
	// Date.parse also takes bare numbers and fragments as dates; an HTTP date always names a weekday.
	if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value)) return undefined;
	const date = Date.parse(value);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
