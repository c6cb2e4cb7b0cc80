/**
 * Writes a number in E.164, as the send operations do. Gateways omit the plus sign, write 00, or lose the plus in a
 * form, where it means a space. Sender IDs, short codes and numbers without a country code stay unchanged.
 * @example toInternational('00233 20 123 4567') // '+233201234567'
 */
export function toInternational(party: string): string {
	const digits = party.replace(/[\s().-]/g, '').replace(/^00(?=[1-9])/, '+');
	if (/^[1-9]\d{9,14}$/.test(digits)) return `+${digits}`;
	return /^\+[1-9]\d{6,14}$/.test(digits) ? digits : party.trim();
}

/**
 * Whether two spellings are the same number, sender ID or short code.
 * @example isSameParty('233201234567', '+233 20 123 4567') // true
 */
export function isSameParty(one: string, other: string): boolean {
	return toInternational(one).toLowerCase() === toInternational(other).toLowerCase();
}
