/** Longest text that is looked at as a date, in characters. */
const LONGEST = 40;

const MOMENT = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)? ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?$/;
/** What MySQL has for no date at all. */
const NO_DATE = /^0000-00-00/;
/** Seconds (with a fraction) or milliseconds since 1970, from 2001 to 2286. */
const EPOCH = /^(?:[1-9]\d{9}(?:\.\d{1,9})?|[1-9]\d{12})$/;

/** Last words of the names of fields that hold a date. */
const DATE_WORDS = new Set(['at', 'on', 'date', 'dates', 'time', 'times', 'datetime', 'timestamp', 'timestamps']);

/**
 * Whether a field is named like one that holds a date.
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
 * Reads a date as Zapier takes it, with a zone: Zapier takes a date without one to be in the zone of the person, and the
 * clock of the service is Ghana's, UTC (docs/api.md#dates-and-times).
 * @returns ISO 8601 with a zone, or undefined if the value is no date and time
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
 * Reads what a field that holds a date has: a number is a time since 1970.
 * @returns ISO 8601 with a zone, null if the field holds no date, or the value itself if it cannot be read
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
 * Makes a moment of a day alone, midnight in UTC, for a field that Zapier shows as a moment. Elsewhere a day stays a
 * day: as a moment, a date of birth would be the day before in some zones.
 */
export function midnightOf(value: unknown): unknown {
	return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
		? (parseMoment(`${value} 00:00`) ?? value)
		: value;
}
