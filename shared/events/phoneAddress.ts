import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** Fewer digits may be a number of the US, India or another country, without its country code. */
const DIGITS_WITH_COUNTRY_CODE = /^[1-9]\d{10,14}$/;

/**
 * Writes a number in E.164, as the send operations do. Gateways omit the plus sign, write 00, or lose the plus in a
 * form, where it means a space. A number gets a plus only if its digits are a valid number with one. Sender IDs, short
 * codes and numbers of at most ten digits stay unchanged: 2482551234 may be in Michigan or on the Seychelles.
 * @example toInternational('00233 20 123 4567') // '+233201234567'
 */
export function toInternational(party: string): string {
	const digits = party.replace(/[\s().-]/g, '').replace(/^00(?=[1-9])/, '+');
	if (DIGITS_WITH_COUNTRY_CODE.test(digits) && parsePhoneNumberFromString(`+${digits}`)?.isValid() === true) {
		return `+${digits}`;
	}
	return /^\+[1-9]\d{6,14}$/.test(digits) ? digits : party.trim();
}

/**
 * Whether two spellings are the same number, sender ID or short code. A plus sign makes no difference.
 * @example isSameParty('233201234567', '+233 20 123 4567') // true
 */
export function isSameParty(one: string, other: string): boolean {
	return comparable(one) === comparable(other);
}

function comparable(party: string): string {
	return toInternational(party)
		.toLowerCase()
		.replace(/^\+(?=\d)/, '');
}
