import type { Retry } from '../waits';

/** How often an opt-out is attempted at most: three days, like other deliveries. */
const MOST_OPT_OUT_ATTEMPTS = 1_080;

/** Most that a Retry-After header can ask for, in seconds. */
export const LONGEST_RETRY_AFTER = 3_600;

/**
 * When a failed delivery is attempted again.
 * @param retry the schedules
 * @param attempts failed ones, including the last
 * @param options `retryAfter`: seconds that the receiver asked for; `isOptOut`: an opt-out to the service
 * @returns undefined if it has failed for good
 */
export function nextAttempt(
	{ schedule, optOutSchedule }: Pick<Retry, 'schedule' | 'optOutSchedule'>,
	attempts: number,
	now: Date,
	{ retryAfter = 0, isOptOut = false }: { readonly retryAfter?: number; readonly isOptOut?: boolean } = {},
): Date | undefined {
	const seconds = isOptOut ? optOutSeconds(optOutSchedule, attempts) : schedule[attempts - 1];
	if (seconds === undefined) return undefined;
	// Jitter, so that many deliveries that failed together do not return together.
	const wait = Math.max(seconds * (0.9 + Math.random() * 0.2), Math.min(retryAfter, LONGEST_RETRY_AFTER));
	return new Date(now.getTime() + wait * 1000);
}

function optOutSeconds(schedule: readonly number[], attempts: number): number | undefined {
	return attempts >= MOST_OPT_OUT_ATTEMPTS ? undefined : schedule[Math.min(attempts, schedule.length) - 1];
}
