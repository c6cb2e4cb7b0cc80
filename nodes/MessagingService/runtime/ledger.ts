import type { Outcome } from '../../../shared';
import { PerExecution, type MemoryLimits } from './perExecution';

/**
 * Remembers what became of each intended message within this process. n8n's Retry On Fail runs the whole node
 * again, items that were already sent included; here the second try of the same item of the same run gets the first
 * outcome back instead of a second, paid message. Only what was certainly not accepted may be tried again.
 */
export class Ledger {
	readonly #outcomes: PerExecution<Promise<Outcome<unknown>>>;

	constructor(limits: MemoryLimits, now?: () => number) {
		this.#outcomes = new PerExecution(limits, now);
	}

	/** Number of outcomes kept now. */
	get size(): number {
		return this.#outcomes.size;
	}

	/** Whether the call was made, or is under way, and was not certainly refused. */
	knows(executionId: string, message: string): boolean {
		return this.#outcomes.of(executionId).has(message);
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
