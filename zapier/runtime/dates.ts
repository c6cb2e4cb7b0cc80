/** Longest text that may be a date, in characters. */
const LONGEST = 40;

const MOMENT = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)? ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?$/;
/** MySQL's zero date, which means no date. */
const NO_DATE = /^0000-00-00/;
/** Seconds (with a fraction) or milliseconds since 1970, from 2001 to 2286. */
const EPOCH = /^(?:[1-9]\d{9}(?:\.\d{1,9})?|[1-9]\d{12})$/;

/** Last words in the names of date fields. */
const DATE_WORDS = new Set(['at', 'on', 'date', 'dates', 'time', 'times', 'datetime', 'timestamp', 'timestamps']);

/**
 * Whether a field has the name of a date field.
 * @example isDateName('deliveredAt') === true; isDateName('candidate') === false
 */
export function isDateName(name: string): boolean {
	const words = name
		.slice(-LONGEST)
		.replace(/([a-z\d])([A-Z])/g, '$1 $2')
		.split(/[^A-Za-z\d]+/);
	return DATE_WORDS.has(words.at(-1)?.toLowerCase() ?? '');
}

/**
 * Adds the time zone to a date and time. Without one, Zapier would assume the user's zone, but the service's clock is
 * Ghana's, UTC (docs/api.md#dates-and-times).
 * @returns ISO 8601 with a zone, or undefined if the value is not a date and time
 */
export function parseMoment(value: unknown): string | undefined {
	if (typeof value !== 'string' || value.length > LONGEST) return undefined;
	const [, day = '', minutes = '', seconds = ':00', zone = 'Z'] = MOMENT.exec(value.trim()) ?? [];
	const moment = `${day}T${minutes}${seconds}${offsetOf(zone)}`;
	return day === '' || Number.isNaN(Date.parse(moment)) ? undefined : moment;
}

function offsetOf(zone: string): string {
	if (!/^[+-]/.test(zone)) return 'Z';
	const minutes = zone.slice(3).replace(':', '');
	return `${zone.slice(0, 3)}:${minutes || '00'}`;
}

/**
 * Reads the value of a date field. A number is a time since 1970.
 * @returns ISO 8601 with a zone, null if there is no date, or the value itself if it cannot be read
 */
export function dateOf(value: unknown): unknown {
	if (typeof value !== 'string' && typeof value !== 'number') return value;
	const text = String(value)
		.slice(0, LONGEST + 1)
		.trim();
	if (text === '' || NO_DATE.test(text)) return null;
	if (EPOCH.test(text))
		return new Date(Number(text) * (text.length === 13 && !text.includes('.') ? 1 : 1_000)).toISOString();
	return parseMoment(value) ?? value;
}

/**
 * Converts a date without a time to midnight in UTC, for fields that Zapier shows as date and time. Other fields keep the
 * date alone, because a date of birth would become the day before in some zones.
 */
export function midnightOf(value: unknown): unknown {
	return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
		? (parseMoment(`${value} 00:00`) ?? value)
		: value;
}
