/** How long and how much is kept. */
export interface MemoryLimits {
	/** Time without use after which an execution is forgotten, in milliseconds. */
	readonly maxIdleMs: number;
	/** Entries kept in all; beyond it the execution that was not used for longest goes first, a running one never. */
	readonly maxEntries: number;
	/** Time without use up to which an execution counts as running: longer than any call and pause between tries. */
	readonly runningMs: number;
}

/** Keeps a map for each execution in this process, bounded in time and size. */
export class ExecutionCache<Entry> {
	readonly #executions = new Map<string, { readonly entries: Map<string, Entry>; lastUsed: number }>();

	constructor(
		private readonly limits: MemoryLimits,
		private readonly now: () => number = Date.now,
	) {}

	/** Number of entries kept now. */
	get size(): number {
		return [...this.#executions.values()].reduce((sum, { entries }) => sum + entries.size, 0);
	}

	/** The entries of an execution, which so counts as used. */
	of(executionId: string): Map<string, Entry> {
		const known = this.#executions.get(executionId);
		// Counting all is for new ones alone: it is done for every message otherwise.
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
