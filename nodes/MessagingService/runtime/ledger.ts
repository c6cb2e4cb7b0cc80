import type { Outcome } from '../../../shared';
import { BoundedMap } from './webhook/boundedMap';
import { ExecutionCache, type MemoryLimits } from './executionCache';

/** What became of a message that was asked for. */
export interface Remembered {
	readonly outcome: Outcome<unknown>;
	/** Whether the outcome is that of an earlier call, and nothing was called now. */
	readonly repeated: boolean;
}

/**
 * Remembers what became of each intended message within this process. n8n's Retry On Fail runs the whole node
 * again, items that were already sent included; here the second try of the same item of the same run gets the first
 * outcome back instead of a second, paid message. Only what was certainly not accepted may be tried again.
 */
export class Ledger {
	readonly #outcomes: ExecutionCache<Promise<Outcome<unknown>>>;

	constructor(limits: MemoryLimits, now?: () => number) {
		this.#outcomes = new ExecutionCache(limits, now);
	}

	/** Number of outcomes kept now. */
	get size(): number {
		return this.#outcomes.size;
	}

	/** What became of a message; undefined if it was not called, or was certainly rejected. */
	get(executionId: string, message: string): Promise<Outcome<unknown>> | undefined {
		return this.#outcomes.of(executionId).get(message);
	}

	/** Whether the call was made, or is in flight, and was not certainly rejected. */
	knows(executionId: string, message: string): boolean {
		return this.#outcomes.of(executionId).has(message);
	}

	/**
	 * Makes the call, or gives the outcome that the same message had before.
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
 * Remembers messages for a time, for callers that have no execution: a client of n8n's MCP Server Trigger that gets no
 * response in time makes the same call again.
 */
export class RecentMessages {
	readonly #outcomes: BoundedMap<Promise<Outcome<unknown>>>;

	/**
	 * @param windowMs how long a message is remembered after its response, in milliseconds
	 * @param capacity most messages that are remembered
	 */
	constructor(
		private readonly windowMs: number,
		capacity: number,
		private readonly now: () => number = () => Date.now(),
	) {
		this.#outcomes = new BoundedMap(capacity);
	}

	/** Whether the call was made within the window, or is in flight, and was not certainly rejected. */
	knows(message: string): boolean {
		return this.#outcomes.get(message, this.now()) !== undefined;
	}

	/** Makes the call, or gives the outcome that the same message had within the window; `make` never throws. */
	async once(message: string, make: () => Promise<Outcome<unknown>>): Promise<Remembered> {
		const known = this.#outcomes.get(message, this.now());
		if (known) return { outcome: await known, repeated: true };
		const making = make();
		this.#outcomes.set(message, making, Infinity);
		const outcome = await making;
		if (outcome.outcome === 'rejected') this.#outcomes.delete(message);
		else this.#outcomes.set(message, making, this.now() + this.windowMs);
		return { outcome, repeated: false };
	}
}
