/** The path of a value in a body: names of fields, and indexes of lists. */
export type Path = ReadonlyArray<string | number>;

/** Any JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object, not a list and not null. */
export function isJsonObject(value: unknown): value is Json {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One entry that has the fields of all entries of a list. A value that is missing or null is filled in from later ones. */
export function mergedEntry(entries: readonly unknown[]): unknown {
	const there = entries.filter((entry) => entry !== null && entry !== undefined);
	const objects = there.filter(isJsonObject);
	if (objects.length === 0 || !isJsonObject(there[0])) return there[0];
	const merged: Record<string, unknown> = {};
	for (const entry of objects.slice(0, 100)) {
		for (const [key, value] of Object.entries(entry)) {
			// Assigned as a key, `__proto__` would set the prototype.
			if (key !== '__proto__') merged[key] = merged[key] ?? value;
		}
	}
	return merged;
}
