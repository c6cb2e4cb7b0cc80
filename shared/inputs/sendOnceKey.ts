import { cutText } from '../text/cutText';
import { placeholderIn } from '../text/textProblem';
import { asText } from './fieldValue';
import { isSheetError } from './sheetError';

/**
 * What to do about a Send Once Key that is wrong or belongs to another message.
 * @example `${problem}: ${SEND_ONCE_ADVICE}`
 */
export const SEND_ONCE_ADVICE = 'use one value for each message, such as 1001-shipped';

/** Longest part of a key that an error shows, in UTF-16 units. */
const LONGEST_SHOWN = 60;

/** Signs of a missing value, as a whole word between other characters than letters and digits. */
const MISSING = /(?<![\p{L}\p{N}])(undefined|null|NaN|\[object \w{1,40}\]|Invalid Date(Time)?)(?![\p{L}\p{N}@])/u;

/**
 * Reads a Send Once Key. A key without a value of its message is the same for all messages, so all but the first would be
 * skipped. Such keys are rejected.
 * @param template the field before its expressions were evaluated, with `{{...}}` for each, if the host knows it
 * @returns the key; or the cause and the next step, to be read after the field's name
 * @example readSendOnceKey('order-', 'order-{{ $json.id }}') // { message: 'lacks its value ...' }
 */
export function readSendOnceKey(value: unknown, template?: unknown): string | { readonly message: string } {
	const reject = (why: string) => ({ message: `${why}: ${SEND_ONCE_ADVICE}` });
	if (Array.isArray(value)) return reject('is a list');
	if (typeof value === 'object' && value !== null) return reject('is an object');
	const key = asText(value).trim();
	if (key === '') return reject('is empty');
	const missing = MISSING.exec(key)?.[1] ?? placeholderIn(key);
	if (missing === key || /^(true|false|-?Infinity)$/i.test(key) || isSheetError(key)) {
		return reject('has a missing or wrong value');
	}
	if (missing !== undefined) return reject(`contains ${missing}`);
	if (key === fixedPart(template) || isFixedPart(key)) return reject('lacks its value for this message');
	return key;
}

/**
 * A Send Once Key as an error shows it, cut if it is long.
 * @example shownSendOnceKey('1001-shipped') // '1001-shipped'
 */
export function shownSendOnceKey(key: string): string {
	return cutText(key, LONGEST_SHOWN);
}

/** A template without its expressions; undefined if it has none. A fixed key sends a message once, which may be wanted. */
function fixedPart(template: unknown): string | undefined {
	if (typeof template !== 'string' || !/\{\{[^]*?\}\}/.test(template)) return undefined;
	return template
		.replace(/^=/, '')
		.replace(/\{\{[^]*?\}\}/g, '')
		.trim();
}

/**
 * Whether a key is a word before a separator, or a small word after one, as a template with a missing ID leaves it. Other
 * signs pass, because IDs of databases may begin or end with them.
 */
function isFixedPart(key: string): boolean {
	return /^\p{L}*[-_:/.#|]+$/u.test(key) || /^[-_:/.#|]\p{Ll}+$/u.test(key);
}
