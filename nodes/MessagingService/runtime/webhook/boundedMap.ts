/**
 * A map whose entries expire. If there are too many, the oldest is removed. The memory of webhooks uses such maps, so
 * that a flood of requests cannot fill it.
 */
export class BoundedMap<Value> {
	readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>();

	/** @param capacity maximum number of entries */
	constructor(private readonly capacity: number) {}

	/** Number of entries, including expired ones. */
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

	/** @param until when the entry expires, in milliseconds since 1970 */
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
