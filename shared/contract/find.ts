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
	const [only, ...others] = inner.map(
		(value) => (Array.isArray(value) && value.length === 1 ? value[0] : value) as unknown,
	);
	return isObject(only) && others.length === 0 ? [only, body] : [body];
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
	const found = Object.entries(shape).flatMap(([key, schema]) => {
		const candidates = [key, ...(aliases[key] ?? [])].flatMap((place) => scopes.map((scope) => at(scope, place)));
		const value = candidates.find((candidate) => isReadable(schema, candidate));
		return value === undefined ? [] : [[key, value] as const];
	});
	const others = Object.entries(body).filter(([key]) => !Object.hasOwn(shape, key));
	return Object.fromEntries([...others, ...found]);
}

function at(scope: JsonObject, place: string): unknown {
	return place
		.split('.')
		.reduce<unknown>((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), scope);
}

function isReadable(schema: ZodType, value: unknown): boolean {
	return value !== undefined && value !== null && schema.safeParse(value).success;
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
