import { readSendingHours } from '../../shared/time/readSendingHours';
import { DAY_NAMES, nextSendingTime } from '../../shared/time/sendingHours';
import { clockShows, HOUR, moments, type TestZone } from '../support/clockChanges';
import { fc, runCount } from '../support/random';

const MINUTE = 60_000;
const DAY = 24 * HOUR;

/** Minutes after midnight as text. */
const asTime = (minutes: number) =>
	[Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');

/** A window in minutes after midnight. Many begin or end near the hours at which clocks change. */
const minuteOfDay = fc.oneof(
	fc.integer({ min: 0, max: 1440 }),
	fc.integer({ min: 0, max: 12 }).map((q) => q * 15),
);
const window = fc
	.tuple(minuteOfDay, minuteOfDay)
	.filter(([from, until]) => from !== until)
	.map(([one, other]) => ({ from: Math.min(one, other), until: Math.max(one, other) }));
const dayNames = fc.subarray([...DAY_NAMES], { minLength: 1 });
/** Holidays in days from the day of the moment. */
const holidayOffsets = fc.subarray([-1, 0, 1, 2, 3, 7], { maxLength: 4 });

const rules = fc
	.record({ moment: moments, seconds: fc.constantFrom(0, 0, 1, 29_999, 59_999), window, dayNames, holidayOffsets })
	.map(
		({ moment: { timeZone, instant }, seconds, window: { from, until }, dayNames: days, holidayOffsets: offsets }) => {
			const today = Date.parse(clockShows(instant, timeZone).slice(0, 10));
			const holidays = offsets.map((offset) => new Date(today + offset * DAY).toISOString().slice(0, 10));
			return { timeZone, moment: instant + seconds, from, until, days, holidays };
		},
	);
type Rules = typeof rules extends fc.Arbitrary<infer R> ? R : never;

const weekday = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', weekday: 'long' });

/** Whether a clock in the zone is inside the hours, read from the text that it shows. */
function isInside({ timeZone, from, until, days, holidays }: Rules, instant: number): boolean {
	const [date = '', time = ''] = clockShows(instant, timeZone).split(' ');
	const minutes = Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
	const day = weekday.format(Date.parse(date));
	return days.some((one) => one === day) && !holidays.includes(date) && minutes >= from && minutes < until;
}

/** Walks minute by minute, by the clock on the wall. All windows and clock changes begin with a minute. */
function firstInside(given: Rules): number {
	if (isInside(given, given.moment)) return given.moment;
	let instant = Math.ceil(given.moment / MINUTE) * MINUTE;
	while (!isInside(given, instant)) instant += MINUTE;
	return instant;
}

const read = ({ timeZone, from, until, days, holidays }: Omit<Rules, 'moment'>) => {
	const hours = readSendingHours({ from: asTime(from), until: asTime(until), days, timeZone, holidays });
	if (!hours.ok) throw new Error(`${hours.field} ${hours.message}`);
	return hours;
};

describe('nextSendingTime', () => {
	it('finds the first minute at which the clock in the zone is inside the hours', () => {
		fc.assert(
			fc.property(rules, (given) => {
				const found = nextSendingTime(read(given), given.moment);
				const expected = firstInside(given);
				expect(found).toEqual({ ok: true, inside: expected === given.moment, instant: expected });
			}),
			{ numRuns: runCount(400) },
		);
	});

	it('finds a time that is inside, so asking again changes nothing', () => {
		fc.assert(
			fc.property(rules, (given) => {
				const hours = read(given);
				const found = nextSendingTime(hours, given.moment);
				if (!found.ok) throw new Error(found.message);
				expect(nextSendingTime(hours, found.instant)).toEqual({ ok: true, inside: true, instant: found.instant });
			}),
			{ numRuns: runCount(400) },
		);
	});

	it('finds no time if all days of a year are holidays, and one if the last of them is not', () => {
		fc.assert(
			fc.property(moments, ({ timeZone, instant }: { timeZone: TestZone; instant: number }) => {
				const today = Date.parse(clockShows(instant, timeZone).slice(0, 10));
				const all = Array.from({ length: 400 }, (_, day) => new Date(today + day * DAY).toISOString().slice(0, 10));
				const hours = { timeZone, from: 480, until: 1140, days: [...DAY_NAMES] };
				expect(nextSendingTime(read({ ...hours, holidays: all }), instant)).toMatchObject({ field: 'holidays' });
				const found = nextSendingTime(read({ ...hours, holidays: all.slice(0, 364) }), instant);
				expect(found.ok && clockShows(found.instant, timeZone)).toBe(`${all[364] ?? ''} 08:00:00`);
			}),
			{ numRuns: runCount(20) },
		);
	});
});
