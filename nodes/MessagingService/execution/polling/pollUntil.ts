import { CanceledError, ConnectionError, RateLimitError, type Outcome, type ServiceError } from '../../../../shared';

/** How and for how long to poll. Times are in milliseconds. */
export interface Polling<Output> {
	/** Makes one request. Returns a `CanceledError` after the run has ended. */
	readonly ask: () => Promise<Outcome<Output>>;
	/** Whether this output ends the polling. */
	readonly isFinal: (output: Output) => boolean;
	/** Returns further fields of the result, derived from the service's fields. */
	readonly describe?: (output: Output) => object;
	/** The time limit. With 0 there is one request. */
	readonly limitMs: number;
	/** Waits. Rejects as soon as the run ends. */
	readonly sleep: (milliseconds: number) => Promise<void>;
	/** The current time, on the clock that `sleep` uses. */
	readonly now: () => number;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Polls until the output is final or the time is up, with pauses that double up to 30 seconds. It also waits for a
 * service that cannot be reached for a while or asks to slow down.
 * @returns the last output with `timed_out`; a failure if there was no output, or if another request would not help
 */
export async function pollUntil<Output>(polling: Polling<Output>): Promise<Outcome<{ readonly timed_out: boolean }>> {
	const { ask, isFinal, describe, sleep, now, limitMs } = polling;
	const end = now() + limitMs;
	let last: Outcome<{ readonly timed_out: boolean }> | undefined;
	for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
		const requested = await ask();
		if (requested.outcome === 'accepted') {
			const timed_out = !isFinal(requested.output);
			last = {
				outcome: 'accepted',
				output: { ...(Object(requested.output) as object), ...describe?.(requested.output), timed_out },
			};
			if (!timed_out) return last;
		} else {
			if (!passes(requested.error)) return requested;
			last ??= requested;
		}
		const left = end - now();
		if (left <= 0) return last;
		const wanted = requested.outcome === 'accepted' ? pause : Math.max(pause, requested.error.retryAfterMs ?? 0);
		// If the run has ended, the next request returns that.
		await sleep(Math.min(wanted, left)).catch(() => undefined);
	}
}

/** Whether a later request may succeed. */
function passes(error: ServiceError): boolean {
	if (error instanceof CanceledError) return false;
	return error instanceof ConnectionError || error instanceof RateLimitError || (error.status ?? 0) >= 500;
}
