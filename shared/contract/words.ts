/**
 * The words by which a response says yes or no (docs/api.md#message-states). Short on purpose: any other word is neither, so
 * the outcome is `unknown` (decision 7).
 */
const YES = [
	...['queued', 'submitted', 'sent', 'delivered', 'accepted', 'pending', 'processing', 'scheduled'],
	...['success', 'successful', 'ok', 'okay', 'created', 'true', 'yes'],
];
const NO = [...['failed', 'fail', 'rejected', 'error', 'undelivered', 'expired', 'blocked', 'invalid', 'false', 'no']];

const MEANINGS = new Map([...YES.map((word) => [word, 'yes'] as const), ...NO.map((word) => [word, 'no'] as const)]);

/** Maximum number of characters of a key or a word that are read. */
const LONGEST = 100;

/**
 * Splits a text or a key into lower-case words, at punctuation and at the capitals of camelCase: `OTP_EXPIRED` and
 * `otpExpired` become `otp expired`.
 * @param text only its first 100 characters are read
 */
export function wordsOf(text: string): string[] {
	const found = text.slice(0, LONGEST).match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g);
	return found?.map((word) => word.toLowerCase()) ?? [];
}

/** Whether a flag or a status is a clear yes or a clear no; `open` if it is neither. Of a number, 1 and 2xx are a yes, 0 a no. */
export function meaningOf(value: unknown): 'yes' | 'no' | 'open' {
	if (typeof value === 'boolean') return value ? 'yes' : 'no';
	if (typeof value !== 'string' && typeof value !== 'number') return 'open';
	const word = String(value).slice(0, LONGEST).trim().toLowerCase();
	if (/^(1|2\d\d)$/.test(word)) return 'yes';
	return word === '0' ? 'no' : (MEANINGS.get(word) ?? 'open');
}

/** Whether a value under a failing name, such as `error`, means that nothing failed. */
export function isNothing(value: unknown): boolean {
	if (value === undefined || value === null || value === false) return true;
	if (typeof value === 'object') return Object.keys(value).length === 0;
	if (typeof value !== 'string' && typeof value !== 'number') return false;
	const text = String(value).slice(0, LONGEST);
	return /^\s*(0+|2\d\d|none|null|n\/?a|no|no errors?|false|ok|success|-)?\s*$/i.test(text);
}

/** The kind of a key: `isSuccess` is a flag, `delivery_status` a status, `errorMessage` and `failed_count` are failures. */
export type KeyKind = 'flag' | 'status' | 'code' | 'failure' | 'other';

const FLAGS = new Set(['success', 'ok', 'successful', 'sent', 'accepted']);
const STATUSES = new Set(['status', 'state', 'result', 'outcome']);
const FAILURES =
	/^(errors?|err|exceptions?|faults?|fail(s|ed|ure|ures)?|rejected|rejections?|invalid|undelivered|unsent|blocked|expired|skipped|duplicates?)$/;

const kinds = new Map<string, KeyKind>();
/** Maximum number of remembered keys. A service has far fewer. */
const MOST_KINDS = 2_000;

/** The {@link KeyKind} of a key. */
export function kindOfKey(key: string): KeyKind {
	const before = kinds.get(key);
	if (before) return before;
	const kind = classify(wordsOf(key).filter((word) => !/^(is|was|has)$/.test(word)));
	if (kinds.size < MOST_KINDS && key.length <= LONGEST) kinds.set(key, kind);
	return kind;
}

function classify(words: readonly string[]): KeyKind {
	const [first = '', second] = words;
	if (words.some((word) => FAILURES.test(word)) || first === 'not' || (first === 'opted' && second === 'out'))
		return 'failure';
	if (FLAGS.has(first) && words.length === 1) return 'flag';
	const last = words.at(-1) ?? '';
	if (last === 'code' || (first === 'http' && last === 'status')) return 'code';
	return STATUSES.has(last) ? 'status' : 'other';
}

/**
 * Verdicts of a response about a code. `right`: it clearly says that the code is correct. `only_success`: it says only that
 * the request succeeded, which may be true for a wrong code as well. `unclear`: neither, or both.
 */
export const verdicts = ['right', 'wrong', 'only_success', 'unclear'] as const;

/** One of {@link verdicts}. */
export type Verdict = (typeof verdicts)[number];

/** Names of the verdict. Only exactly `true` is a yes; a no under any of them, alone or in a longer name, is a no. */
export const VALID_NAMES: ReadonlySet<string> = new Set([
	...['valid', 'validated', 'verified', 'match', 'matched', 'matches', 'correct', 'approved', 'confirmed', 'passed'],
]);

/** Statuses that say that the code is correct. */
export const VALID_WORDS: ReadonlySet<string> = new Set([
	...['yes', 'valid', 'verified', 'approved', 'correct', 'match', 'matched', 'confirmed', 'passed'],
]);
