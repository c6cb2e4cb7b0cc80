import { nowOf, TransportError, type HttpResponse, type Transport } from '../transport';
import { parseRetryAfter } from './retry';

/** Limits for the rate of requests. */
export interface ThrottleOptions {
	/** Maximum requests per second. Default: no limit. */
	readonly perSecond?: number;
	/** First pause after a 429 without a Retry-After header, in milliseconds. Doubles with each further one. */
	readonly basePauseMs: number;
	/** Maximum pause, in milliseconds. */
	readonly longestPauseMs: number;
}

/**
 * Creates a transport with one rate limit for all requests (docs/api.md#rate-limits): they leave evenly spaced, and all
 * wait when the service rejects one of them with 429.
 * @example const transport = throttledTransport(undiciTransport(), { perSecond: 10, basePauseMs: 500, longestPauseMs: 30_000 });
 */
export function throttledTransport(transport: Transport, options: ThrottleOptions): Transport {
	const now = () => nowOf(transport);
	const spacingMs = options.perSecond === undefined ? 0 : 1000 / options.perSecond;
	let nextSlot = 0;
	let pausedUntil = 0;
	let rejections = 0;

	async function waitForSlot(signal: AbortSignal | undefined): Promise<void> {
		for (;;) {
			const wait = Math.max(nextSlot, pausedUntil) - now();
			if (wait <= 0) break;
			await transport.sleep(wait, signal).catch(() => {
				throw new TransportError('The request was canceled', 'no', undefined, true);
			});
		}
		nextSlot = Math.max(nextSlot, now()) + spacingMs;
	}

	function slowDown({ status, headers }: HttpResponse): void {
		if (status !== 429) {
			rejections = 0;
			return;
		}
		const retryAfterMs = parseRetryAfter(headers['retry-after'], Date.now());
		// Rejections of requests that left before the pause count as one. But the longest Retry-After counts.
		if (!retryAfterMs && now() < pausedUntil) return;
		const pause = retryAfterMs ? retryAfterMs : options.basePauseMs * 2 ** rejections++;
		pausedUntil = Math.max(pausedUntil, now() + Math.min(options.longestPauseMs, pause));
	}

	return {
		send: async (request) => {
			await waitForSlot(request.waitSignal ?? request.signal);
			const response = await transport.send(request);
			slowDown(response);
			return response;
		},
		sleep: (milliseconds, signal) => transport.sleep(milliseconds, signal),
		now,
	};
}
