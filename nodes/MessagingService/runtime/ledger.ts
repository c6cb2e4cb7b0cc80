import type { Outcome } from '../../../shared';

interface Execution {
	readonly outcomes: Map<string, Promise<Outcome<unknown>>>;
	lastUsed: number;
}

/** How long and how much is kept. */
export interface LedgerLimits {
	/** Time without use after which an execution is forgotten, in milliseconds. */
	readonly maxIdleMs: number;
	/** Outcomes kept in all; beyond it the execution that was not used for longest goes first, the running one never. */
	readonly maxOutcomes: number;
}

/**
 * Remembers what became of each intended message within this process. n8n's Retry On Fail runs the whole node
 * again, items that were already sent included; here the second try of the same item of the same run gets the first
 * outcome back instead of a second, paid message. Only what was certainly not accepted may be tried again.
 */
export class Ledger {
	readonly #executions = new Map<string, Execution>();

	constructor(
		private readonly limits: LedgerLimits,
		private readonly now: () => number = Date.now,
	) {}

	/** Number of outcomes kept now. */
	get size(): number {
		return [...this.#executions.values()].reduce((sum, { outcomes }) => sum + outcomes.size, 0);
	}

	/**
	 * Makes the call, or gives the outcome that the same message had before.
	 * @param message names one intended message within the execution
	 * @param make makes the call; never throws
	 * @returns the outcome, and whether it is an earlier one
	 */
	async once(
		executionId: string,
		message: string,
		make: () => Promise<Outcome<unknown>>,
	): Promise<{ outcome: Outcome<unknown>; repeated: boolean }> {
		const { outcomes } = this.#use(executionId);
		const known = outcomes.get(message);
		if (known) return { outcome: await known, repeated: true };
		const making = make();
		outcomes.set(message, making);
		const outcome = await making;
		if (outcome.outcome === 'rejected') outcomes.delete(message);
		return { outcome, repeated: false };
	}

	/** Moves an execution to the end of the map, which is so in order of last use. */
	#use(executionId: string): Execution {
		const execution = this.#executions.get(executionId) ?? { outcomes: new Map(), lastUsed: 0 };
		execution.lastUsed = this.now();
		this.#executions.delete(executionId);
		this.#forget();
		this.#executions.set(executionId, execution);
		return execution;
	}

	#forget(): void {
		const oldest = this.now() - this.limits.maxIdleMs;
		for (const [executionId, { lastUsed }] of this.#executions) {
			if (lastUsed >= oldest && this.size < this.limits.maxOutcomes) break;
			this.#executions.delete(executionId);
		}
	}
}
