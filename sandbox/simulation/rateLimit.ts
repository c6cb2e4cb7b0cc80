import type { Clock } from './clock';

/** Rate limit per key (docs/api.md#rate-limits; the limits are not documented). */
export interface RateLimit {
	/**
	 * Counts a request.
	 * @param key ID of its API key
	 * @returns undefined if the request is allowed, otherwise the seconds to wait, a whole number
	 */
	take(key: number): number | undefined;
	/** Forgets all requests. */
	reset(): void;
}

/**
 * Creates a token bucket per key. It holds the requests of one second (at least one) and refills steadily.
 * @param perSecond returns the allowed requests per second, read for each request
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
