/** Seconds after the first, second, ... failed attempt: three days in all. */
export const SCHEDULE = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 64_800, 86_400];

/** The same for an opt-out to the service, which has to arrive soon after the service is back. The last one repeats. */
export const OPT_OUT_SCHEDULE = [5, 30, 120, 240];

/** How often an opt-out is attempted at most: also three days. */
const MOST_OPT_OUT_ATTEMPTS = 1_080;

/** Most that a Retry-After header can ask for, in seconds. */
export const LONGEST_RETRY_AFTER = 3_600;

/**
 * When a failed delivery is attempted again.
 * @param attempts failed ones, including the last
 * @param options `retryAfter`: seconds that the receiver asked for; `isOptOut`: an opt-out to the service
 * @returns undefined if it has failed for good
 */
export function nextAttempt(
	attempts: number,
	now: Date,
	{ retryAfter = 0, isOptOut = false }: { readonly retryAfter?: number; readonly isOptOut?: boolean } = {},
): Date | undefined {
	const seconds = isOptOut ? optOutSeconds(attempts) : SCHEDULE[attempts - 1];
	if (seconds === undefined) return undefined;
	// Jitter, so that many deliveries that failed together do not return together.
	const wait = Math.max(seconds * (0.9 + Math.random() * 0.2), Math.min(retryAfter, LONGEST_RETRY_AFTER));
	return new Date(now.getTime() + wait * 1000);
}

function optOutSeconds(attempts: number): number | undefined {
	return attempts >= MOST_OPT_OUT_ATTEMPTS
		? undefined
		: OPT_OUT_SCHEDULE[Math.min(attempts, OPT_OUT_SCHEDULE.length) - 1];
}
