/** Seconds after the first, second, ... failed attempt: three days in all. */
const SCHEDULE = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 64_800, 86_400];

/** Most that a Retry-After header can ask for, in seconds. */
const LONGEST_RETRY_AFTER = 3_600;

/**
 * When a failed delivery is attempted again.
 * @param attempts failed ones, including the last
 * @param retryAfter seconds that the receiver asked for
 * @returns undefined if it has failed for good
 */
export function nextAttempt(attempts: number, now: Date, retryAfter = 0): Date | undefined {
	const seconds = SCHEDULE[attempts - 1];
	if (seconds === undefined) return undefined;
	// Jitter, so that many deliveries that failed together do not return together.
	const wait = Math.max(seconds * (0.9 + Math.random() * 0.2), Math.min(retryAfter, LONGEST_RETRY_AFTER));
	return new Date(now.getTime() + wait * 1000);
}
