import { BoundedMap } from './boundedMap';

const HOUR_MS = 3_600_000;

/** When each of the last 10,000 senders started something, newest last. */
const starts = new BoundedMap<readonly number[]>(10_000);

/** Whether a sender may start something once more within this hour. */
export interface SenderStart {
	readonly allowed: boolean;
	/** Whether it is the first refusal since one was allowed, and so worth a line in the log. */
	readonly firstRefusal: boolean;
}

/**
 * Counts a start by a sender, if it is allowed.
 * @param key of the trigger and the sender
 * @param perHour most starts in any 60 minutes; 0 = no limit
 */
export function countStart(key: string, perHour: number): SenderStart {
	if (perHour <= 0) return { allowed: true, firstRefusal: false };
	const now = Date.now();
	const reported = `${key} told`;
	const recent = (starts.get(key, now) ?? []).filter((at) => at > now - HOUR_MS);
	if (recent.length >= perHour) {
		const firstRejection = starts.get(reported, now) === undefined;
		starts.set(reported, [], now + HOUR_MS);
		return { allowed: false, firstRefusal: firstRejection };
	}
	starts.delete(reported);
	starts.set(key, [...recent, now], now + HOUR_MS);
	return { allowed: true, firstRefusal: false };
}

/**
 * Takes back the latest start of a sender, for an event that n8n did not accept.
 * @param key as it was given to {@link countStart}
 */
export function undoStart(key: string): void {
	const now = Date.now();
	const recent = starts.get(key, now);
	if (recent !== undefined) starts.set(key, recent.slice(0, -1), now + HOUR_MS);
}
