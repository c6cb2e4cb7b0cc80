import type { DeliveryResult } from '../store/callbacks';

/** Delay of the next attempt after each failed one, in milliseconds of the sandbox's clock. */
export const RETRY_AFTER_MS: readonly number[] = [5_000, 30_000, 120_000, 600_000, 3_600_000];

/** HTTP status of a receiver that is gone for good. */
export const GONE = 410;

/**
 * Decides between delivered, given up and the next attempt.
 * @param attempts number of earlier attempts
 * @param now milliseconds since 1970 UTC
 */
export function nextAttempt(
	attempts: number,
	{ httpStatus, problem }: { readonly httpStatus: number | null; readonly problem: string | null },
	now: number,
): DeliveryResult {
	if (problem === null) return { status: 'delivered' };
	const wait = httpStatus === GONE ? undefined : RETRY_AFTER_MS[attempts];
	return wait === undefined ? { status: 'given_up' } : { status: 'waiting', dueAt: now + wait };
}
