import { InputError, type Outcome } from '../../../../shared';
import type { SkippedCandidates } from '../reservation';
import type { Run } from '../operation';
import { usedRecipient, type UsedKey } from '../idempotency/sendOnceKeys';
import { isSendable, type BulkItems } from './bulkPlan';
import type { BulkAttempt } from './attempts';

/**
 * Decides by Send Once Keys which items of a bulk send go out, and when. Of items that share a key, the first one goes
 * out. The next one follows only if certainly nothing was accepted for those before it. With a relay, all items go out
 * together, because the relay knows the key of each recipient.
 */
export class BulkKeys {
	readonly #held: Map<string, number>;
	readonly #used: Map<number, UsedKey>;
	readonly #sent = new Set<number>();

	constructor(
		private readonly run: Run,
		private readonly bulk: BulkItems,
		before: BulkAttempt | undefined,
	) {
		this.#held = new Map(before?.held);
		this.#used = new Map(before?.used);
		for (const index of bulk.items.keys()) {
			const key = this.#keyOf(index);
			const holder = key === undefined ? undefined : this.#held.get(key);
			if (key === undefined || holder === undefined || holder === index || this.#used.has(index)) continue;
			this.#used.set(index, (to) => usedRecipient(run, key, to));
		}
	}

	/** Whether several items have the same key. */
	get areShared(): boolean {
		const keys = [...this.bulk.items.keys()].flatMap((index) => this.#keyOf(index) ?? []);
		return new Set(keys).size < keys.length;
	}

	/** The keys of the run, with the item of each. */
	get held(): ReadonlyMap<string, number> {
		return this.#held;
	}

	/** The items that are skipped because their key was used. */
	get used(): ReadonlyMap<number, UsedKey> {
		return this.#used;
	}

	/** The items to reserve. Undefined for an item that cannot be read, is skipped, or whose key this run already has. */
	get candidates(): ReadonlyArray<{ readonly sendOnceKey?: string } | undefined> {
		return this.bulk.items.map((item, index) => {
			if (!isSendable(item) || this.#used.has(index)) return undefined;
			return this.#heldBy(index) ? undefined : item;
		});
	}

	/** Keeps the rows of items whose key was used before the run. */
	addUsed(reservation: SkippedCandidates): void {
		for (const index of this.bulk.items.keys()) {
			const key = this.#keyOf(index);
			if (key === undefined || !reservation.skippedRow(index)) continue;
			this.#used.set(index, (to) => usedRecipient(this.run, key, to));
		}
	}

	/**
	 * The items that go out next.
	 * @param maySend whether an item may be sent
	 * @param empty items without a recipient to send to, so that the next item with their key goes out with them
	 */
	next(maySend: (index: number) => boolean = () => true, empty: ReadonlySet<number> = new Set()): ReadonlySet<number> {
		const wave = new Set<number>();
		const taken = new Set<string>();
		for (const [index, item] of this.bulk.items.entries()) {
			if (!isSendable(item) || this.#used.has(index) || this.#sent.has(index)) continue;
			const key = this.#keyOf(index);
			if (!this.#heldBy(index) && (!maySend(index) || (key !== undefined && taken.has(key)))) continue;
			wave.add(index);
			if (key !== undefined && !empty.has(index)) taken.add(key);
		}
		return wave;
	}

	/** The items that neither went out nor were skipped. */
	get left(): ReadonlySet<number> {
		const left = [...this.bulk.items.entries()].filter(
			([index, item]) => isSendable(item) && !this.#used.has(index) && !this.#sent.has(index),
		);
		return new Set(left.map(([index]) => index));
	}

	/**
	 * Records items that went out.
	 * @param outcomes outcomes of all items so far, by index
	 */
	markSent(wave: ReadonlySet<number>, outcomes: ReadonlyMap<number, Outcome<unknown>>): void {
		for (const index of wave) {
			this.#sent.add(index);
			const key = this.#keyOf(index);
			if (key !== undefined && outcomes.has(index)) this.#held.set(key, index);
		}
		for (const index of this.bulk.items.keys()) {
			const key = this.#keyOf(index);
			const holder = key === undefined ? undefined : this.#held.get(key);
			if (key === undefined || holder === undefined || this.#sent.has(index) || this.#used.has(index)) continue;
			const first = outcomes.get(holder);
			this.#used.set(index, (to) => usedRecipient(this.run, key, to, first));
		}
	}

	#keyOf(index: number): string | undefined {
		const item = this.bulk.items[index];
		return this.run.relay || item === undefined || item instanceof InputError ? undefined : item.sendOnceKey;
	}

	#heldBy(index: number): boolean {
		const key = this.#keyOf(index);
		return key !== undefined && this.#held.get(key) === index;
	}
}
