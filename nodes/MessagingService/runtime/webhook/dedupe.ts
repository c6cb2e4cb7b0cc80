import { BoundedMap } from './boundedMap';

/** What was taken by this process; 20,000 posts take about 3 MB. */
const taken = new BoundedMap<true>(20_000);

/**
 * Takes a post for oneself. Nothing is awaited in between, so of the same post arriving many times at once one is taken.
 * @param key {@link fingerprint} of the trigger and of what makes two posts the same
 * @param forMs how long the same is known again, in milliseconds; 0 = never
 * @returns whether it is the first
 */
export function markSeen(key: string, forMs: number): boolean {
	const now = Date.now();
	if (forMs <= 0) return true;
	if (taken.get(key, now)) return false;
	taken.set(key, true, now + forMs);
	return true;
}

/** Lets the same be taken again: it was not acted on. */
export function unmarkSeen(key: string): void {
	taken.delete(key);
}
