/** How long and how much is kept. */
export interface MemoryLimits {
	/** Time without use after which an execution is forgotten, in milliseconds. */
	readonly maxIdleMs: number;
	/** Entries kept in all; beyond it the execution that was not used for longest goes first, the running one never. */
	readonly maxEntries: number;
}

/** Keeps a map for each execution in this process, bounded in time and size. */
export class PerExecution<Entry> {
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
		const execution = this.#executions.get(executionId) ?? { entries: new Map<string, Entry>(), lastUsed: 0 };
		execution.lastUsed = this.now();
		// Moved to the end: the map is in order of last use.
		this.#executions.delete(executionId);
		this.#forget();
		this.#executions.set(executionId, execution);
		return execution.entries;
	}

	#forget(): void {
		const oldest = this.now() - this.limits.maxIdleMs;
		for (const [executionId, { lastUsed }] of this.#executions) {
			if (lastUsed >= oldest && this.size < this.limits.maxEntries) break;
			this.#executions.delete(executionId);
		}
	}
}
