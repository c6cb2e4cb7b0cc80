import { FEWEST_DIGITS, numberFinder } from '../phone/numberFinder';
import type { Recipient } from './recipients';

/**
 * Finds the recipients that a text names by their numbers: in E.164, without the plus, or in national format, also in
 * groups of digits. Digits count only if exactly one recipient's number ends with them.
 * @param text for example the message of a rejection
 * @example namedRecipients('020 123 4567 has opted out', recipients).map(({ to }) => to) // ['+233201234567']
 */
export function namedRecipients(text: string, recipients: readonly Recipient[]): Recipient[] {
	const written = digitsIn(text);
	if (written.size === 0) return [];
	const numberIn = numberFinder(recipients.map(({ to }) => to));
	const named = new Set([...written].map(numberIn));
	return recipients.filter(({ to }) => named.has(to));
}

/** Every row of digits in a text, alone and joined with adjacent rows, without leading zeros. */
function digitsIn(text: string): Set<string> {
	const rows = [...(text.match(/\d+/g) ?? []), ...(text.match(/\d(?:[ ().-]?\d)*/g) ?? [])];
	const digits = rows.map((row) => row.replace(/\D/g, '').replace(/^0+/, ''));
	return new Set(digits.filter(({ length }) => length >= FEWEST_DIGITS));
}
