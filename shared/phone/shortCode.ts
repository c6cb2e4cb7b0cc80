import { shortestMobile } from './mobileLength';
import { DEFAULT_COUNTRY, type PhoneCountry } from './phoneNumber';

/** Only digits, and none of the signs of a phone number: the zero that people dial inside a country, a +, or spaces. */
const SHORT_CODE = /^[1-9]\d{2,5}$/;

/** The digits that a short code has less than a mobile number. Fewer may be missing by mistake. */
const DIGITS_LESS = 3;

/**
 * Whether an entry of a list is a short code, which can send messages but cannot be a recipient. A phone number that lost a
 * digit or two is none.
 * @param country the country of numbers without a country code. Default: GH
 * @example isShortCode('1234') // true
 * @example isShortCode('02412') // false: the beginning of a number of Ghana
 */
export function isShortCode(input: unknown, country: PhoneCountry = DEFAULT_COUNTRY): boolean {
	if (typeof input !== 'string' && typeof input !== 'number') return false;
	const digits = String(input).trim();
	return SHORT_CODE.test(digits) && digits.length <= shortestMobile(country) - DIGITS_LESS;
}
