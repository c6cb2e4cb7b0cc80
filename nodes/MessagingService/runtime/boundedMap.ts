/**
 * A map whose entries expire. If there are too many, the oldest is removed. The memory of this process uses such maps,
 * so that a flood of requests cannot fill it.
 */
export class BoundedMap<Value> {
	readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>();

	/**
	 * @param capacity maximum number of entries
	 * @param now returns the time, in milliseconds since 1970
	 */
	constructor(
		private readonly capacity: number,
		private readonly now: () => number = () => Date.now(),
	) {}

	/** Number of entries, including expired ones. */
	get size(): number {
		return this.#entries.size;
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
		this.#entries.delete(key);
		this.#entries.set(key, { value, until: this.now() + forMs });
		const [oldest] = this.#entries.keys();
		if (this.#entries.size > this.capacity && oldest !== undefined) this.#entries.delete(oldest);
	}

	delete(key: string): void {
		this.#entries.delete(key);
	}
}
