import type { Clock } from './clock';

/** Counts the requests of each key (docs/api.md#rate-limits; the thresholds are not shown there). */
export interface RateLimit {
	/**
	 * Lets a request through or not.
	 * @param key id of the key that it comes with
	 * @returns undefined where it may go on, else after how many whole seconds the next one may
	 */
	take(key: number): number | undefined;
	/** Forgets all requests so far. */
	reset(): void;
}

/**
 * Makes a token bucket for each key: it holds as many requests as a second allows (at least one) and refills steadily.
 * @param perSecond how many requests a second are allowed, asked anew for each request
 */
export function createRateLimit(clock: Clock, perSecond: () => number): RateLimit {
	const buckets = new Map<number, { tokens: number; at: number }>();
	return {
		take: (key) => {
			const rate = perSecond();
			const size = Math.max(1, rate);
			const now = clock.now();
			const bucket = buckets.get(key) ?? { tokens: size, at: now };
			const refill = (Math.max(0, now - bucket.at) / 1000) * rate;
			const tokens = Math.min(size, bucket.tokens + refill);
			const admitted = tokens >= 1;
			buckets.set(key, { tokens: admitted ? tokens - 1 : tokens, at: now });
			return admitted ? undefined : Math.max(1, Math.ceil((1 - tokens) / rate));
		},
		reset: () => buckets.clear(),
	};
}
