/**
 * A map that forgets: each entry after its time, and the oldest where there are too many. What a process remembers of
 * posts stands in such maps, so that no flood of them fills its memory.
 */
export class BoundedMap<Value> {
	readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>();

	/** @param capacity most entries that are kept */
	constructor(private readonly capacity: number) {}

	/** How many entries are held, those included whose time is over. */
	get size(): number {
		return this.#entries.size;
	}

	/** @param now milliseconds since 1970 */
	get(key: string, now: number): Value | undefined {
		const entry = this.#entries.get(key);
		if (entry === undefined) return undefined;
		if (entry.until > now) return entry.value;
		this.#entries.delete(key);
		return undefined;
	}

	/** @param until when it is forgotten, in milliseconds since 1970 */
	set(key: string, value: Value, until: number): void {
		this.#entries.delete(key);
		this.#entries.set(key, { value, until });
		const [oldest] = this.#entries.keys();
		if (this.#entries.size > this.capacity && oldest !== undefined) this.#entries.delete(oldest);
	}

	delete(key: string): void {
		this.#entries.delete(key);
	}
}
