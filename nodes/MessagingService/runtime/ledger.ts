import type { Outcome } from '../../../shared';
import { BoundedMap } from './boundedMap';
import { ExecutionCache, type MemoryLimits } from './executionCache';

/** The outcome of a message. */
export interface Remembered {
	readonly outcome: Outcome<unknown>;
	/** Whether the outcome is from an earlier call, and no call was made now. */
	readonly repeated: boolean;
}

/**
 * Keeps the outcome of each intended message in this process. n8n's Retry On Fail runs the whole node again, including
 * items that were already sent. The second try of an item gets the first outcome back instead of sending a second, paid
 * message. Only a message that was certainly not accepted may be tried again.
 */
export class Ledger {
	readonly #outcomes: ExecutionCache<Promise<Outcome<unknown>>>;

	constructor(limits: MemoryLimits, now?: () => number) {
		this.#outcomes = new ExecutionCache(limits, now);
	}

	/** Number of outcomes. */
	get size(): number {
		return this.#outcomes.size;
	}

	/** The outcome of a message. Undefined if no call was made, or if it was certainly rejected. */
	get(executionId: string, message: string): Promise<Outcome<unknown>> | undefined {
		return this.#outcomes.of(executionId).get(message);
	}

	/** Whether the call was made, or is in flight, and was not certainly rejected. */
	knows(executionId: string, message: string): boolean {
		return this.#outcomes.of(executionId).has(message);
	}

	/**
	 * Makes the call, or returns the earlier outcome of the same message.
	 * @param message names one intended message within the execution
	 * @param make makes the call; never throws
	 */
	async once(executionId: string, message: string, make: () => Promise<Outcome<unknown>>): Promise<Remembered> {
		const outcomes = this.#outcomes.of(executionId);
		const known = outcomes.get(message);
		if (known) return { outcome: await known, repeated: true };
		const making = make();
		outcomes.set(message, making);
		const outcome = await making;
		if (outcome.outcome === 'rejected') outcomes.delete(message);
		return { outcome, repeated: false };
	}
}

/**
 * Keeps outcomes for a time, for callers that have no execution. A client of n8n's MCP Server Trigger repeats a call
 * that timed out.
 */
export class RecentMessages {
	readonly #outcomes: BoundedMap<Promise<Outcome<unknown>>>;

	/**
	 * @param windowMs how long an outcome is kept after its response, in milliseconds
	 * @param capacity maximum number of outcomes
	 */
	constructor(
		private readonly windowMs: number,
		capacity: number,
		now?: () => number,
	) {
		this.#outcomes = new BoundedMap(capacity, now);
	}

	/** Whether the call was made within the window, or is in flight, and was not certainly rejected. */
	knows(message: string): boolean {
		return this.#outcomes.get(message) !== undefined;
	}

	/** Makes the call, or returns the outcome of the same message within the window. `make` never throws. */
	async once(message: string, make: () => Promise<Outcome<unknown>>): Promise<Remembered> {
		const known = this.#outcomes.get(message);
		if (known) return { outcome: await known, repeated: true };
		const making = make();
		this.#outcomes.set(message, making, Infinity);
		const outcome = await making;
		if (outcome.outcome === 'rejected') this.#outcomes.delete(message);
		else this.#outcomes.set(message, making, this.windowMs);
		return { outcome, repeated: false };
	}
}
