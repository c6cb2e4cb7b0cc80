import { BoundedMap } from '../../memory/boundedMap';

const HOUR_MS = 3_600_000;

/** The start times of the last 10,000 senders, newest last. */
const starts = new BoundedMap<readonly number[]>({ maxSize: 10_000 });

/** Whether a sender may start the workflow. */
export interface SenderStart {
	readonly allowed: boolean;
	/** Whether this is the first rejection after an allowed start, so that it is logged once. */
	readonly firstRejection: boolean;
}

/**
 * Counts a start of the workflow by a sender, if it is allowed.
 * @param key identifies the trigger and the sender
 * @param perHour maximum number of starts in any 60 minutes; 0 = no limit
 */
export function countStart(key: string, perHour: number): SenderStart {
	if (perHour <= 0) return { allowed: true, firstRejection: false };
	const now = Date.now();
	const reported = `${key} reported`;
	const recent = (starts.get(key) ?? []).filter((at) => at > now - HOUR_MS);
	if (recent.length >= perHour) {
		const firstRejection = starts.get(reported) === undefined;
		starts.set(reported, [], HOUR_MS);
		return { allowed: false, firstRejection };
	}
	starts.delete(reported);
	starts.set(key, [...recent, now], HOUR_MS);
	return { allowed: true, firstRejection: false };
}

/**
 * Removes the latest start of a sender, for an event that n8n did not accept.
 * @param key the same key as for {@link countStart}
 */
export function undoStart(key: string): void {
	const recent = starts.get(key);
	if (recent !== undefined) starts.set(key, recent.slice(0, -1), HOUR_MS);
}
