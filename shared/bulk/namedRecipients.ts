import type { Recipient } from './recipients';

/** Maximum number of digits of a country code, which a number may be written without. */
const COUNTRY_DIGITS = 3;

/** Minimum number of digits. Fewer may be a code or an amount. */
const FEWEST_DIGITS = 7;

/**
 * Finds the recipients that a text names by their numbers: in E.164, without the plus, or in national format, also in
 * groups of digits. Digits count only if exactly one recipient's number ends with them.
 * @param text for example the message of a rejection
 * @example namedRecipients('020 123 4567 has opted out', recipients).map(({ to }) => to) // ['+233201234567']
 */
export function namedRecipients(text: string, recipients: readonly Recipient[]): Recipient[] {
	const written = digitsIn(text);
	if (written.size === 0) return [];
	const byEnding = new Map<string, Recipient[]>();
	for (const one of recipients) {
		const ending = one.to.slice(-FEWEST_DIGITS);
		byEnding.set(ending, [...(byEnding.get(ending) ?? []), one]);
	}
	const named = new Set<Recipient>();
	for (const digits of written) {
		const alike = (byEnding.get(digits.slice(-FEWEST_DIGITS)) ?? []).filter(({ to }) => isWrittenAs(to, digits));
		const whole = alike.find(({ to }) => to === `+${digits}`);
		const [only, ...others] = whole === undefined ? alike : [whole];
		if (only !== undefined && others.length === 0) named.add(only);
	}
	return recipients.filter((one) => named.has(one));
}

function isWrittenAs(to: string, digits: string): boolean {
	return to.endsWith(digits) && to.length - 1 - digits.length <= COUNTRY_DIGITS;
}

/** Every row of digits in a text, alone and joined with adjacent rows, without leading zeros. */
function digitsIn(text: string): Set<string> {
	const rows = [...(text.match(/\d+/g) ?? []), ...(text.match(/\d(?:[ ().-]?\d)*/g) ?? [])];
	const digits = rows.map((row) => row.replace(/\D/g, '').replace(/^0+/, ''));
	return new Set(digits.filter(({ length }) => length >= FEWEST_DIGITS));
}
