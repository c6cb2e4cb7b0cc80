/**
 * Replaces what PostgreSQL rejects in texts and in `jsonb`, and JSON allows: U+0000 and lone surrogates become U+FFFD, in
 * values and in the names of fields. The event's raw body keeps them.
 */
export function storable<Value>(value: Value): Value;
export function storable(value: unknown): unknown {
	if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\uFFFD');
	if (Array.isArray(value)) return value.map((inner: unknown) => storable(inner));
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, inner]) => [storable(name), storable(inner)]));
}

/** Writes a value as JSON that `jsonb` accepts, see {@link storable}. */
export function jsonbText(value: unknown): string {
	return JSON.stringify(storable(value));
}
