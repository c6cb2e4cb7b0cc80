/**
 * Reads a field as text. A number, true or false becomes text, because a spreadsheet or an expression may return one.
 * @returns the empty text for any other value, such as a list
 * @example asText(42) // '42'
 */
export function asText(value: unknown): string {
	if (typeof value === 'string') return value;
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/**
 * Reads the text of a message or a subject, like {@link asText}. A list, a date or another object becomes its name, such
 * as `[object Object]`, so that the contract rejects it with the true reason instead of as empty.
 * @example asMessage(['Hi']) // '[object Array]'
 */
export function asMessage(value: unknown): string {
	return typeof value === 'object' && value !== null ? Object.prototype.toString.call(value) : asText(value);
}

/** Plain decimal digits, because `Number` also reads `0x10`, `1e3` and the empty text. */
const DECIMAL = /^[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})$/;

/**
 * Reads a field as a number. Decimal digits as text count as that number.
 * @returns undefined for any other value
 * @example readNumber(' 12.50 ') // 12.5
 */
export function readNumber(value: unknown): number | undefined {
	if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
	return typeof value === 'string' && DECIMAL.test(value.trim()) ? Number(value) : undefined;
}
