import type { Endpoint } from '../contract/endpoint';
import type { ErrorCode } from '../contract/errors';
import { errorCodeOfText } from '../contract/errorWords';
import { isObject, type JsonObject } from '../contract/find';
import { parseJson } from '../reading/json';

/** The body of a rejection. */
export interface ErrorBody {
	/** The machine-readable code, if there is one. */
	readonly code?: string;
	/** The human-readable text; if the body has none, a sentence that says so. */
	readonly message: string;
	/** Whether the text, or at least the code, comes from the service. */
	readonly hasReason: boolean;
	/** Whether it is JSON, as the service sends it. A wrong address may send a web page. */
	readonly structured: boolean;
}

const CODE_PLACES = ['code', 'error_code', 'errorCode', 'error.code', 'error.error_code', 'errors.0.code', 'data.code'];
const MESSAGE_PLACES = [
	'message',
	'error.message',
	'error',
	'errors.0.message',
	'errors.0',
	'error_description',
	'error_message',
	'detail',
	'msg',
	'reason',
	'description',
	'title',
	'data.message',
	'data.error',
];
/** Names of a code and of a text in an object that is about an error. */
const CODE_NAMES = ['code', 'error_code', 'errorCode'];
const TEXT_NAMES = ['message', 'detail', 'description', 'error_message', 'text', 'msg', 'reason', 'title', 'error'];

/** Names of an object that is about an error. */
const ABOUT_ERROR = /^(errors?|faults?|exceptions?|problems?)$/i;
const LONGEST_TEXT = 500;
const LONGEST_CODE = 100;

/** Maximum length of text that is read, in UTF-16 units. Far more than is shown, so no secret is cut in two. */
const LONGEST_READ = 100_000;

/**
 * Finds the code and the text of a rejection under many names, because their names are undocumented
 * (docs/api.md#error-bodies). Laravel's `errors: {field: [text]}` is added to the text. HTML is stripped.
 * @param body as received; undefined if it was incomplete
 * @param redact removes secrets; called before the text is shortened, so that it finds them whole
 */
export function parseErrorBody(status: number, body: string | undefined, redact: (text: string) => string): ErrorBody {
	const errorBody = readBody(status, body);
	return {
		...(errorBody.code !== undefined && { code: shorten(redact(beginningOf(errorBody.code)), LONGEST_CODE) }),
		message: shorten(redact(beginningOf(errorBody.message)), LONGEST_TEXT),
		hasReason: errorBody.hasReason,
		structured: errorBody.structured,
	};
}

function noReason(status: number): string {
	return `The service responded with HTTP ${status} and gave no reason`;
}

/** The error for a body that is only part of a JSON text. */
function damagedJson(status: number): string {
	return `The service responded with HTTP ${status} and incomplete or damaged JSON`;
}

/** The beginning of a JSON text. If it cannot be parsed, a piece of it is no sentence for a user. */
const DAMAGED_JSON = /^\s*(\{\s*"|\[\s*[{"])/;

function readBody(status: number, body: string | undefined): ErrorBody {
	const json = parseJson(body);
	const root: unknown = Array.isArray(json?.value) ? json.value[0] : json?.value;
	if (!isObject(root)) {
		if (!json && DAMAGED_JSON.test(body ?? '')) {
			return { message: damagedJson(status), hasReason: false, structured: false };
		}
		const text = json ? root : stripTags(beginningOf(body ?? ''));
		const words = typeof text === 'string' ? text.trim() : '';
		return {
			message: words || noReason(status),
			hasReason: words !== '',
			structured: false,
		};
	}
	const deeper = deeperErrors(root);
	const code = firstText(root, CODE_PLACES, true) ?? firstIn(deeper, CODE_NAMES, true);
	const message = firstText(root, MESSAGE_PLACES, false);
	const texts = [...fieldTexts(root), firstIn(deeper, TEXT_NAMES, false)].filter((text) => text !== message);
	const whole = [message, ...texts].filter(Boolean).join(' ');
	const words = whole || code;
	return {
		code,
		message: words ?? noReason(status),
		hasReason: words !== undefined,
		structured: true,
	};
}

function firstText(root: unknown, places: readonly string[], numbers: boolean): string | undefined {
	for (const place of places) {
		const value = place
			.split('.')
			.reduce<unknown>(
				(node, key) => (Array.isArray(node) ? node[Number(key)] : isObject(node) ? node[key] : undefined),
				root,
			);
		if (typeof value === 'string' && value.trim() !== '') return value.trim();
		if (numbers && typeof value === 'number') return String(value);
	}
	return undefined;
}

/** The objects about an error, at the top or in `data`, and the objects one level deeper. A list counts as its first entry. */
function deeperErrors(root: JsonObject): JsonObject[] {
	const objectIn = (value: unknown) => (Array.isArray(value) ? (value as readonly unknown[])[0] : value);
	return [root, root.data].filter(isObject).flatMap((holder) =>
		Object.entries(holder)
			.filter(([key]) => ABOUT_ERROR.test(key))
			.map(([, value]) => objectIn(value))
			.filter(isObject)
			.flatMap((error) => [error, ...Object.values(error).map(objectIn).filter(isObject)]),
	);
}

function firstIn(objects: readonly JsonObject[], names: readonly string[], numbers: boolean): string | undefined {
	for (const one of objects) {
		const text = firstText(one, names, numbers);
		if (text !== undefined) return text;
	}
	return undefined;
}

function fieldTexts(root: Record<string, unknown>): string[] {
	if (!isObject(root.errors)) return [];
	return Object.values(root.errors)
		.flat()
		.filter((text) => typeof text === 'string');
}

function beginningOf(text: string): string {
	return text.length <= LONGEST_READ ? text : text.slice(0, LONGEST_READ);
}

/**
 * Removes tags from HTML, and scripts and styles with their content. One pass over the text: a pattern for a whole tag
 * would search for the end of each `<` up to the end of the text.
 */
function stripTags(body: string): string {
	const tags = /<(?:(script)\b|(style)\b)?/gi;
	let text = '';
	let at = 0;
	for (let tag = tags.exec(body); tag !== null; tag = tags.exec(body)) {
		const [, script, style] = tag;
		const hidden = script === undefined ? style && /<\/style\b/gi : /<\/script\b/gi;
		const ends = hidden || />/g;
		ends.lastIndex = tag.index + 1;
		const end = ends.exec(body);
		if (end === null && !hidden) break;
		text += `${body.slice(at, tag.index)} `;
		// The end of a script is itself a tag.
		at = end === null ? body.length : hidden ? end.index : ends.lastIndex;
		tags.lastIndex = at;
	}
	return `${text}${body.slice(at)}`.replace(/\s+/g, ' ').trim();
}

/** Shortens a text to a number of characters. */
function shorten(text: string, most: number): string {
	// A character has at most two units, so the rest need not be counted.
	const characters = [...text.slice(0, 2 * (most + 1))];
	return characters.length <= most ? text : `${characters.slice(0, most).join('')}…`;
}

/**
 * Finds the meaning of a rejection: by its status, or for a 422 by its code, or else by its text. Only meanings that the
 * endpoint declares are considered (docs/api.md#errors).
 * @returns undefined if the meaning is not clear
 */
export function errorCodeOf(endpoint: Endpoint, status: number, errorBody: ErrorBody): ErrorCode | undefined {
	if (status === 401 || status === 403) return 'invalid_key';
	if (status === 404) return isOtherAddress(endpoint, errorBody) ? undefined : 'not_found';
	if (status === 429) return 'rate_limited';
	if (status >= 500) return 'server_error';
	if (status === 402) return 'insufficient_balance';
	return errorCodeOfText(endpoint, errorBody.code) ?? errorCodeOfText(endpoint, errorBody.message);
}

const ADDRESS = /\b(route|endpoint|url|uri|path|page|cannot (get|post))\b/i;

/** Whether a 404 does not prove that the record is missing, because the address may be wrong. */
function isOtherAddress({ errors }: Endpoint, { code, message, hasReason, structured }: ErrorBody): boolean {
	if (!errors.includes('not_found')) return false;
	return !structured || !hasReason || ADDRESS.test(code ?? '') || ADDRESS.test(message);
}

const KEY = /sk_[\w.~-]{4,}/g;

/** If a text shares this many characters in a row with the message, they are treated as a piece of the message. */
const SHARED_RUN = 12;

/** Minimum length of a row of digits that is treated as a code. */
const SHORTEST_CODE = 4;

/**
 * Removes secrets from a text: the key, and the call's own message text, subject and one-time code. Also finds parts of
 * them, wrapped or escaped, and every row of four or more digits in them.
 * @param text only its first 100,000 UTF-16 units are read and returned
 * @param input of the call
 * @param secrets the key
 * @example redact('Code 4930 is wrong', { code: '4930' }) // 'Code … is wrong'
 */
export function redact(
	text: string,
	input: Readonly<Record<string, unknown>>,
	secrets: readonly string[] = [],
): string {
	let shown = unescapeHtml(beginningOf(text));
	for (const secret of secrets) if (secret !== '') shown = shown.replaceAll(secret, 'sk_…');
	shown = shown.replace(KEY, 'sk_…');
	for (const secret of [input.message, input.code, input.subject]) {
		if (typeof secret !== 'string' || secret.trim().length < 3) continue;
		shown = shown.replaceAll(secret.trim(), '…');
		shown = withoutCodesOf(secret, shown);
		shown = withoutRunsOf(secret, shown);
	}
	return shown;
}

/** Replaces rows of digits of a secret. Rows of {@link SHARED_RUN} or more digits are runs like any other. */
function withoutCodesOf(secret: string, text: string): string {
	const codes = new Set((secret.match(/\d+/g) ?? []).filter(({ length }) => length >= SHORTEST_CODE));
	if (codes.size === 0) return text;
	return text.replace(/\d{4,}/g, (digits) => {
		let kept = '';
		for (let at = 0; at < digits.length;) {
			const code = codeAt(digits, at, codes);
			kept += code === undefined ? digits.charAt(at) : '…';
			at += code?.length ?? 1;
		}
		return kept;
	});
}

/** The longest of the codes at a position in a row of digits. */
function codeAt(digits: string, at: number, codes: ReadonlySet<string>): string | undefined {
	for (let length = SHARED_RUN - 1; length >= SHORTEST_CODE; length--) {
		const code = digits.slice(at, at + length);
		if (code.length === length && codes.has(code)) return code;
	}
	return undefined;
}

/** Replaces the longest runs that both texts share, whatever their case and kind of white space. */
function withoutRunsOf(secret: string, text: string): string {
	const needle = folded(secret.replace(/\s+/g, ' '));
	const hay = folded(text);
	if (hay.length < SHARED_RUN || needle.length < SHARED_RUN) return text;
	const runs = new Set<string>();
	for (let at = 0; at + SHARED_RUN <= needle.length; at++) runs.add(needle.slice(at, at + SHARED_RUN));
	let kept = '';
	for (let at = 0; at < text.length;) {
		let end = at;
		while (end + SHARED_RUN <= hay.length && runs.has(hay.slice(end, end + SHARED_RUN))) end++;
		if (end === at) kept += text[at++] ?? '';
		else {
			kept += '…';
			at = end + SHARED_RUN - 1;
		}
	}
	return kept;
}

/** A text in lower case with plain spaces, position by position the same as the original. */
function folded(text: string): string {
	const lower = text.toLowerCase();
	// One letter, capital I with a dot, has two units in lower case.
	const same = lower.length === text.length ? lower : text.replace(/[^\u0130]+/g, (part) => part.toLowerCase());
	return same.replace(/\s/g, ' ');
}

function unescapeHtml(text: string): string {
	const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
	return text.replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
		if (typeof name === 'string') return named[name.toLowerCase()] ?? whole;
		const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16);
		return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
	});
}
