import type { WallTime, Zone } from './zone';

const DAY_MS = 86_400_000;

/** How far {@link nextSendingTime} looks ahead, in days. */
const LONGEST_WAIT_DAYS = 366;

/**
 * The names of the days, from Sunday, as `Date` counts them.
 * @example const choices = DAY_NAMES.map((name) => ({ name, value: name.toLowerCase() }));
 */
export const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** When messages may be sent: a window of each of some days. {@link readSendingHours} makes it. */
export interface SendingHours {
	readonly ok: true;
	/** Start of the window, in milliseconds after midnight on a clock there. */
	readonly fromMs: number;
	/** End of the window, which is no longer part of it. At most a day, so no window passes midnight. */
	readonly untilMs: number;
	/** 0 is Sunday. At least one. */
	readonly days: ReadonlySet<number>;
	/** Midnights of the days without a window. */
	readonly holidays: ReadonlySet<WallTime>;
	/** Name of the zone, as given. */
	readonly timeZone: string;
	readonly zone: Zone;
}

/**
 * A field of the hours.
 * @example const labels: Record<SendingHoursField, string> = { from: 'From', until: 'Until', days: 'Days', timeZone: 'Zone', holidays: 'Holidays' };
 */
export type SendingHoursField = 'from' | 'until' | 'days' | 'timeZone' | 'holidays';

/** Why hours cannot be used. */
export interface SendingHoursProblem {
	readonly ok: false;
	readonly field: SendingHoursField;
	/** The cause and the next step, to be read after the field's name. */
	readonly message: string;
}

/** Whether a message may be sent at a moment, or else when. */
export interface SendingTime {
	readonly ok: true;
	/** Whether the moment itself is allowed. */
	readonly inside: boolean;
	/** The first allowed instant, not before the moment, in milliseconds since 1970. The moment itself if it is inside. */
	readonly instant: number;
}

/**
 * Finds the first instant, from a moment on, at which a message may be sent. The clock of the hours' zone decides. So an
 * hour that clocks skip is outside, and an hour that they show twice is inside twice.
 * @param moment in milliseconds since 1970
 * @returns the instant, to the second unless the moment itself is inside; a problem if holidays leave no time within a
 * year
 */
export function nextSendingTime(hours: SendingHours, moment: number): SendingTime | SendingHoursProblem {
	const { zone } = hours;
	if (isOpen(hours, zone.wallTimeAt(moment))) return { ok: true, inside: true, instant: moment };
	const last = moment + LONGEST_WAIT_DAYS * DAY_MS;
	let instant = Math.ceil(moment / 1000) * 1000;
	while (instant <= last) {
		const wall = zone.wallTimeAt(instant);
		if (isOpen(hours, wall)) return { ok: true, inside: false, instant };
		const wait = untilNextStart(hours, wall);
		// The time until the clock shows the start, unless the clock changes before. It changes at most once in a day.
		const change = clockChange(zone, instant, instant + wait);
		instant = change ?? instant + wait;
	}
	return {
		ok: false,
		field: 'holidays',
		message: 'leave no time to send within a year: remove some of them',
	};
}

/**
 * Writes an instant as a clock in the hours' zone shows it.
 * @param instant in milliseconds since 1970
 * @example clockText(hours, Date.UTC(2026, 10, 28, 20, 15)) // 'Saturday 2026-11-28 20:15 (Africa/Accra)'
 */
export function clockText({ zone, timeZone }: SendingHours, instant: number): string {
	const wall = zone.wallTimeAt(instant);
	const [date = '', time = ''] = new Date(wall).toISOString().split('T');
	return `${DAY_NAMES[weekdayOf(wall)] ?? ''} ${date} ${time.slice(0, 5)} (${timeZone})`;
}

/** Midnight at which the day of a wall time begins. */
function dayOf(wall: WallTime): WallTime {
	return Math.floor(wall / DAY_MS) * DAY_MS;
}

function weekdayOf(wall: WallTime): number {
	return new Date(wall).getUTCDay();
}

function hasWindow({ days, holidays }: SendingHours, wall: WallTime): boolean {
	return days.has(weekdayOf(wall)) && !holidays.has(dayOf(wall));
}

function isOpen(hours: SendingHours, wall: WallTime): boolean {
	const time = wall - dayOf(wall);
	return hasWindow(hours, wall) && time >= hours.fromMs && time < hours.untilMs;
}

/** Time until the clock shows the start of today's window, or else midnight, in milliseconds. Above 0, at most a day. */
function untilNextStart(hours: SendingHours, wall: WallTime): number {
	const time = wall - dayOf(wall);
	return hasWindow(hours, wall) && time < hours.fromMs ? hours.fromMs - time : DAY_MS - time;
}

/**
 * The first instant after a clock change.
 * @param before instant in whole seconds
 * @param after instant in whole seconds, at most a day later
 * @returns undefined if the clock does not change between the two
 */
function clockChange(zone: Zone, before: number, after: number): number | undefined {
	const offset = (instant: number) => zone.wallTimeAt(instant) - instant;
	const old = offset(before);
	if (offset(after) === old) return undefined;
	let [low, high] = [before, after];
	while (high - low > 1000) {
		const middle = Math.floor((low + high) / 2000) * 1000;
		if (offset(middle) === old) low = middle;
		else high = middle;
	}
	return high;
}
