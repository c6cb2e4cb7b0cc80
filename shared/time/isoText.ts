import type { WallTime } from './zone';

/** Date and time of an ISO 8601 text. */
export interface IsoText {
	/** Date and time of the text, without its offset and the fraction of its second. */
	readonly wall: WallTime;
	/** Fraction of the second in milliseconds, rounded up. */
	readonly fractionMs: number;
	/** Milliseconds that the text is ahead of UTC; undefined if it has no offset. */
	readonly offsetMs?: number;
}

const pattern =
	/^(\d{4})-(\d{1,2})-(\d{1,2})(?:T| {1,4})(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?(Z)| ?([+-])(\d{2}):?(\d{2})?)?$/i;

/**
 * Reads `YYYY-MM-DDTHH:MM[:SS[.fff]]`, with or without offset; a space may replace the T and precede the offset. Sheets leave
 * out leading zeros, as in 8:30. Stricter than Date.parse,
 * which turns 30 February into 1 March and reads texts without offset in the zone of the host.
 * @returns undefined for another format, and `impossible` for a date or time that does not exist
 */
export function parseIsoText(text: string): IsoText | 'impossible' | undefined {
	const match = pattern.exec(text.trim());
	if (match === null) return undefined;
	const [, year, month, day, hour, minute, second = '0', fraction = '', utc, sign, offsetHour, offsetMinute = '0'] =
		match;
	const fields = [year, month, day, hour, minute, second].map(Number);
	const [y = NaN, mo = NaN, d = NaN, h = NaN, mi = NaN, s = NaN] = fields;
	const date = new Date(0);
	// Date.UTC would read the years 0 to 99 as 1900 to 1999.
	date.setUTCFullYear(y, mo - 1, d);
	date.setUTCHours(h, mi, s);
	// A day that its month does not have has rolled over into another month.
	const real = date.getUTCMonth() === mo - 1 && h <= 23 && mi <= 59 && s <= 59;
	if (!real) return 'impossible';

	const said = { wall: date.getTime(), fractionMs: Math.ceil(Number(fraction.padEnd(9, '0')) / 1_000_000) };
	if (utc !== undefined) return { ...said, offsetMs: 0 };
	if (sign === undefined) return said;
	const offsetMinutes = Number(offsetHour) * 60 + Number(offsetMinute);
	// No zone is more than 14 hours from UTC.
	if (Number(offsetMinute) > 59 || offsetMinutes > 14 * 60) return 'impossible';
	return { ...said, offsetMs: (sign === '-' ? -1 : 1) * offsetMinutes * 60_000 };
}
