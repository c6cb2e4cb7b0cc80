import type { ZodType } from 'zod/v4';

/** Any JSON object. */
export type JsonObject = Record<string, unknown>;

/** Other places of a key, as dotted paths, by key. */
export type Aliases = Readonly<Record<string, readonly string[]>>;

/** Whether a value is a JSON object, not an array and not null. */
export function isObject(value: unknown): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The objects in which a record's keys may stand: under `data`, or under the only key that holds an object, then at
 * the top. A list of one record stands for the record.
 */
export function scopesOf(body: JsonObject): JsonObject[] {
	const inner = 'data' in body ? [body.data] : Object.values(body).filter(isObject);
	if (inner.length !== 1) return [body];
	const [first] = inner;
	const only: unknown = Array.isArray(first) && first.length === 1 ? first[0] : first;
	return isObject(only) ? [only, body] : [body];
}

/**
 * Finds the keys of a shape in a body whose envelope is not known. The first place counts whose value the key's schema
 * takes: an envelope may have a `status` of its own. Keys that the shape does not have stay where they are; one whose
 * value cannot be read is left out.
 * @param shape schemas by key
 */
export function findFields(
	body: JsonObject,
	shape: Readonly<Record<string, ZodType>>,
	aliases: Aliases = {},
): JsonObject {
	const scopes = scopesOf(body);
	const found: JsonObject = {};
	for (const key in body) {
		// Written like this, that key would set the prototype, whose fields would then be taken for the answer's.
		if (!Object.hasOwn(shape, key) && key !== '__proto__') found[key] = body[key];
	}
	for (const key in shape) {
		const value = findValue(scopes, [key, ...(aliases[key] ?? [])], shape[key]);
		if (value !== undefined) found[key] = value;
	}
	return found;
}

function findValue(scopes: readonly JsonObject[], places: readonly string[], schema: ZodType | undefined): unknown {
	for (const place of places) {
		for (const scope of scopes) {
			const value = Object.hasOwn(scope, place) ? scope[place] : place.includes('.') ? at(scope, place) : undefined;
			if (value !== undefined && value !== null && schema?.safeParse(value).success === true) return value;
		}
	}
	return undefined;
}

function at(scope: JsonObject, place: string): unknown {
	return place
		.split('.')
		.reduce<unknown>((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), scope);
}

/**
 * Finds the one list in a body: bare, under `data`, or as the only array under some key.
 * @returns undefined where there is none, or more than one
 */
export function findList(body: unknown, depth = 0): unknown[] | undefined {
	if (Array.isArray(body)) return Array.from<unknown>(body);
	if (!isObject(body) || depth > 2) return undefined;
	if ('data' in body) {
		const list = findList(body.data, depth + 1);
		if (list) return list;
	}
	const [list, ...others] = Object.values(body).filter((value): value is unknown[] => Array.isArray(value));
	return others.length === 0 ? list : undefined;
}
