import type { ZodType } from 'zod/v4';

/** Any JSON object. */
export type JsonObject = Record<string, unknown>;

/** Other places of a key, as dotted paths, by key. */
export type Aliases = Readonly<Record<string, readonly string[]>>;

/** Whether a value is a JSON object, not an array and not null. */
export function isObject(value: unknown): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const WRAPPERS = ['data', 'result', 'response', 'payload', 'message'];

/** The objects in which a record's keys may stand: a wrapper of a known name first, then the top. */
export function scopesOf(body: JsonObject): JsonObject[] {
	for (const name of WRAPPERS) {
		const wrapped = Object.hasOwn(body, name) ? only(body[name]) : undefined;
		if (isObject(wrapped)) return [wrapped, body];
	}
	return [body];
}

/** A list of one record stands for the record. */
function only(value: unknown): unknown {
	return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

/** How the keys of a shape are looked for. */
export interface FindOptions {
	readonly aliases?: Aliases;
	/** Whether the body is the record itself, as in a list, and no envelope around it. */
	readonly bare?: boolean;
}

/**
 * Finds the keys of a shape in a body whose envelope is not known. The first place counts whose value the key's schema
 * takes: an envelope may have a `status` of its own. Where the top has none of the keys, the only object in it is
 * looked into. Keys that the shape does not have stay where they are; one whose value cannot be read is left out.
 * @param shape schemas by key
 */
export function findFields(
	body: JsonObject,
	shape: Readonly<Record<string, ZodType>>,
	{ aliases = {}, bare = false }: FindOptions = {},
): JsonObject {
	const scopes = bare ? [body] : envelopeOf(body, shape, aliases);
	const found: JsonObject = {};
	for (const key in body) {
		// Written like this, that key would set the prototype, whose fields would then be taken for the answer's.
		if (!Object.hasOwn(shape, key) && key !== '__proto__') found[key] = body[key];
	}
	for (const key in shape) {
		const schema = shape[key];
		const value =
			findIn(scopes, key, schema) ?? aliases[key]?.map((place) => findIn(scopes, place, schema)).find(isThere);
		if (value !== undefined) found[key] = value;
	}
	return found;
}

function envelopeOf(body: JsonObject, shape: Readonly<Record<string, ZodType>>, aliases: Aliases): JsonObject[] {
	const scopes = scopesOf(body);
	if (scopes.length > 1) return scopes;
	for (const key in shape) {
		if (key === 'success') continue;
		if (Object.hasOwn(body, key) || aliases[key]?.some((place) => Object.hasOwn(body, place))) return scopes;
	}
	const [inner, ...others] = Object.values(body).map(only).filter(isObject);
	return inner && others.length === 0 ? [inner, body] : scopes;
}

function findIn(scopes: readonly JsonObject[], place: string, schema: ZodType | undefined): unknown {
	for (const scope of scopes) {
		const value = Object.hasOwn(scope, place) ? scope[place] : place.includes('.') ? at(scope, place) : undefined;
		if (isThere(value) && schema?.safeParse(value).success === true) return value;
	}
	return undefined;
}

function isThere(value: unknown): boolean {
	return value !== undefined && value !== null;
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
	const lists = Object.entries(body).filter(([key]) => !/^(errors|warnings|notices)$/i.test(key));
	const [list, ...others] = lists.map(([, value]) => value).filter((value): value is unknown[] => Array.isArray(value));
	return others.length === 0 ? list : undefined;
}
