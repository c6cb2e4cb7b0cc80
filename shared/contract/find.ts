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

/** Maximum depth of nested envelopes. */
const DEEPEST = 4;

/**
 * The body and the envelopes in it, from the outside in: wrappers with a known name, and objects without another object
 * beside them. A list of one record counts as the record.
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

/** Objects beside a record, whose `id` and `status` do not belong to the record. */
const BESIDE =
	/^(users?|accounts?|customers?|clients?|profile|owner|merchant|sender|organi[sz]ation|company|team|tenant|plan|request|meta(data)?|pagination|links?|headers?)$/i;

/** Whether an object under this key is about something else than the record, such as its `user`. */
export function isBeside(key: string): boolean {
	// As a key of its own, it would pass for a field that every object has.
	return key === '__proto__' || BESIDE.test(key);
}

function objectsIn(body: JsonObject): JsonObject[] {
	const found: JsonObject[] = [];
	for (const key in body) {
		const value = only(body[key]);
		if (isObject(value) && !isBeside(key)) found.push(value);
	}
	return found;
}

/** A list of one record counts as the record. */
function only(value: unknown): unknown {
	return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

/** How the keys of a shape are found. */
export interface FindOptions {
	readonly aliases?: Aliases;
	/** Whether the body is the record itself, without an envelope, as in a list. */
	readonly bare?: boolean;
	/** Keys whose aliases in the record come before the key in its envelope, such as `data.text` before `message`. */
	readonly nearest?: readonly string[];
}

/**
 * Finds the keys of a shape in a body with an unknown envelope. A fact beside the record's ID counts first, then the
 * first value that the key's schema accepts, because an envelope may have a `status` of its own. If the top has none of
 * the keys, the only object in it is searched. Keys that are not in the shape stay in place. A key whose value cannot
 * be read is left out.
 * @param shape schemas by key
 */
export function findFields(
	body: JsonObject,
	shape: Readonly<Record<string, ZodType>>,
	{ aliases = {}, bare = false, nearest = [] }: FindOptions = {},
): JsonObject {
	const scopes = bare ? [body] : envelopeOf(body, shape, aliases);
	const found: JsonObject = {};
	for (const key in body) {
		// Assigned as a key, `__proto__` would set the prototype, whose fields would then count as the response's.
		if (!Object.hasOwn(shape, key) && key !== '__proto__') found[key] = body[key];
	}
	const record = recordOf(scopes, shape, aliases);
	for (const key in shape) {
		const schema = shape[key];
		const places = [key, ...(aliases[key] ?? [])];
		// What an envelope says about itself says nothing about the record in it.
		const others = record && key === 'status' ? scopes.filter((scope) => !isEnvelopeStatus(scope.status)) : scopes;
		const groups = nearest.includes(key) ? others.map((scope) => [scope]) : [others];
		const value = firstOf(record ? [[record], ...groups] : groups, (group) =>
			firstOf(places, (place) => findIn(group, place, schema)),
		);
		if (value !== undefined) found[key] = value;
	}
	return found;
}

/** Keys that name a record. */
const IDS = ['message_id', 'verification_id', 'batch_id', 'reference', 'id'];

/** The object with the record's ID: under the ID's own name, or else under another one. */
function recordOf(
	scopes: readonly JsonObject[],
	shape: Readonly<Record<string, ZodType>>,
	aliases: Aliases,
): JsonObject | undefined {
	const ids = IDS.filter((id) => Object.hasOwn(shape, id));
	const holds = (scope: JsonObject, name: string) => Object.hasOwn(scope, name) && isThere(scope[name]);
	return (
		scopes.find((scope) => ids.some((id) => holds(scope, id))) ??
		scopes.find((scope) => ids.some((id) => aliases[id]?.some((name) => holds(scope, name))))
	);
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

/** A status of the whole response, which says nothing about the record in it. */
const ENVELOPE_STATUS = /^\s*(success(ful)?|ok|okay|true|error|fail|200)\s*$/i;

function holdsKeyOf(body: JsonObject, shape: Readonly<Record<string, ZodType>>, aliases: Aliases): boolean {
	for (const key in shape) {
		if (key === 'success') continue;
		if (key === 'status' && isEnvelopeStatus(body.status)) continue;
		if (Object.hasOwn(body, key)) return true;
		// An object under another name, such as `charge`, is beside the record, unless it is the value itself.
		const isValue = (value: unknown) => !isObject(value) || shape[key]?.safeParse(value).success === true;
		if (aliases[key]?.some((place) => Object.hasOwn(body, place) && isValue(body[place]))) return true;
	}
	return false;
}

/** Whether a status belongs to an envelope, such as `success`, so that the record in it may have another one. */
export function isEnvelopeStatus(status: unknown): boolean {
	return typeof status === 'string' ? ENVELOPE_STATUS.test(status) : status === true || status === 200;
}

/** The only object in a body, or the only one that has the record's ID, or else keys of the shape. */
function recordIn(
	body: JsonObject,
	shape: Readonly<Record<string, ZodType>>,
	aliases: Aliases,
): JsonObject | undefined {
	const inner = objectsIn(body);
	if (inner.length < 2) return inner[0];
	const [named, ...moreNamed] = inner.filter((one) => recordOf([one], shape, aliases));
	if (named && moreNamed.length === 0) return named;
	const [record, ...others] = inner.filter((one) => holdsKeyOf(one, shape, aliases));
	return others.length === 0 ? record : undefined;
}

function findIn(scopes: readonly JsonObject[], place: string, schema: ZodType | undefined): unknown {
	for (const scope of scopes) {
		const value = Object.hasOwn(scope, place)
			? scope[place]
			: place.includes('.') && Object.hasOwn(scope, place.slice(0, place.indexOf('.')))
				? at(scope, place)
				: undefined;
		if (isThere(value) && schema?.safeParse(value).success === true) return value;
	}
	return undefined;
}

function firstOf<Value>(values: readonly Value[], find: (value: Value) => unknown): unknown {
	for (const value of values) {
		const found = find(value);
		if (isThere(found)) return found;
	}
	return undefined;
}

function isThere(value: unknown): boolean {
	return value !== undefined && value !== null;
}

function at(scope: JsonObject, place: string): unknown {
	return place.split('.').reduce<unknown>((value, key) => {
		const inner = only(value);
		return isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined;
	}, scope);
}

/** Arrays that are not rows: errors, and the page links of Laravel. */
const NO_ROWS = /^(errors|warnings|notices|links)$/i;

/**
 * Finds the list in a body: the body itself, the list under `data`, the only array under any key, or the same in the
 * only object that contains one.
 * @returns undefined if there is none, or more than one
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
