import { asciiDigits } from '../text/asciiDigits';
import { asText } from './fieldValue';

/** Longer texts are no codes. Normalizing Unicode does not take linear time. In UTF-16 units. */
const LONGEST_TYPED = 250;

/**
 * Reads a one-time code as people type or paste it: without spaces, hyphens, invisible characters and other signs, and with
 * the digits of other scripts as 0 to 9. Letters and leading zeros stay. A number has lost its leading zeros already.
 * @returns the empty text for a value without letters and digits, such as a list
 * @example typedCode(' ۱۲۳-456 ') // '123456'
 */
export function typedCode(value: unknown): string {
	const text = asText(value).trim();
	if (text.length > LONGEST_TYPED) return text;
	return asciiDigits(text.normalize('NFKC')).replace(/[^\p{L}\p{N}]/gu, '');
}
