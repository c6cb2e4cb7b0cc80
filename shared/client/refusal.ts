import type { Endpoint } from '../contract/endpoint';
import type { ErrorCode } from '../contract/errors';
import { isObject } from '../contract/find';
import { parseJson } from './answer';

/** What a refusing answer says, in its own words. */
export interface Refusal {
	/** The machine-readable code, where there is one. */
	readonly code?: string;
	/** The human-readable text; where the answer has none, a sentence that says so. */
	readonly message: string;
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
const LONGEST_TEXT = 500;

/**
 * Finds the code and the text of a refusal wherever they stand: the names of those fields are not shown in the
 * interface (service.md, Errors rule 2). Laravel's `errors: {field: [text]}` is added to the text. HTML is stripped.
 * @param body as it came; undefined where it was cut off
 * @param redact takes out what must not be shown; before anything is cut off, so that it finds it whole
 */
export function readRefusal(status: number, body: string | undefined, redact: (text: string) => string): Refusal {
	const refusal = readWords(status, body);
	return {
		...(refusal.code !== undefined && { code: redact(refusal.code) }),
		message: shorten(redact(refusal.message)),
	};
}

function readWords(status: number, body: string | undefined): Refusal {
	const json = parseJson(body);
	const root: unknown = Array.isArray(json?.value) ? json.value[0] : json?.value;
	if (!isObject(root)) {
		const text = json ? root : stripTags(body ?? '');
		const words = typeof text === 'string' ? text.trim() : '';
		return { message: words || `The service answered ${status} without a text` };
	}
	const code = firstText(root, CODE_PLACES, true);
	const message = firstText(root, MESSAGE_PLACES, false);
	const fields = fieldTexts(root).filter((text) => text !== message);
	const whole = [message, ...fields].filter(Boolean).join(' ');
	return { code, message: whole || (code ?? `The service answered ${status} without a text`) };
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

function fieldTexts(root: Record<string, unknown>): string[] {
	if (!isObject(root.errors)) return [];
	return Object.values(root.errors)
		.flat()
		.filter((text) => typeof text === 'string');
}

function stripTags(body: string): string {
	return body
		.replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ')
		.replace(/<[^>]*>/g, ' ')
		.replace(/\s+/g, ' ')
		.trim();
}

function shorten(text: string): string {
	const characters = [...text];
	return characters.length <= LONGEST_TEXT ? text : `${characters.slice(0, LONGEST_TEXT).join('')}…`;
}

const WORDS: ReadonlyArray<readonly [ErrorCode, RegExp]> = [
	['insufficient_balance', /insufficient|not[\s_-]?enough|low[\s_-]?balance|no[\s_-]?(credit|funds)/i],
	['opted_out', /opt(ed)?[\s_-]?out|unsubscribed/i],
	['sender_not_approved', /sender.*(not|un|pending|reject)/i],
	['channel_not_set_up', /not[\s_-]?(set[\s_-]?up|configured|enabled|available|active)|disabled/i],
	['expired_code', /expired/i],
	[
		'too_many_tries',
		/too[\s_-]?many|(attempts|tries)[\s_-]*(exceeded|exhausted|used)|no[\s_-]*more[\s_-]*(attempts|tries)|max(imum)?[\s_-]*(attempts|tries)/i,
	],
	['wrong_code', /(wrong|incorrect|invalid|mismatch|not match)/i],
	['validation', /valid|required|malformed/i],
	['failed_send', /fail|reject|undeliver/i],
];

/**
 * Tells what a refusal means. The status decides where it can; the service's 422 stands for several things, which
 * its code or else its text tells apart, among those that the endpoint declares.
 * @returns undefined where nothing tells
 */
export function meaningOf(endpoint: Endpoint, status: number, refusal: Refusal): ErrorCode | undefined {
	if (status === 401 || status === 403) return 'invalid_key';
	if (status === 404) return 'not_found';
	if (status === 429) return 'rate_limited';
	if (status >= 500) return 'server_error';
	if (status === 402) return 'insufficient_balance';
	for (const text of [refusal.code, refusal.message]) {
		const found = WORDS.find(([meaning, words]) => endpoint.errors.includes(meaning) && words.test(text ?? ''));
		if (found) return found[0];
	}
	return undefined;
}

const KEY = /\bsk_[A-Za-z0-9_-]{4,}/g;

/**
 * Takes out of a text what must not be shown: API keys, and the message text and one-time code of the call itself
 * where the service repeats them, however it wraps the lines.
 * @param input what the call was made with
 */
export function redact(text: string, input: Readonly<Record<string, unknown>>): string {
	let shown = text.replace(KEY, 'sk_…');
	for (const secret of [input.message, input.code]) {
		if (typeof secret !== 'string' || secret.trim().length < 4) continue;
		const words = secret.trim().split(/\s+/);
		for (const spelling of [words, words.map(escapeHtml)]) {
			shown = shown.replace(new RegExp(spelling.map(escapePattern).join('\\s+'), 'g'), '…');
		}
	}
	return shown;
}

function escapePattern(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function escapeHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
