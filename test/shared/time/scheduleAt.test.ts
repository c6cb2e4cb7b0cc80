import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { scheduleAt, type ScheduleOptions } from '../../../shared/time/scheduleAt';
import { accepted, now, rejected } from '../../support/scheduleCases';

const containing = (words: string): unknown => expect.stringContaining(words);
const read = (when: Date | number | string, options: Omit<ScheduleOptions, 'now'> = {}) =>
	scheduleAt(when, { now, ...options });

describe('scheduleAt', () => {
	it.each(accepted)('converts %p %j to %s', (when, options, schedule_at, instant) => {
		const zone = options.serviceZone ?? 'Africa/Accra';
		expect(read(when, options)).toEqual({ ok: true, schedule_at, zone, instant });
	});

	it.each(rejected)('rejects %p %j: %s', (when, options, problem) => {
		const response = read(when, options);
		expect(response).toMatchObject({ ok: false, problem });
		if (!response.ok)
			expect(`schedule_at ${response.message}`).toMatch(/^schedule_at (is|does|has|occurs|cannot) .*: \w/);
	});

	it('accepts a Date as the time to send', () => {
		expect(read(new Date('2026-11-20T18:00:00Z'))).toMatchObject({ schedule_at: '2026-11-20 18:00:00' });
		expect(read(new Date(NaN))).toMatchObject({ ok: false, problem: 'unreadable' });
		expect(read(NaN)).toMatchObject({ ok: false, problem: 'unreadable' });
		expect(read(Infinity)).toMatchObject({ ok: false });
	});

	it('rejects seconds given as milliseconds', () => {
		expect(read(Math.floor(now / 1000) + 3600)).toMatchObject({
			message: containing('seconds'),
		});
		expect(read(now - 1)).toMatchObject({ message: containing('send now') });
		expect(read(5)).toMatchObject({ message: containing('send now') });
	});

	it('rejects the date of a sheet without a time zone, or in the past', () => {
		expect(read(47841.354166)).toMatchObject({ problem: 'no_zone' });
		expect(read(45_000.5, { localZone: 'Africa/Accra' })).toMatchObject({
			problem: 'past',
			message: containing('send now'),
		});
	});

	it.each([
		['America/New_York', [300, 240]],
		['Europe/London', [0, -60]],
		['Africa/Accra', [0, 0]],
		['Pacific/Chatham', [-825, -765]],
	])('gives the same results on a host in %s', (TZ, hostOffsets) => {
		const child = join(__dirname, '..', '..', 'support', 'printSchedules.ts');
		const output = execFileSync(process.execPath, ['--import', 'tsx', child], {
			encoding: 'utf8',
			env: { PATH: process.env.PATH, TZ },
		});
		const responses = [...accepted, ...rejected].map(([when, options]) => read(when, options));
		expect(JSON.parse(output)).toEqual({ hostOffsets, schedules: responses });
	});
});
