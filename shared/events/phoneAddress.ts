import { readPhoneNumber } from '../phone/phoneNumber';

/** Fewer digits may be a number of the US, India or another country, without its country code. */
const DIGITS_WITH_COUNTRY_CODE = /^[1-9]\d{10,14}$/;

const E164 = /^\+[1-9]\d{6,14}$/;

/**
 * Writes a number in E.164, as the send operations do. Gateways omit the plus sign, write 00, or lose the plus in a
 * form, where it means a space. Digits without a plus need to be a number of a country. Sender IDs, short codes and
 * numbers of at most ten digits stay unchanged: 2482551234 may be in Michigan or on the Seychelles.
 * @param isOnWhatsapp whether it is a number of WhatsApp, which always has its country code
 * @example toInternational('00233 20 123 4567') // '+233201234567'
 */
export function toInternational(party: string, isOnWhatsapp = false): string {
	const digits = party.replace(/[\s().-]/g, '').replace(/^00(?=[1-9])/, '+');
	const number = isOnWhatsapp || DIGITS_WITH_COUNTRY_CODE.test(digits) ? digits.replace(/^(?=\d)/, '+') : digits;
	if (!E164.test(number)) return party.trim();
	const read = readPhoneNumber(number, { allowUnknownRanges: true, sandboxNumbers: true });
	if (read.ok) return read.e164;
	return isOnWhatsapp || number === digits ? number : party.trim();
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
