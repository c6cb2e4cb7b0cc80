import type { Outcome } from '../../../../shared';
import { BoundedMap } from '../../memory/boundedMap';

/** The outcome of a message. */
export interface Remembered {
	readonly outcome: Outcome<unknown>;
	/** Whether the outcome is from an earlier call, and no call was made now. */
	readonly repeated: boolean;
}

/** How long messages are remembered. Times are in milliseconds. */
export interface LedgerLimits {
	/** Maximum number of messages of all executions, and of all callers without one. */
	readonly maxSize: number;
	/** Idle time after which an execution is forgotten. */
	readonly maxIdleMs: number;
	/**
	 * Idle time within which an execution counts as running and is never forgotten: longer than any call or pause
	 * between tries.
	 */
	readonly inUseMs: number;
	/** How long a message of a caller without an execution is kept after its response. */
	readonly recentMs: number;
}

/**
 * An hour for executions. Five minutes for callers without one, because MCP clients repeat a call that times out: after
 * one minute by default, after four in some clients.
 */
export const LEDGER_LIMITS: LedgerLimits = {
	maxSize: 20_000,
	maxIdleMs: 60 * 60_000,
	inUseMs: 10 * 60_000,
	recentMs: 5 * 60_000,
};

/** The messages of one execution, or of all callers without one, by name. */
export interface Messages<Result> {
	/** The result, which may still be in flight. Undefined if nothing was sent. */
	get(name: string): Promise<Result> | undefined;
	/** Adds a message that is about to be sent. */
	add(name: string, result: Promise<Result>): void;
	/** Keeps a message that was accepted, or may have been. */
	keep(name: string, result: Promise<Result>): void;
	/** Forgets a message that was certainly not accepted. */
	delete(name: string): void;
}

/**
 * Keeps the results of messages in this process. n8n's Retry On Fail runs the whole node again, including items that
 * were already sent, and an agent or a client of n8n's MCP Server Trigger repeats a call. The second try gets the first
 * result instead of sending a second, paid message. Only a message that was certainly not accepted may be tried again.
 */
export class Ledger<Result> {
	readonly #executions: BoundedMap<Map<string, Promise<Result>>>;
	readonly #recent: BoundedMap<Promise<Result>>;

	constructor(
		private readonly limits: LedgerLimits = LEDGER_LIMITS,
		now?: () => number,
	) {
		this.#executions = new BoundedMap({ ...limits, sizeOf: ({ size }) => size }, now);
		this.#recent = new BoundedMap({ maxSize: limits.maxSize }, now);
	}

	/** Number of messages of executions. */
	get size(): number {
		return this.#executions.size;
	}

	/** The messages of an execution; without one, those of the last minutes. */
	of(executionId: string | undefined): Messages<Result> {
		if (!executionId) return this.#recentMessages;
		const messages = this.#executions.use(executionId, () => new Map());
		return {
			get: (name) => messages.get(name),
			add: (name, result) => messages.set(name, result),
			keep: () => undefined,
			delete: (name) => messages.delete(name),
		};
	}

	get #recentMessages(): Messages<Result> {
		return {
			get: (name) => this.#recent.get(name),
			add: (name, result) => this.#recent.set(name, result, Infinity),
			keep: (name, result) => this.#recent.set(name, result, this.limits.recentMs),
			delete: (name) => this.#recent.delete(name),
		};
	}
}

/** Says when an agent's message was sent first. */
export function whenOf(executionId: string | undefined): string {
	return executionId ? 'earlier in this execution' : `in the last ${LEDGER_LIMITS.recentMs / 60_000} minutes`;
}

/**
 * Makes a call, or returns the earlier outcome of the same message.
 * @param name names one intended message
 * @param make makes the call; never throws
 */
export async function once(
	messages: Messages<Outcome<unknown>>,
	name: string,
	make: () => Promise<Outcome<unknown>>,
): Promise<Remembered> {
	const known = messages.get(name);
	if (known) return { outcome: await known, repeated: true };
	const making = make();
	messages.add(name, making);
	const outcome = await making;
	if (outcome.outcome === 'rejected') messages.delete(name);
	else messages.keep(name, making);
	return { outcome, repeated: false };
}
