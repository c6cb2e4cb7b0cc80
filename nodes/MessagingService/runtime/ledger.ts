import type { Outcome } from '../../../shared';

interface Entry {
	readonly outcome: Promise<Outcome<unknown>>;
	readonly at: number;
}

/** How long and how many outcomes are kept. */
export interface LedgerLimits {
	/** Age at which an outcome is forgotten, in milliseconds. */
	readonly maxAgeMs: number;
	/** Number of outcomes kept; the oldest go first. */
	readonly maxEntries: number;
}

/**
 * Remembers what became of each intended message within this process. n8n's Retry On Fail runs the whole node
 * again, items that were already sent included; here the second try of the same item of the same run gets the first
 * outcome back instead of a second, paid message. Only what was certainly not accepted may be tried again.
 */
export class Ledger {
	readonly #entries = new Map<string, Entry>();

	constructor(
		private readonly limits: LedgerLimits,
		private readonly now: () => number = Date.now,
	) {}

	/** Number of outcomes kept now. */
	get size(): number {
		return this.#entries.size;
	}

	/**
	 * Makes the call, or gives the outcome that the same key had before.
	 * @param key names the intended message, not its content: a text with the time in it must not defeat it
	 * @param make makes the call; never throws
	 */
	async once(key: string, make: () => Promise<Outcome<unknown>>): Promise<Outcome<unknown>> {
		this.#forget();
		const known = this.#entries.get(key);
		if (known) return await known.outcome;
		const outcome = make();
		this.#entries.set(key, { outcome, at: this.now() });
		const settled = await outcome;
		if (settled.outcome === 'rejected') this.#entries.delete(key);
		return settled;
	}

	#forget(): void {
		const oldest = this.now() - this.limits.maxAgeMs;
		for (const [key, { at }] of this.#entries) {
			if (at >= oldest && this.#entries.size < this.limits.maxEntries) break;
			this.#entries.delete(key);
		}
	}
}
