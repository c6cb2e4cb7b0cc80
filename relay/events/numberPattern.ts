import { toInternational } from '../../shared/index';

/** Shorter numbers are short codes, which belong to no person. */
const LEAST_DIGITS = 7;

/** What people and forms write between the digits of a number. */
const BETWEEN = String.raw`(?:[\s().+-]|%20)*`;

/**
 * The regular expression of PostgreSQL that finds a phone number in any text: in E.164, without the plus sign, with 00, or
 * as it is dialed within its country.
 * @returns undefined for a short code or the name of a sender
 */
export function numberPattern(number: string): string | undefined {
	const digits = toInternational(number).replace(/^\+/, '');
	if (!/^\d+$/.test(digits) || digits.length < LEAST_DIGITS) return undefined;
	// A country code has one to three digits.
	const national = [1, 2, 3].map((length) => `0${digits.slice(length)}`);
	const spellings = [digits, `00${digits}`, ...national].filter((text) => text.length >= LEAST_DIGITS);
	return `(?<![0-9])(?:${spellings.map((text) => [...text].join(BETWEEN)).join('|')})(?![0-9])`;
}
