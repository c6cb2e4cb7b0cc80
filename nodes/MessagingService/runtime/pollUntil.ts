import { CanceledError, ConnectionError, RateLimitError, type Outcome, type ServiceError } from '../../../shared';

/** What is asked for again and again, and until when. Times in milliseconds. */
export interface Polling<Output> {
	/** Asks once; gives a `CanceledError` once the run has ended. */
	readonly ask: () => Promise<Outcome<Output>>;
	/** Whether nothing more is to be waited for. */
	readonly isFinal: (output: Output) => boolean;
	/** Gives fields of the result that are made from those of the service. */
	readonly describe?: (output: Output) => object;
	/** Time after which the last answer counts; with 0 it is asked once. */
	readonly limitMs: number;
	/** Waits; rejects as soon as the run ends. */
	readonly sleep: (milliseconds: number) => Promise<void>;
	/** The present, by the clock that `sleep` follows. */
	readonly now: () => number;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Asks until the answer is final or the time is up, with pauses that double up to half a minute. A service that cannot
 * be reached for a while, or asks to slow down, is waited for as well.
 * @returns the last answer with `timed_out`; a failure where there was no answer at all, or where asking again is of
 * no use
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
		// Where the run has ended meanwhile, asking again tells so.
		await sleep(Math.min(wanted, left)).catch(() => undefined);
	}
}

/** Whether the failure may be over a little later. */
function passes(error: ServiceError): boolean {
	if (error instanceof CanceledError) return false;
	return error instanceof ConnectionError || error instanceof RateLimitError || (error.status ?? 0) >= 500;
}
