import { presentOf, TransportError, type HttpResponse, type Transport } from '../transport';
import { parseRetryAfter } from './retry';

/** How fast calls may follow each other. */
export interface ThrottleOptions {
	/** Most requests that leave in a second; no limit unless given. */
	readonly perSecond?: number;
	/** First pause after a 429 that names no time, in milliseconds; doubles with each further one. */
	readonly basePauseMs: number;
	/** Longest pause, in milliseconds. */
	readonly longestPauseMs: number;
}

/**
 * Makes a transport through which all calls leave at one pace: evenly spaced, and together waiting when the service
 * asks any one of them to slow down (429).
 */
export function throttledTransport(transport: Transport, options: ThrottleOptions): Transport {
	const now = () => presentOf(transport);
	const spacingMs = options.perSecond === undefined ? 0 : 1000 / options.perSecond;
	let nextSlot = 0;
	let pausedUntil = 0;
	let refusals = 0;

	async function turn(signal: AbortSignal | undefined): Promise<void> {
		for (;;) {
			const wait = Math.max(nextSlot, pausedUntil) - now();
			if (wait <= 0) break;
			await transport.sleep(wait, signal).catch(() => {
				throw new TransportError('The call was cancelled', 'no', undefined, true);
			});
		}
		nextSlot = Math.max(nextSlot, now()) + spacingMs;
	}

	function learn({ status, headers }: HttpResponse): void {
		if (status !== 429) {
			refusals = 0;
			return;
		}
		const asked = parseRetryAfter(headers['retry-after'], Date.now());
		// Those that left before a pause began are one refusal, not many; but the longest time that is asked for counts.
		if (!asked && now() < pausedUntil) return;
		const pause = asked ? asked : options.basePauseMs * 2 ** refusals++;
		pausedUntil = Math.max(pausedUntil, now() + Math.min(options.longestPauseMs, pause));
	}

	return {
		send: async (request) => {
			await turn(request.waitSignal ?? request.signal);
			const response = await transport.send(request);
			learn(response);
			return response;
		},
		sleep: (milliseconds, signal) => transport.sleep(milliseconds, signal),
		now,
	};
}
