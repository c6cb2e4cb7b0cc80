import { LONGEST_RETRY_AFTER } from './schedule';

/** Failures in a row after which a receiver is paused. */
const PAUSE_AFTER = 5;

/** What to do with a receiver after a request. */
export type Verdict =
	| {
			readonly action: 'continue';
			readonly width: 'one' | 'full';
			/** Whether the receiver works again after a pause. */
			readonly isBack: boolean;
	  }
	| { readonly action: 'pause'; readonly forMs: number };

/**
 * Decides when a receiver that keeps failing is left alone. Deliveries that wait keep their attempts, except for one
 * probe after each pause.
 */
export class Pauses {
	readonly #probes: readonly number[];
	#failures = 0;
	#pauses = 0;

	/** @param probes seconds until the first, second, ... probe. The last one repeats */
	constructor(probes: readonly number[]) {
		this.#probes = probes;
	}

	/** A request succeeded, or failed in a way that shows that the receiver works. */
	succeeded(): Verdict {
		const isBack = this.#pauses > 0;
		this.#failures = 0;
		this.#pauses = 0;
		return { action: 'continue', width: 'full', isBack };
	}

	/**
	 * The receiver is away: no response, 404, 429 or 5xx.
	 * @param retryAfter seconds that it asked for. All events wait, because the next ones would get the same response.
	 */
	failed(retryAfter = 0): Verdict {
		this.#failures += 1;
		const isPaused = this.#failures >= PAUSE_AFTER || this.#pauses > 0;
		const pause = isPaused ? (this.#probes[this.#pauses] ?? this.#probes.at(-1) ?? 0) : 0;
		const seconds = Math.max(pause, Math.min(retryAfter, LONGEST_RETRY_AFTER));
		if (seconds === 0) return { action: 'continue', width: 'one', isBack: false };
		this.#pauses += 1;
		return { action: 'pause', forMs: seconds * 1000 };
	}
}

/** Whether a status shows that the receiver works. n8n responds 404 while it starts. */
export function isAlive(status: number | null): boolean {
	return status !== null && status < 500 && status !== 404 && status !== 408 && status !== 429;
}
