import { control } from '../control';

/** Number of the phone that opens first. */
export const FIRST_NUMBER = '+233201234567';

/** The error for a text that is neither a phone number nor an email address. */
export const ADDRESS_PROBLEM =
	'This is neither a phone number nor an email address. Enter a number such as +233201234567 or 020 123 4567, or an email address.';

/** Whether a text is meant as an email address. */
export function isMailbox(text: string): boolean {
	return text.includes('@');
}

/**
 * Reads a phone number with country code or an email address.
 * @returns the number in E.164 or the address; undefined if it is neither
 */
export function readAddress(typed: string): string | undefined {
	const text = isMailbox(typed) ? typed.trim() : typed.replace(/[\s().-]/g, '');
	return (isMailbox(text) ? /^[^\s@]+@[^\s@]+$/ : /^\+[1-9]\d{6,14}$/).test(text) ? text : undefined;
}

/**
 * Reads a phone number or an email address as people type it, also a number without country code.
 * @returns the number in E.164 or the address; undefined if it is neither
 */
export async function findAddress(typed: string): Promise<string | undefined> {
	const address = readAddress(typed);
	if (address !== undefined || isMailbox(typed) || typed.trim() === '') return address;
	const { number } = await control.call('GET numbers/:typed', { params: { typed: typed.trim() } });
	return number ?? undefined;
}
