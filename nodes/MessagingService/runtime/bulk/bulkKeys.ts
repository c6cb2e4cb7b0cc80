import { InputError, type Outcome } from '../../../../shared';
import type { Reservation } from '../reservation';
import type { Run } from '../operation';
import { usedKeyRow, type UsedKeyRow } from '../sendOnce';
import type { BulkItems } from './bulkPlan';
import type { BulkAttempt } from './attempts';

/**
 * Decides by their Send Once Keys which items of a bulk send go out, and when: of items that share a key the first one, and the
 * next one only if certainly nothing was accepted for those before it.
 */
export class BulkKeys {
	readonly #held: Map<string, number>;
	readonly #used: Map<number, UsedKeyRow>;
	readonly #gone = new Set<number>();

	constructor(
		private readonly run: Run,
		private readonly ask: BulkItems,
		before: BulkAttempt | undefined,
	) {
		this.#held = new Map(before?.held);
		this.#used = new Map(before?.used);
		for (const index of ask.items.keys()) {
			const key = this.#keyOf(index);
			const holder = key === undefined ? undefined : this.#held.get(key);
			if (key === undefined || holder === undefined || holder === index || this.#used.has(index)) continue;
			this.#used.set(index, usedKeyRow(run, key));
		}
	}

	/** Keys that the run holds, and the item that each was used for. */
	get held(): ReadonlyMap<string, number> {
		return this.#held;
	}

	/** The rows of items that are not sent because their key was used. */
	get used(): ReadonlyMap<number, UsedKeyRow> {
		return this.#used;
	}

	/** What is to be admitted: undefined for an item that cannot be read, is not sent, or whose key the run holds. */
	get candidates(): ReadonlyArray<{ readonly sendOnceKey?: string } | undefined> {
		return this.ask.items.map((item, index) => {
			if (item instanceof InputError || this.#used.has(index)) return undefined;
			return this.#heldBy(index) ? undefined : item;
		});
	}

	/** Keeps the rows of items whose key was used before the run. */
	admitted(admission: Reservation): void {
		for (const index of this.ask.items.keys()) {
			const row = admission.instead(index);
			if (row) this.#used.set(index, row);
		}
	}

	/**
	 * The items that go out next.
	 * @param leaves whether an item may, as it was admitted
	 */
	next(leaves: (index: number) => boolean = () => true): ReadonlySet<number> {
		const wave = new Set<number>();
		const taken = new Set<string>();
		for (const [index, item] of this.ask.items.entries()) {
			if (item instanceof InputError || this.#used.has(index) || this.#gone.has(index)) continue;
			const key = item.sendOnceKey;
			if (!this.#heldBy(index) && (!leaves(index) || (key !== undefined && taken.has(key)))) continue;
			wave.add(index);
			if (key !== undefined) taken.add(key);
		}
		return wave;
	}

	/** The items that neither went out nor had their key used. */
	get left(): ReadonlySet<number> {
		const left = [...this.ask.items.entries()].filter(
			([index, item]) => !(item instanceof InputError || this.#used.has(index) || this.#gone.has(index)),
		);
		return new Set(left.map(([index]) => index));
	}

	/** Notes that items went out, and what became of all items so far, by their place. */
	wentOut(wave: ReadonlySet<number>, outcomes: ReadonlyMap<number, Outcome<unknown>>): void {
		for (const index of wave) {
			this.#gone.add(index);
			const key = this.#keyOf(index);
			if (key !== undefined && outcomes.has(index)) this.#held.set(key, index);
		}
		for (const index of this.ask.items.keys()) {
			const key = this.#keyOf(index);
			const holder = key === undefined ? undefined : this.#held.get(key);
			if (key === undefined || holder === undefined || this.#gone.has(index) || this.#used.has(index)) continue;
			this.#used.set(index, usedKeyRow(this.run, key, outcomes.get(holder)));
		}
	}

	#keyOf(index: number): string | undefined {
		const item = this.ask.items[index];
		return item === undefined || item instanceof InputError ? undefined : item.sendOnceKey;
	}

	#heldBy(index: number): boolean {
		const key = this.#keyOf(index);
		return key !== undefined && this.#held.get(key) === index;
	}
}
