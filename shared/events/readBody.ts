import { parseJson } from '../client/response';
import { isObject } from '../contract/find';

/**
 * A JSON value.
 * @example const value: JsonValue = { to: ['+233201234567'] };
 */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonFields;

/**
 * The fields of a webhook's body.
 * @example const fields: JsonFields = { From: '+233201234567', Message: 'HOURS' };
 */
export type JsonFields = { [key: string]: JsonValue };

/**
 * How a body is written.
 * @example const kind: BodyKind | undefined = bodyKind('application/json; charset=utf-8'); // 'json'
 */
export type BodyKind = 'json' | 'form' | 'multipart';

/**
 * The body of a webhook as it arrived.
 * @example readBody({ contentType: 'application/json', bytes });
 */
export interface ReceivedBody {
	/** The header; '' if there is none. */
	readonly contentType: string;
	/** The raw bytes, if the host has them. */
	readonly bytes?: Uint8Array | undefined;
	/**
	 * What the host parsed: flat fields of a form, with a list where a name repeats. Required for a multipart body. Used
	 * for JSON only if the bytes are missing or not JSON.
	 */
	readonly parsed?: unknown;
}

/**
 * The parsed body of a webhook.
 * @example const event = recognizeEvent(read.fields);
 */
export interface ReadBody {
	/** As it arrived. */
	readonly body: JsonFields;
	/** The same, with nested form fields such as `data[status]` as objects. */
	readonly fields: JsonFields;
}

/**
 * Why a body cannot be read.
 * @example if ('problem' in read && read.problem === 'too_large') respond(413);
 */
export interface BodyProblem {
	readonly problem: 'unsupported_type' | 'too_large' | 'malformed' | 'not_an_object' | 'too_deep';
}

/**
 * Maximum size of a body, in bytes: far more than any event needs.
 * @example if (received > MAX_BODY_BYTES) respond(413);
 */
export const MAX_BODY_BYTES = 256 * 1024;

/**
 * Maximum depth of nested objects and lists in a body.
 * @example `The body is nested more than ${MAX_BODY_DEPTH} levels deep`
 */
export const MAX_BODY_DEPTH = 20;

const UNSAFE = new Set(['__proto__', 'constructor', 'prototype']);

const KINDS: ReadonlyMap<string, BodyKind> = new Map([
	['application/json', 'json'],
	['application/x-www-form-urlencoded', 'form'],
	['multipart/form-data', 'multipart'],
]);

/**
 * How a body is written, by its content type.
 * @returns undefined for any other type
 * @example bodyKind('multipart/form-data; boundary=x') // 'multipart'
 */
export function bodyKind(contentType: string): BodyKind | undefined {
	return KINDS.get((contentType.split(';', 1)[0] ?? '').trim().toLowerCase());
}

/**
 * Reads the body of a webhook. Integers too large for a number become text, because two message IDs could become equal.
 * Keys that could change prototypes are left out.
 * @returns the body, or why it cannot be read
 * @example readBody({ contentType: 'application/json', bytes: new TextEncoder().encode('{"id":12345678901234567890}') })
 */
export function readBody({ contentType, bytes, parsed }: ReceivedBody): ReadBody | BodyProblem {
	const kind = bodyKind(contentType);
	if (kind === undefined) return { problem: 'unsupported_type' };
	if (bytes !== undefined && bytes.length > MAX_BODY_BYTES) return { problem: 'too_large' };
	const value = kind === 'json' ? readJson(contentType, bytes, parsed) : (parsed ?? readForm(kind, bytes));
	if (value === undefined) return { problem: 'malformed' };
	if (!isObject(value)) return { problem: 'not_an_object' };
	const body = copyOf(value, 0);
	if (body === undefined) return { problem: 'too_deep' };
	return { body, fields: kind === 'json' ? body : gather(body) };
}

function readJson(contentType: string, bytes: Uint8Array | undefined, parsed: unknown): unknown {
	const exact = bytes && parseJson(decoderFor(contentType).decode(bytes));
	return exact ? exact.value : parsed;
}

/** Reads a form as UTF-8, as browsers write it. A name that repeats has a list of values. */
function readForm(kind: BodyKind, bytes: Uint8Array | undefined): unknown {
	if (kind !== 'form' || bytes === undefined) return undefined;
	const values = new Map<string, string[]>();
	for (const [name, value] of new URLSearchParams(new TextDecoder().decode(bytes))) {
		const known = values.get(name);
		if (known) known.push(value);
		else values.set(name, [value]);
	}
	return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all]));
}

function decoderFor(contentType: string): TextDecoder {
	const charset = /;\s*charset\s*=\s*"?([\w-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
	try {
		// Some senders use the name without the first hyphen, which TextDecoder does not know.
		return new TextDecoder(charset.replace(/^utf16/i, 'utf-16'));
	} catch {
		return new TextDecoder();
	}
}

/**
 * Copies an object without keys that could change prototypes.
 * @returns undefined if it is nested too deep
 */
function copyOf(value: object, depth: number): JsonFields | undefined {
	if (depth > MAX_BODY_DEPTH) return undefined;
	const copy: JsonFields = {};
	for (const [key, inner] of Object.entries(value) as Array<[string, unknown]>) {
		if (UNSAFE.has(key)) continue;
		const copied = copyOfValue(inner, depth + 1);
		if (copied === undefined) return undefined;
		copy[key] = copied.value;
	}
	return copy;
}

function copyOfValue(value: unknown, depth: number): { readonly value: JsonValue } | undefined {
	if (Array.isArray(value)) {
		if (depth > MAX_BODY_DEPTH) return undefined;
		const items = value.map((item: unknown) => copyOfValue(item, depth + 1));
		return items.includes(undefined) ? undefined : { value: items.map((item) => item?.value ?? null) };
	}
	if (typeof value === 'object' && value !== null) {
		const copy = copyOf(value, depth);
		return copy && { value: copy };
	}
	const plain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
	return { value: plain ? value : null };
}

/** Converts form fields such as `outer[inner]=x` to objects, because forms are parsed as flat fields. */
function gather(form: JsonFields): JsonFields {
	const fields: JsonFields = {};
	for (const [name, value] of Object.entries(form)) {
		const path = /^([^[\]]+)((?:\[[^[\]]+\])+)$/.exec(name);
		const keys = path ? [path[1] ?? '', ...(path[2] ?? '').slice(1, -1).split('][')] : [name];
		if (keys.length > MAX_BODY_DEPTH || keys.some((key) => UNSAFE.has(key))) continue;
		place(fields, keys, value);
	}
	return fields;
}

function place(fields: JsonFields, [key = '', ...rest]: readonly string[], value: JsonValue): void {
	const known = Object.hasOwn(fields, key) ? fields[key] : undefined;
	if (rest.length === 0) {
		fields[key] = known ?? value;
		return;
	}
	const inner: JsonFields = typeof known === 'object' && known !== null && !Array.isArray(known) ? known : {};
	fields[key] = inner;
	place(inner, rest, value);
}
