import { isObject, type JsonObject } from './find';
import { kindOfKey, LONGEST_JUDGED, saysAccepted, saysFailure, wordsOf, type KeyKind } from './words';

/** One sign of failure in a response. */
export interface Sign {
	readonly key: string;
	/** `success: false`; an error field with a value; a failing status; an HTTP status of 400 or more or a failing code; text. */
	readonly kind: 'flag' | 'failure' | 'status' | 'code' | 'text';
	/** The text of the sign, if its value is text. */
	readonly text?: string;
	/** The object that contains it. */
	readonly holder: JsonObject;
}

/** The signs of success and failure in a response. */
export interface Signs {
	readonly failures: readonly Sign[];
	/** Whether anything indicates success: `success: true`, or a status such as `queued`. */
	readonly worked: boolean;
	/** Whether anything names the message, or gives results for single recipients. */
	readonly named: boolean;
	/** Whether the response is too deep, too large or too long to be judged. */
	readonly unjudged: boolean;
}

/** Facts about the call of a response. */
export interface JudgeOptions {
	/** Input of the call. Values that the response repeats from it prove nothing. */
	readonly input?: Readonly<Record<string, unknown>>;
	/**
	 * Whether lists, counts and free text are about single recipients. `bulk/bulkResponse.ts` then reads them instead.
	 */
	readonly bulk?: boolean;
}

/** Limits for the depth and size of a response that is judged. */
const DEEPEST = 12;
const MOST_NODES = 20_000;
/** Maximum number of signs kept. More would add nothing. */
const MOST_SIGNS = 20;

const YES = new Set<unknown>([true, 1, '1', 'true', 'yes', 'y', 'ok']);
const NO = new Set<unknown>([false, 0, '0', 'false', 'no', 'n', 'f']);

/** Whether a flag is a clear yes. */
export function isYes(value: unknown): boolean {
	return YES.has(plain(value));
}

/** Whether a flag is a clear no. */
export function isNo(value: unknown): boolean {
	return NO.has(plain(value));
}

function plain(value: unknown): unknown {
	return typeof value === 'string' && value.length < 20 ? value.trim().toLowerCase() : value;
}

/**
 * Finds signs of failure and of success at every depth of a response, lists included (decision 7). Their place does not
 * matter here.
 */
export function signsIn(body: unknown, options: JudgeOptions = {}): Signs {
	const walk = new Walk(options);
	walk.visit(body, isObject(body) ? TOP : TOP_TEXT, 0);
	return walk;
}

/** One pass over a response. A class, because creating closures would take longer than judging a send. */
class Walk implements Signs {
	readonly failures: Sign[] = [];
	worked = false;
	named = false;
	unjudged = false;
	readonly #bulk: boolean;
	readonly #echo: Echo;
	#nodes = 0;

	constructor({ input = {}, bulk = false }: JudgeOptions) {
		this.#bulk = bulk;
		this.#echo = new Echo(input);
	}

	visit(value: unknown, at: Place, depth: number): void {
		if (this.unjudged) return;
		if (++this.#nodes > MOST_NODES || depth > DEEPEST) {
			this.unjudged = true;
			return;
		}
		if (Array.isArray(value)) {
			if (this.#bulk) return;
			if (at.kind === 'flag' && value.length === 0) this.#add('flag', at, undefined);
			for (const entry of value) this.visit(entry, at, depth + 1);
		} else if (isObject(value)) {
			for (const key in value) {
				const place = placeOf(key, value, at);
				if (this.#bulk && isPerRecipient(place, value[key])) this.named ||= namesRecipients(place, value[key]);
				else this.visit(value[key], place, depth + 1);
			}
		} else this.#judge(at, value);
	}

	#add(kind: Sign['kind'], at: Place, value: unknown): void {
		if (this.failures.length >= MOST_SIGNS || this.#echo.repeats(at, value)) return;
		this.failures.push({ kind, key: at.key, holder: at.holder, ...(typeof value === 'string' && { text: value }) });
	}

	#judge(at: Place, value: unknown): void {
		const { key, kind } = at;
		this.named ||= (MESSAGE_ID.test(key) && !isNothing(value)) || (this.#bulk && isCount(at, value));
		if (typeof value === 'string') {
			if (isUrl(value)) return;
			if (value.length > LONGEST_JUDGED) {
				// A long value under an unknown key is a document, not a verdict.
				if (kind !== 'other' && !this.#echo.repeats(at, value)) this.unjudged = true;
				return;
			}
		}
		switch (kind) {
			case 'flag':
				if (isFlagOfFailure(key, value, this.#bulk)) this.#add('flag', at, value);
				else this.worked ||= isYes(value) || accepts(value);
				break;
			case 'failure':
				if (this.#bulk && isOfRecipients(key, value)) this.named = true;
				else if (!isNothing(value)) this.#add('failure', at, value);
				break;
			case 'code':
				if (isFailingCode(value) || fails(value)) this.#add('code', at, value);
				break;
			case 'status':
				if (value === false || (!at.inherited && isFailingCode(value)) || fails(value)) this.#add('status', at, value);
				else this.worked ||= value === true || accepts(value);
				break;
			case 'text':
				if (!this.#bulk && fails(value)) this.#add('text', at, value);
				break;
			default:
				// Under other keys only a bare word is a verdict: {"sms": "failed"}.
				if (isBareWord(value) && fails(value)) this.#add('status', at, value);
		}
	}
}

function fails(value: unknown): boolean {
	return typeof value === 'string' && saysFailure(value);
}

function accepts(value: unknown): boolean {
	return typeof value === 'string' && saysAccepted(value);
}

function isBareWord(value: unknown): boolean {
	return typeof value === 'string' && value.length <= 40 && wordsOf(value).length <= 2;
}

/** A count or a list of numbers as text. */
function isOfRecipients(key: string, value: unknown): boolean {
	return !OF_ALL.test(key) && (typeof value === 'number' || (typeof value === 'string' && isNumbers(value)));
}

/** The position of a value. */
interface Place {
	readonly key: string;
	/** The kind of the value, by its own key, or else by the key above it. */
	readonly kind: KeyKind;
	readonly inherited: boolean;
	readonly holder: JsonObject;
}

const TOP: Place = { key: '', kind: 'other', inherited: false, holder: {} };
const TOP_TEXT: Place = { ...TOP, kind: 'text' };

/** All values under `error` are failures, and words under `status` are statuses: {"status": {"name": "REJECTED"}}. */
function placeOf(key: string, holder: JsonObject, above: Place): Place {
	const own = kindOfKey(key);
	const ofStatus = above.kind === 'status' && (above.inherited || /stat(e|us)$/i.test(above.key));
	const inherited = above.kind === 'failure' || (ofStatus && (own === 'other' || own === 'text'));
	return { key, kind: inherited ? above.kind : own, inherited, holder };
}

/** Names of failures that are never about single recipients. */
const OF_ALL = /error_?code|exception/i;

/** A list, or an object with an entry for each number or each group of numbers. */
function isPerRecipient({ key, kind }: Place, value: unknown): boolean {
	if (Array.isArray(value)) return true;
	if (!isObject(value)) return false;
	if (kind === 'failure') return !/error|exception/i.test(key);
	return kind === 'flag' || Object.keys(value).some(isNumberKey);
}

/** Whether a text is one or more phone numbers. A time is not. */
export function isNumbers(text: string): boolean {
	return /^[\s+\d(][\s\d()+,;|-]*$/.test(text) && /\d{7}/.test(text.replace(/[\s()-]/g, ''));
}

const MESSAGE_ID = /^(message|msg|sms)_?id$/i;

function isCount({ key, kind }: Place, value: unknown): boolean {
	return typeof value === 'number' && (kind === 'flag' || kind === 'failure' || saysAccepted(key));
}

/** Lists of rows, and lists with a result in their name; not the numbers of the request. */
function namesRecipients({ key, kind }: Place, value: unknown): boolean {
	if (kind === 'failure') return !/error|exception/i.test(key);
	if (kind === 'flag' || saysAccepted(key) || !Array.isArray(value)) return true;
	return value.length > 0 && isObject(value[0]);
}

/** Whether a key is a phone number. */
export function isNumberKey(key: string): boolean {
	return key.length <= 30 && /^\+?\d[\d\s()-]{5,}$/.test(key);
}

function isFlagOfFailure(key: string, value: unknown, bulk: boolean): boolean {
	// In a bulk send numbers are counts, and a success of 0 is a no.
	if (bulk && typeof value === 'number') return value === 0 && /^(success|ok)$/i.test(key);
	if (isNo(value)) return true;
	if (/sent|accepted/i.test(key)) return typeof value === 'string' && saysFailure(value);
	if (isYes(value)) return false;
	return typeof value !== 'string' || !saysAccepted(value);
}

function isFailingCode(value: unknown): boolean {
	const code = typeof value === 'string' && /^\s*\d{3}\s*$/.test(value) ? Number(value) : value;
	return typeof code === 'number' && code >= 400 && code < 600;
}

/** Values under a failing name that mean that nothing failed. */
const NOTHING = /^\s*(0+|2\d\d|no|none|null|nil|n\/?a|false|ok|okay|success(ful)?|-|n)?\s*$/i;

/** Whether a value under a failing name, such as `error`, means that there was no failure. */
export function isNothing(value: unknown): boolean {
	if (value === undefined || value === null || value === false || value === 0) return true;
	if (typeof value === 'number') return value >= 200 && value < 300;
	if (typeof value === 'string')
		return value.length < 100 && (NOTHING.test(value) || (/^\s*no\b/i.test(value) && !saysFailure(value)));
	return typeof value === 'object' && Object.keys(value).length === 0;
}

function isUrl(value: string): boolean {
	return /^https?:\/\/\S*$/i.test(value.slice(0, 200));
}

/** Distinguishes the words of a response from values that it repeats from the request. */
class Echo {
	readonly #input: Readonly<Record<string, unknown>>;
	#sent: ReadonlySet<string> | undefined;

	constructor(input: Readonly<Record<string, unknown>>) {
		this.#input = input;
	}

	repeats({ key, kind, inherited, holder }: Place, value: unknown): boolean {
		const input = this.#input;
		if (!inherited && (kind === 'text' || kind === 'other')) return this.#repeatsAny(value);
		if (!Object.hasOwn(input, key) || !isPlain(value) || folded(value) !== folded(input[key])) return false;
		// `success: false` may be the verdict or an input field. In a record that repeats other inputs, it is a field.
		return Object.keys(input).some(
			(other) => other !== key && Object.hasOwn(holder, other) && folded(holder[other]) === folded(input[other]),
		);
	}

	#repeatsAny(value: unknown): boolean {
		if (typeof value !== 'string' && typeof value !== 'number') return false;
		this.#sent ??= new Set(Object.values(this.#input).filter(isPlain).map(folded));
		const text = folded(value);
		if (this.#sent.has(text)) return true;
		// A preview of a message ends in dots.
		const start = text.replace(/(\.\.\.|…)$/, '');
		return start.length >= 20 && start !== text && [...this.#sent].some((whole) => whole.startsWith(start));
	}
}

function isPlain(value: unknown): value is string | number | boolean {
	return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function folded(value: unknown): string {
	if (!isPlain(value)) return '';
	return String(value)
		.replace(/\s+/g, ' ')
		.trim()
		.replace(/^\+(?=\d)/, '');
}
