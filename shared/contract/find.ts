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

/** How deep an envelope is opened. */
const DEEPEST = 4;

/** The objects in which a record's keys may stand: a wrapper of a known name first, then the top. */
export function scopesOf(body: JsonObject): JsonObject[] {
	const wrapped = wrappedIn(body);
	return wrapped ? [wrapped, body] : [body];
}

/**
 * The body and the envelopes in it, from the outside in: wrappers of a known name, and objects that are alone beside
 * plain values. A list of one record counts as the record.
 */
export function envelopesOf(body: JsonObject): JsonObject[] {
	const scopes = [body];
	for (let inner = innerOf(body); inner && scopes.length <= DEEPEST; inner = innerOf(inner)) scopes.push(inner);
	return scopes;
}

function innerOf(body: JsonObject): JsonObject | undefined {
	return wrappedIn(body) ?? onlyObjectIn(body);
}

function wrappedIn(body: JsonObject): JsonObject | undefined {
	for (const name of WRAPPERS) {
		const wrapped = Object.hasOwn(body, name) ? only(body[name]) : undefined;
		if (isObject(wrapped)) return wrapped;
	}
	return undefined;
}

function onlyObjectIn(body: JsonObject): JsonObject | undefined {
	const [inner, ...others] = objectsIn(body);
	return others.length === 0 ? inner : undefined;
}

/** Objects beside a record: their `id` and `status` are not those of the record. */
const BESIDE =
	/^(users?|accounts?|customers?|clients?|profile|owner|merchant|sender|organi[sz]ation|company|team|tenant|plan|request|meta(data)?|pagination|links?|headers?)$/i;

function objectsIn(body: JsonObject): JsonObject[] {
	const found: JsonObject[] = [];
	for (const key in body) {
		const value = only(body[key]);
		if (isObject(value) && !BESIDE.test(key)) found.push(value);
	}
	return found;
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

function envelopeOf(
	body: JsonObject,
	shape: Readonly<Record<string, ZodType>>,
	aliases: Aliases,
	depth = 0,
): JsonObject[] {
	const wrapped = wrappedIn(body);
	const own = holdsKeyOf(body, shape, aliases);
	if (depth >= DEEPEST || (own && !wrapped)) return [body];
	if (wrapped) return own ? [wrapped, body] : [...envelopeOf(wrapped, shape, aliases, depth + 1), body];
	const inner = recordIn(body, shape, aliases);
	return inner ? [...envelopeOf(inner, shape, aliases, depth + 1), body] : [body];
}

/** A status that says of the whole response that it worked or failed, and nothing of the record in it. */
const ENVELOPE_STATUS = /^\s*(success(ful)?|ok|okay|true|error|fail|200)\s*$/i;

function holdsKeyOf(body: JsonObject, shape: Readonly<Record<string, ZodType>>, aliases: Aliases): boolean {
	for (const key in shape) {
		if (key === 'success') continue;
		if (key === 'status' && isEnvelopeStatus(body.status)) continue;
		if (Object.hasOwn(body, key) || aliases[key]?.some((place) => Object.hasOwn(body, place))) return true;
	}
	return false;
}

/** Whether a status is one of an envelope, such as `success`, and so may have another one of the record in it. */
export function isEnvelopeStatus(status: unknown): boolean {
	return typeof status === 'string' ? ENVELOPE_STATUS.test(status) : status === true || status === 200;
}

/** The only object in a body, or the only one that has keys of the shape. */
function recordIn(
	body: JsonObject,
	shape: Readonly<Record<string, ZodType>>,
	aliases: Aliases,
): JsonObject | undefined {
	const inner = objectsIn(body);
	if (inner.length < 2) return inner[0];
	const [record, ...others] = inner.filter((one) => holdsKeyOf(one, shape, aliases));
	return others.length === 0 ? record : undefined;
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

/** Arrays that are no rows: complaints, and the page links of Laravel. */
const NO_ROWS = /^(errors|warnings|notices|links)$/i;

/**
 * Finds the one list in a body: bare, under `data`, as the only array under some key, or so in the only object that has
 * one.
 * @returns undefined where there is none, or more than one
 */
export function findList(body: unknown, depth = 0): unknown[] | undefined {
	if (Array.isArray(body)) return Array.from<unknown>(body);
	if (!isObject(body) || depth > 2) return undefined;
	if ('data' in body) {
		const list = findList(body.data, depth + 1);
		if (list) return list;
	}
	const values = Object.entries(body).flatMap(([key, value]) => (NO_ROWS.test(key) ? [] : [value]));
	const lists = values.filter((value): value is unknown[] => Array.isArray(value));
	const found = lists.length > 0 ? lists : values.filter(isObject).flatMap((value) => listsIn(value, depth));
	const [list, ...others] = found;
	return others.length === 0 ? list : undefined;
}

function listsIn(value: JsonObject, depth: number): unknown[][] {
	const list = findList(value, depth + 1);
	return list ? [list] : [];
}
