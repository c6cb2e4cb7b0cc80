import { BoundedMap } from '../boundedMap';

/** Webhooks that this process has seen. 20,000 entries need about 3 MB. */
const seen = new BoundedMap<true>(20_000);

/**
 * Marks a webhook as seen. It is synchronous, so of concurrent duplicates exactly one wins.
 * @param key {@link fingerprint} of the trigger and the fields that identify the event
 * @param forMs how long duplicates are recognized, in milliseconds; 0 = never
 * @returns whether it is the first one
 */
export function markSeen(key: string, forMs: number): boolean {
	if (forMs <= 0) return true;
	if (seen.get(key)) return false;
	seen.set(key, true, forMs);
	return true;
}

/** Forgets a webhook, so that its duplicate counts as new. */
export function unmarkSeen(key: string): void {
	seen.delete(key);
}
