import { endpoints, events } from '../shared';
import { isPublicName, NEXT_LINK, type NameMask } from './publicNames';
import { isJsonObject, mergedEntry, type Json, type Path } from './structure';

/** Names of envelopes, pages, errors and results of the client. They are the same for every account. */
const COMMON = [
	NEXT_LINK,
	...['success', 'ok', 'data', 'result', 'response', 'payload', 'message', 'error', 'errors', 'code', 'event'],
	...['delivery_status', 'message_sid', 'wa_id', 'body', 'text', 'timestamp'],
	...['meta', 'links', 'next', 'prev', 'previous', 'first', 'last', 'self'],
	...['accepted', 'queued', 'submitted', 'sent', 'delivered', 'failed', 'rejected', 'skipped', 'valid', 'invalid'],
];

/** Names of the contract as the API writes them, such as `message_id`. */
const CONTRACT = new Set([
	...COMMON,
	...endpoints.flatMap(({ example, response }) => [
		...namesIn(example.input),
		...namesIn(example.output),
		...(response.kind === 'record' ? Object.values(response.aliases ?? {}).flat() : []).flatMap((place) =>
			place.split('.'),
		),
	]),
	...Object.values(events).flatMap(({ example }) => Object.keys(example)),
]);

/** The same names as services in other languages write them: `MessageId`. */
const IN_PASCAL_CASE = new Set(
	[...CONTRACT].map((name) => name.replace(/(^|_)([a-z])/g, (_all, _bar, letter: string) => letter.toUpperCase())),
);

function namesIn(example: unknown): string[] {
	const record: unknown = Array.isArray(example) ? example[0] : example;
	return isJsonObject(record) ? Object.keys(record) : [];
}

/**
 * The names of an object that may be someone's data, such as a sender ID or a person as the key of a map. These are names
 * with a word that is not public, names with a capital initial, and names whose values look the same as another one. Names
 * of the contract are never hidden.
 * @example hiddenKeys({ SmsAlert: { approved: true }, promo: { approved: true } }) // SmsAlert and promo
 */
export function hiddenKeys(object: Json): ReadonlySet<string> {
	const alike = keysOfMap(object);
	return new Set(Object.keys(object).filter((key) => isHidden(key, alike.has(key))));
}

function isHidden(key: string, isInMap: boolean): boolean {
	if (CONTRACT.has(key) || /^field_\d{1,2}$/.test(key)) return false;
	if (isInMap) return true;
	if (/^[^a-z]*[A-Z]/.test(key)) return !IN_PASCAL_CASE.has(key);
	return !isPublicName(key);
}

/** Maximum number of hidden names of one object in a template. More are probably a map of someone's data. */
const MOST_MASKED = 3;

/** The keys of an object that its template has, hidden or not. */
export function shownKeys(object: Json): string[] {
	const hidden = hiddenKeys(object);
	let masked = 0;
	return Object.keys(object).filter((key) => !hidden.has(key) || ++masked <= MOST_MASKED);
}

/** The keys whose values have the structure of another value. Empty ones beside them belong to the same map. */
function keysOfMap(object: Json): ReadonlySet<string> {
	const shapes = Object.entries(object).map(([key, value]) => ({ key, names: namesOf(value) }));
	const inMap = shapes.filter(({ key, names }) =>
		shapes.some((other) => other.key !== key && isAlike(names, other.names)),
	);
	if (inMap.length === 0) return new Set();
	const empty = shapes.filter(({ key, names }) => names?.size === 0 || object[key] === null);
	return new Set([...inMap, ...empty].map(({ key }) => key));
}

/** Names of an object, or of the entries of a list. A list of values has one name for their type. Undefined for a value. */
function namesOf(value: unknown): ReadonlySet<string> | undefined {
	if (Array.isArray(value)) {
		const entry = mergedEntry(value);
		if (entry === undefined) return new Set();
		const inner = namesOf(entry);
		return new Set(inner ? [...inner].map((name) => `[].${name}`) : [`[] ${typeof entry}`]);
	}
	return isJsonObject(value) ? new Set(shownKeys(value)) : undefined;
}

/** Whether all names of the smaller one are in the other, and are at least half of it. An optional field may be missing. */
function isAlike(one: ReadonlySet<string> | undefined, other: ReadonlySet<string> | undefined): boolean {
	if (!one || !other) return false;
	const [smaller, larger] = one.size <= other.size ? [one, other] : [other, one];
	return smaller.size > 0 && smaller.size * 2 >= larger.size && [...smaller].every((name) => larger.has(name));
}

/** Masks a path in a body as the template of that body masks its names. */
export function maskPath(body: unknown, path: Path, mask: NameMask): Path {
	let value = body;
	return path.map((part) => {
		if (typeof part === 'number') {
			value = Array.isArray(value) ? mergedEntry(value) : undefined;
			return part;
		}
		if (!isJsonObject(value)) return mask.mask(part, true);
		const isMasked = hiddenKeys(value).has(part);
		value = value[part];
		return mask.mask(part, isMasked);
	});
}
