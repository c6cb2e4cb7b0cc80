/** Limits of a map. Times are in milliseconds. */
export interface Limits<Value> {
	/** Maximum total size of the entries. Above it, the one that was set or used least recently is removed first. */
	readonly maxSize: number;
	/** The size of an entry, which may grow. Default: each counts as 1. */
	readonly sizeOf?: (value: Value) => number;
	/** Idle time after which an entry is removed as soon as another one is added. Default: never. */
	readonly maxIdleMs?: number;
	/** Idle time within which an entry is never removed because of its size. Default: 0. */
	readonly inUseMs?: number;
}

interface Entry<Value> {
	readonly value: Value;
	/** When it expires, in milliseconds since 1970. */
	readonly until: number;
	/** When it was set or used, in milliseconds since 1970. */
	readonly usedAt: number;
}

/**
 * A map with a limited size whose entries expire. All memory of this process is in such maps, so that a flood of
 * requests cannot fill it.
 */
export class BoundedMap<Value> {
	/** In the order of their last use. */
	readonly #entries = new Map<string, Entry<Value>>();

	/** @param now returns the time, in milliseconds since 1970 */
	constructor(
		private readonly limits: Limits<Value>,
		private readonly now: () => number = () => Date.now(),
	) {}

	/** Total size of the entries, including expired ones. */
	get size(): number {
		const { sizeOf } = this.limits;
		if (!sizeOf) return this.#entries.size;
		return [...this.#entries.values()].reduce((sum, { value }) => sum + sizeOf(value), 0);
	}

	get(key: string): Value | undefined {
		const entry = this.#entries.get(key);
		if (entry === undefined) return undefined;
		if (entry.until > this.now()) return entry.value;
		this.#entries.delete(key);
		return undefined;
	}

	/** @param forMs when the entry expires, in milliseconds from now; Infinity = never */
	set(key: string, value: Value, forMs: number): void {
		const usedAt = this.now();
		// Only for a new entry: counting the sizes of all entries takes time.
		if (!this.#entries.delete(key)) this.#makeRoom(usedAt);
		this.#entries.set(key, { value, until: usedAt + forMs, usedAt });
	}

	/**
	 * Returns an entry that never expires, and marks it as used.
	 * @param make makes the value if there is none
	 */
	use(key: string, make: () => Value): Value {
		const value = this.get(key) ?? make();
		this.set(key, value, Infinity);
		return value;
	}

	delete(key: string): void {
		this.#entries.delete(key);
	}

	#makeRoom(now: number): void {
		const { maxSize, sizeOf = () => 1, maxIdleMs = Infinity, inUseMs = 0 } = this.limits;
		let { size } = this;
		for (const [key, { value, until, usedAt }] of this.#entries) {
			const idleMs = now - usedAt;
			const isOver = until <= now || idleMs > maxIdleMs;
			if (!isOver && (size < maxSize || idleMs < inUseMs)) break;
			this.#entries.delete(key);
			size -= sizeOf(value);
		}
	}
}
