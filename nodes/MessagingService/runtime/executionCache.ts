/** Limits of a cache. */
export interface MemoryLimits {
	/** Idle time after which an execution is removed, in milliseconds. */
	readonly maxIdleMs: number;
	/**
	 * Maximum number of entries. Above it, the least recently used execution is removed first, but never a running one.
	 */
	readonly maxEntries: number;
	/**
	 * Idle time within which an execution counts as running, in milliseconds: longer than any call or pause between
	 * tries.
	 */
	readonly runningMs: number;
}

/** Keeps a map for each execution in this process, limited in time and size. */
export class ExecutionCache<Entry> {
	readonly #executions = new Map<string, { readonly entries: Map<string, Entry>; lastUsed: number }>();

	constructor(
		private readonly limits: MemoryLimits,
		private readonly now: () => number = Date.now,
	) {}

	/** Number of entries. */
	get size(): number {
		return [...this.#executions.values()].reduce((sum, { entries }) => sum + entries.size, 0);
	}

	/** Returns the entries of an execution and marks it as used. */
	of(executionId: string): Map<string, Entry> {
		const known = this.#executions.get(executionId);
		// Only for a new execution: this counts all entries and would otherwise run for every message.
		if (!known) this.#forget();
		const execution = known ?? { entries: new Map<string, Entry>(), lastUsed: 0 };
		execution.lastUsed = this.now();
		// Moved to the end: the map is in order of last use.
		this.#executions.delete(executionId);
		this.#executions.set(executionId, execution);
		return execution.entries;
	}

	#forget(): void {
		const { maxIdleMs, maxEntries, runningMs } = this.limits;
		const now = this.now();
		let { size } = this;
		for (const [executionId, { entries, lastUsed }] of this.#executions) {
			const idleMs = now - lastUsed;
			if (idleMs <= maxIdleMs && (size < maxEntries || idleMs < runningMs)) break;
			this.#executions.delete(executionId);
			size -= entries.size;
		}
	}
}
