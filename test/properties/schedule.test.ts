import { scheduleAt } from '../../shared/time/scheduleAt';
import { changes, clockShows, HOUR, moments, now, type TestZone } from '../support/clockChanges';
import { fc, runCount } from '../support/random';

/** All moments, in steps of 15 minutes, at which the local time is this text. */
const momentsOf = (wall: string, timeZone: TestZone) => {
	const asUtc = Date.parse(`${wall.replace(' ', 'T')}Z`);
	const candidates = Array.from({ length: 28 * 4 * 2 + 1 }, (_, index) => asUtc + (index - 28 * 4) * (HOUR / 4));
	return candidates.filter((instant) => clockShows(instant, timeZone) === wall);
};
const runs = { numRuns: runCount(500) };

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
