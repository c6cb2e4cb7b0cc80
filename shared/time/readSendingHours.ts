import { parseIsoText } from './isoText';
import { DAY_NAMES, type SendingHours, type SendingHoursField, type SendingHoursProblem } from './sendingHours';
import { openZone, type WallTime } from './zone';

/** Sending hours as a user writes them. */
export interface GivenSendingHours {
	/** First minute of the window, such as `08:00`. */
	readonly from: string;
	/** First minute after the window, such as `19:00`, or `24:00` for midnight. */
	readonly until: string;
	/** English names, in any case. */
	readonly days: readonly string[];
	/** Name in the IANA database, such as `Africa/Accra`. */
	readonly timeZone: string;
	/** Dates in that zone, as `YYYY-MM-DD`. */
	readonly holidays: readonly string[];
}

const END_OF_DAY = 86_400_000;

/**
 * Reads sending hours. A window may not pass midnight. Otherwise hours in the wrong order would send all night.
 * @returns the hours; or the first field that cannot be read, or that leaves no time to send in a week
 * @example
 * const hours = readSendingHours({ from: '08:00', until: '19:00', days: ['monday'], timeZone: 'Africa/Accra', holidays: [] });
 * if (hours.ok) nextSendingTime(hours, Date.now());
 */
export function readSendingHours(given: GivenSendingHours): SendingHours | SendingHoursProblem {
	const fromMs = readTime(given.from);
	if (fromMs === undefined || fromMs === END_OF_DAY) return reject('from', notATime(given.from, '08:00'));
	const untilMs = readTime(given.until);
	if (untilMs === undefined) return reject('until', notATime(given.until, '19:00'));
	if (untilMs <= fromMs) {
		return reject('until', `is ${given.until}, not after the start at ${given.from}: enter a later time, up to 24:00`);
	}
	const days = new Set<number>();
	for (const name of given.days) {
		const day = DAY_NAMES.findIndex((one) => one.toLowerCase() === name.trim().toLowerCase());
		if (day < 0) return reject('days', `contain ${shown(name)}, which is not a day: use names such as monday`);
		days.add(day);
	}
	if (days.size === 0) return reject('days', 'are empty, so there is no time to send: choose at least one day');
	const timeZone = given.timeZone.trim();
	const zone = openZone(timeZone);
	if (zone === undefined) {
		const what = timeZone === '' ? 'is empty' : `is ${shown(timeZone)}, which does not exist`;
		return reject('timeZone', `${what}: use a name such as Africa/Accra`);
	}
	const holidays = new Set<WallTime>();
	for (const date of given.holidays) {
		const day = readDate(date);
		if (day === undefined) {
			return reject('holidays', `contain ${shown(date)}, which is not a date: write it as 2026-12-25`);
		}
		holidays.add(day);
	}
	return { ok: true, fromMs, untilMs, days, holidays, timeZone, zone };
}

/** Milliseconds after midnight; undefined if the text is not a time of day. Spreadsheets add the seconds. */
function readTime(text: string): number | undefined {
	const [, hour, minute] = /^(\d{1,2}):([0-5]\d)(?::00)?$/.exec(text.trim()) ?? [];
	if (hour === undefined || minute === undefined) return undefined;
	const time = (Number(hour) * 60 + Number(minute)) * 60_000;
	return time <= END_OF_DAY ? time : undefined;
}

function readDate(text: string): WallTime | undefined {
	const date = text.trim();
	const read = /^\d{4}-\d{2}-\d{2}$/.test(date) ? parseIsoText(`${date}T00:00`) : undefined;
	return typeof read === 'object' ? read.wall : undefined;
}

function notATime(text: string, example: string): string {
	const what = text.trim() === '' ? 'is empty' : `is ${shown(text)}, which is not a time of day`;
	return `${what}: enter one such as ${example}`;
}

/** Longest text that a problem repeats, in UTF-16 units. */
const LONGEST_SHOWN = 40;

function shown(text: string): string {
	const trimmed = text.trim();
	return `"${trimmed.length > LONGEST_SHOWN ? `${trimmed.slice(0, LONGEST_SHOWN)}…` : trimmed}"`;
}

function reject(field: SendingHoursField, message: string): SendingHoursProblem {
	return { ok: false, field, message };
}
