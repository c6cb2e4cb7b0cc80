import { envelopesOf, isBeside, isEnvelopeStatus, isObject, type JsonObject } from '../contract/find';
import { isNothing, kindOfKey, meaningOf, type KeyKind } from '../contract/words';

/** A field of a response that does not agree with an accepted call. */
export interface Sign {
	readonly kind: Exclude<KeyKind, 'other'>;
	/** Its words, if it has any. */
	readonly text?: string;
}

/** The signs in a response. */
export interface Signs {
	/** A flag or a status, beside the result or above it, that clearly says no. */
	readonly no?: Sign;
	/** Any other sign, at any depth: an error with a value, a no elsewhere, a status that is neither yes nor no. */
	readonly doubt?: Sign;
	/** Whether a flag or a status, beside the result or above it, clearly says yes. A status such as `success` is the envelope's. */
	readonly yes: boolean;
	/** Whether anything suggests an accepted message, at any depth: a flag or a status that says yes, a message ID. */
	readonly someYes: boolean;
	/** Whether the response has rows, which `bulk.ts` reads. */
	readonly rows: boolean;
	/** Whether the response is too deep or too large to be read. */
	readonly unread: boolean;
}

/** How a response is searched. */
export interface SignOptions {
	/** Input of the call. A field that repeats it is no sign. */
	readonly input?: Readonly<Record<string, unknown>>;
	/** Whether lists, and objects by number, are rows. They are then left out. */
	readonly rows?: boolean;
	/** Whether the result has a status, which must be a known one. */
	readonly status?: boolean;
}

const DEEPEST = 12;
const MOST_NODES = 20_000;

/** Finds the signs in a response (decision 7). */
export function signsIn(body: unknown, options: SignOptions = {}): Signs {
	const walk = new Walk(body, options);
	walk.visit(body, 0, false);
	return walk;
}

/** One pass over a response. A class, because creating closures would take longer than reading a send. */
class Walk implements Signs {
	no?: Sign;
	doubt?: Sign;
	yes = false;
	someYes = false;
	rows = false;
	unread = false;
	readonly #scopes: readonly unknown[];
	readonly #options: SignOptions;
	#nodes = 0;

	constructor(body: unknown, options: SignOptions) {
		this.#scopes = isObject(body) ? envelopesOf(body) : [];
		this.#options = options;
	}

	/** @param beside whether the value is about something else, such as a user, whose status may be any word */
	visit(value: unknown, depth: number, beside: boolean): void {
		if (typeof value !== 'object' || value === null) return;
		if (depth > DEEPEST) this.unread = true;
		if (this.unread) return;
		if (Array.isArray(value)) {
			for (const entry of value) {
				if (this.#isTooLarge()) return;
				this.visit(entry, depth + 1, beside);
			}
			return;
		}
		const { input = {}, rows = false } = this.#options;
		for (const [key, inner] of Object.entries(value)) {
			if (this.#isTooLarge()) return;
			if (Object.hasOwn(input, key) && input[key] === inner) continue;
			const kind = kindOfKey(key);
			if (isTrace(key, kind, inner)) this.someYes = true;
			const own = this.#scopes.includes(value);
			if (rows && isRows(key, kind, inner)) this.rows ||= kind !== 'failure' && !isNothing(inner);
			else if (kind === 'failure') this.#fail(inner);
			else if (typeof inner === 'object') {
				if (isObject(inner) && /stat(e|us)$/i.test(key)) this.#judge(key, 'status', nameIn(inner), own, beside);
				this.visit(inner, depth + 1, beside || isBeside(key));
			} else if (kind !== 'other') this.#judge(key, kind, inner, own, beside);
		}
	}

	#isTooLarge(): boolean {
		if (++this.#nodes > MOST_NODES) this.unread = true;
		return this.unread;
	}

	#fail(value: unknown): void {
		const said = failureIn(value);
		// The words of a failure say more than those of a status.
		if (said && (this.doubt?.kind !== 'failure' || this.doubt.text === undefined))
			this.doubt = { kind: 'failure', ...said };
	}

	#judge(key: string, kind: Sign['kind'], value: unknown, own: boolean, beside: boolean): void {
		const meaning = meaningOf(value);
		this.someYes ||= meaning === 'yes' && kind !== 'code';
		const { rows = false, status = true } = this.#options;
		// A count, as in {"accepted": 3}.
		if (rows && kind === 'flag' && typeof value === 'number' && (value > 0 || !/succ|ok/i.test(key))) {
			this.yes ||= value > 0;
		} else if (kind === 'code') {
			if (meaning === 'no' ? value !== 0 && value !== '0' : /^\s*[45]\d\d\s*$/.test(String(value)))
				this.doubt ??= sign(kind, value);
		} else if (meaning === 'yes') this.yes ||= own && !(kind === 'status' && isEnvelopeStatus(value));
		else if (meaning === 'no' && own) this.no ??= sign(kind, value);
		else if (meaning === 'no' || (status && !beside && value !== undefined && value !== null && value !== ''))
			this.doubt ??= sign(kind, value);
	}
}

/** Whether a field is a message ID, or a list or a count under a name such as `accepted`. */
function isTrace(key: string, kind: KeyKind, value: unknown): boolean {
	const isThere = Array.isArray(value) ? value.length > 0 : typeof value === 'number' && value > 0;
	if (isThere && (kind === 'flag' || meaningOf(key) === 'yes')) return true;
	return (
		MESSAGE_ID.test(key) && (typeof value === 'number' || typeof value === 'string') && !/^0?$/.test(String(value))
	);
}

const MESSAGE_ID = /^(message|msg|sms)_?id$/i;

function sign(kind: Sign['kind'], value: unknown): Sign {
	return { kind, ...(typeof value === 'string' && { text: value.trim() }) };
}

/** The word of a status with details, such as {"groupName": "PENDING", "name": "REJECTED_NETWORK"}: the worst one. */
function nameIn(status: JsonObject): unknown {
	const names = Object.entries(status).flatMap(([key, value]) =>
		typeof value === 'string' && /(name|value|label|state|status)$/i.test(key) ? [value] : [],
	);
	const worst = (['no', 'open'] as const).map((meaning) => names.find((name) => meaningOf(name) === meaning));
	return worst.find((name) => name !== undefined) ?? names[0];
}

/** A list, an object by number, or a count of failures. An error of the whole batch is none. */
function isRows(key: string, kind: KeyKind, value: unknown): boolean {
	if (kind === 'failure' && (typeof value === 'number' || (typeof value === 'string' && isNumbers(value))))
		return !/error|exception/i.test(key);
	if (!isObject(value)) return Array.isArray(value);
	return (
		kind === 'flag' || (kind === 'failure' && !/error|exception/i.test(key)) || Object.keys(value).some(isNumberKey)
	);
}

/** Whether a key is a phone number. */
export function isNumberKey(key: string): boolean {
	return key.length <= 30 && /^\+?\d[\d\s()-]{5,}$/.test(key);
}

/** Whether a text is one or more phone numbers. A time is not. */
export function isNumbers(text: string): boolean {
	return /^[\s+\d(][\s\d()+,;|-]*$/.test(text) && /\d{7}/.test(text.replace(/[\s()-]/g, ''));
}

/** The first failure under a failing name, with its words; undefined if nothing failed. */
function failureIn(value: unknown, depth = 0): { readonly text?: string } | undefined {
	if (isNothing(value)) return undefined;
	if (typeof value === 'string')
		return /^\s*https?:\/\/\S*\s*$/.test(value.slice(0, 200)) ? undefined : { text: value.trim() };
	if (typeof value !== 'object' || value === null) return {};
	if (depth > 3) return {};
	const inner = Object.values(value)
		.slice(0, 50)
		.map((one: unknown) => failureIn(one, depth + 1));
	return inner.find((one) => one?.text !== undefined) ?? inner.find((one) => one !== undefined);
}

/** The words of a sign, for a user. */
export function wordsOfSign({ kind, text }: Sign): string | undefined {
	if (text === undefined || text === '') return undefined;
	return kind === 'failure' ? text : `The service responded with "${text}"`;
}
