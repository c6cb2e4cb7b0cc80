import { parseJson } from '../reading/json';
import { isObject } from '../contract/find';
import { groupFields, textDecoder, UTF_8 } from './formFields';

/** A JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonFields;

/**
 * The fields of a webhook's body.
 * @example const fields: JsonFields = { From: '+233201234567', Message: 'HOURS' };
 */
export type JsonFields = { [key: string]: JsonValue };

/** How a body is written. */
export type BodyKind = 'json' | 'form' | 'multipart';

/** The body of a webhook as it arrived. */
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
	/** `unknown_charset`: the declared character set is unknown, or the body is not in it. */
	readonly problem: 'unsupported_type' | 'unknown_charset' | 'too_large' | 'malformed' | 'not_an_object' | 'too_deep';
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

const KINDS: ReadonlyArray<readonly [RegExp, BodyKind]> = [
	[/^[\w.-]+\/([\w.-]+\+)?json$/, 'json'],
	[/^application\/x-www-form-urlencoded$/, 'form'],
	[/^multipart\/form-data$/, 'multipart'],
];

/**
 * How a body is written, by its content type.
 * @returns undefined for any other type
 * @example bodyKind('multipart/form-data; boundary=x') // 'multipart'
 */
export function bodyKind(contentType: string): BodyKind | undefined {
	const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
	return KINDS.find(([pattern]) => pattern.test(type))?.[1];
}

/**
 * Reads the body of a webhook. Integers too large for a number become text, because two message IDs could become equal.
 * Keys that could change prototypes are left out. JSON objects and lists are read under any content type, because many
 * senders have a wrong one.
 * @returns the body, or why it cannot be read
 * @example readBody({ contentType: 'application/json', bytes: new TextEncoder().encode('{"id":12345678901234567890}') })
 */
export function readBody({ contentType, bytes, parsed }: ReceivedBody): ReadBody | BodyProblem {
	const kind = bodyKind(contentType);
	if (bytes !== undefined && bytes.length > MAX_BODY_BYTES) return { problem: 'too_large' };
	const own = kind === 'multipart' ? undefined : bytes;
	const charset = charsetOf(contentType, own);
	const text = own && textDecoder(charset)(own);
	if (own && text === undefined) return { problem: 'unknown_charset' };
	const json = readJson(kind, text);
	const isForm = own !== undefined && kind === 'form' && json === undefined;
	const form = isForm ? readForm(charset, own) : undefined;
	if (isForm && form === undefined) return { problem: 'unknown_charset' };
	if (kind === undefined && json === undefined) return { problem: 'unsupported_type' };
	const value = json ? json.value : (form ?? parsed);
	if (value === undefined) return { problem: 'malformed' };
	// A list of events counts as an object with the list.
	const whole = Array.isArray(value) && value.some(isObject) ? { events: value as unknown[] } : value;
	if (!isObject(whole)) return { problem: 'not_an_object' };
	const body = copyOf(whole, 0);
	if (body === undefined) return { problem: 'too_deep' };
	return { body, fields: json !== undefined || kind === 'json' ? body : gather(body) };
}

/** Reads JSON, which under another content type must be an object or a list. */
function readJson(kind: BodyKind | undefined, text: string | undefined): { readonly value: unknown } | undefined {
	if (text === undefined || (kind !== 'json' && !/^\s*[[{]/.test(text))) return undefined;
	return parseJson(text);
}

/**
 * Reads a form. A name that repeats has a list of values.
 * @returns undefined if it is not in the character set
 */
function readForm(charset: string, bytes: Uint8Array): Record<string, unknown> | undefined {
	// Percent-encoded bytes of a form in UTF-16 are UTF-8, as browsers write them.
	if (charset.startsWith('utf-16')) {
		return readForm(UTF_8, new TextEncoder().encode(new TextDecoder(charset).decode(bytes)));
	}
	const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
	const [decodePlain, decodeEncoded] = [textDecoder(charset), textDecoder(charset, true)];
	const fields: Array<[string, string]> = [];
	for (const pair of binary.split('&').filter((one) => one !== '')) {
		const [name = '', value = ''] = pair.split(/=([^]*)/, 2);
		const texts = [name, value].map((text) =>
			(/%[89a-f]/i.test(text) ? decodeEncoded : decodePlain)(percentDecoded(text)),
		);
		if (texts[0] === undefined || texts[1] === undefined) return undefined;
		fields.push([texts[0], texts[1]]);
	}
	return groupFields(fields);
}

/** The bytes of a name or value. @param text with one character for each byte */
function percentDecoded(text: string): Uint8Array {
	const plain = text
		.replaceAll('+', ' ')
		.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
	return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}

/** The character set of a body: that of its byte order mark, else the declared one, else UTF-8. */
function charsetOf(contentType: string, [first, second, third]: Uint8Array = new Uint8Array()): string {
	if (first === 0xff && second === 0xfe) return 'utf-16le';
	if (first === 0xfe && second === 0xff) return 'utf-16be';
	if (first === 0xef && second === 0xbb && third === 0xbf) return UTF_8;
	const given = /;\s*charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? UTF_8;
	// Some senders leave out the hyphen, which TextDecoder does not know.
	const name = given.replace(/^utf(8|16)/, 'utf-$1');
	return name === 'utf-16' && first === 0 ? 'utf-16be' : name;
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
