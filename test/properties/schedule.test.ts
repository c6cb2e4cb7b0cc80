import fc from 'fast-check';
import { scheduleAt } from '../../shared/time/scheduleAt';

const now = Date.UTC(2026, 10, 20, 12);
const HOUR = 3_600_000;

// Zones with and without clock changes, with whole and half hours, and one that changes by half an hour.
const zones = [
	...['Africa/Accra', 'Africa/Lagos', 'Europe/London', 'America/New_York', 'America/St_Johns', 'Africa/Casablanca'],
	...['Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Chatham', 'Pacific/Apia', 'America/Havana', 'Asia/Beirut'],
] as const;
const zone = fc.constantFrom(...zones);

/** The local time in a zone, computed independently of the code under test: Swedish dates have the format of the service. */
const clocks = new Map(
	zones.map((timeZone) => {
		const options = { timeZone, dateStyle: 'short', timeStyle: 'medium' } as const;
		return [timeZone, new Intl.DateTimeFormat('sv-SE', options)];
	}),
);
const clockShows = (instant: number, timeZone: (typeof zones)[number]) => clocks.get(timeZone)?.format(instant) ?? '';

/** Moments near a clock change, found by checking every six hours of two years. */
const changes = zones.flatMap((timeZone) => {
	const offset = (instant: number) => Date.parse(`${clockShows(instant, timeZone).replace(' ', 'T')}Z`) - instant;
	const found: number[] = [];
	for (let instant = now; instant < now + 2 * 365 * 24 * HOUR; instant += 6 * HOUR) {
		if (offset(instant) !== offset(instant + 6 * HOUR)) found.push(instant);
	}
	return found.map((instant) => ({ timeZone, instant }));
});

const anywhere = fc.record({
	timeZone: zone,
	instant: fc.integer({ min: now / 1000, max: Date.UTC(2040, 0, 1) / 1000 }).map((second) => second * 1000),
});
const nearChange = fc
	.tuple(fc.constantFrom(...changes), fc.integer({ min: -8 * 60, max: 14 * 60 }))
	.map(([{ timeZone, instant }, minutes]) => ({ timeZone, instant: instant + minutes * 60_000 }))
	.filter(({ instant }) => instant >= now);
const moments = fc.oneof(anywhere, nearChange, nearChange);

/** All moments, in steps of 15 minutes, at which the local time is this text. */
const momentsOf = (wall: string, timeZone: (typeof zones)[number]) => {
	const asUtc = Date.parse(`${wall.replace(' ', 'T')}Z`);
	const candidates = Array.from({ length: 28 * 4 * 2 + 1 }, (_, index) => asUtc + (index - 28 * 4) * (HOUR / 4));
	return candidates.filter((instant) => clockShows(instant, timeZone) === wall);
};
const runs = { numRuns: 500 };

describe('scheduleAt', () => {
	it('the generated moments include clock changes', () => {
		expect(changes.length).toBeGreaterThan(20);
		expect(new Set(changes.map(({ timeZone }) => timeZone)).size).toBeGreaterThanOrEqual(7);
	});

	it('writes an instant in the local time of the service, unless that time occurs twice', () => {
		fc.assert(
			fc.property(moments, ({ timeZone, instant }) => {
				const wall = clockShows(instant, timeZone);
				const response = scheduleAt(instant, { now, serviceZone: timeZone });
				if (response.ok) {
					expect(response.schedule_at).toBe(wall);
					expect(Date.parse(response.instant)).toBe(instant);
					expect(momentsOf(wall, timeZone)).toEqual([instant]);
				} else {
					expect(response.problem).toBe('repeated_in_service_zone');
					expect(momentsOf(wall, timeZone)).toHaveLength(2);
				}
			}),
			runs,
		);
	});

	it('finds the only moment of a local time, and rejects a time with no or two moments', () => {
		fc.assert(
			fc.property(moments, fc.constantFrom('T', ' '), ({ timeZone, instant }, separator) => {
				// UTC times used as local times include skipped hours, which a local clock never shows.
				const wall = new Date(instant).toISOString().slice(0, 19).replace('T', ' ');
				for (const local of [wall, clockShows(instant, timeZone)]) {
					const meant = momentsOf(local, timeZone);
					fc.pre(meant.every((moment) => moment >= now));
					const response = scheduleAt(local.replace(' ', separator), { now, localZone: timeZone });
					const found = response.ok ? [Date.parse(response.instant)] : response.problem;
					expect(found).toEqual(meant.length === 1 ? meant : meant.length === 0 ? 'skipped' : 'repeated');
				}
			}),
			runs,
		);
	});

	it('reads all forms of an instant alike', () => {
		fc.assert(
			fc.property(moments, fc.integer({ min: -14 * 60, max: 14 * 60 }), ({ instant }, minutes) => {
				const pad = (value: number) => String(Math.abs(value)).padStart(2, '0');
				const offset = `${minutes < 0 ? '-' : '+'}${pad(Math.trunc(minutes / 60))}:${pad(minutes % 60)}`;
				const text = new Date(instant + minutes * 60_000).toISOString().replace('Z', offset);
				const expected = scheduleAt(instant, { now });
				expect(expected.ok).toBe(true);
				expect(scheduleAt(new Date(instant), { now })).toEqual(expected);
				expect(scheduleAt(text, { now })).toEqual(expected);
				expect(scheduleAt(text, { now, localZone: 'America/New_York' })).toEqual(expected);
			}),
			runs,
		);
	});

	it('schedules never early, never more than a second late, and never in the past', () => {
		fc.assert(
			fc.property(fc.integer({ min: now - 10 * HOUR, max: now + 10 * HOUR }), (instant) => {
				const response = scheduleAt(instant, { now });
				expect(response.ok).toBe(instant >= now);
				if (!response.ok) return;
				const late = Date.parse(`${response.schedule_at.replace(' ', 'T')}Z`) - instant;
				expect(late).toBeGreaterThanOrEqual(0);
				expect(late).toBeLessThan(1000);
			}),
			runs,
		);
	});

	it('rejects a text without a zone', () => {
		fc.assert(
			fc.property(fc.string(), (text) => {
				expect(scheduleAt(text, { now }).ok).toBe(false);
			}),
			runs,
		);
	});
});
