import type { ScheduleOptions } from '../../shared/time/scheduleAt';

/** The present time of every case. */
export const now = Date.UTC(2026, 10, 20, 12, 0, 0, 500);

type Options = Omit<ScheduleOptions, 'now'>;

/** Accepted times: the input, `schedule_at`, and the instant. */
export const accepted: readonly [string | number, Options, string, string][] = [
	// Instants, on the clock of Accra: UTC, in summer and in winter.
	['2026-11-20T18:00:00Z', {}, '2026-11-20 18:00:00', '2026-11-20T18:00:00.000Z'],
	['2027-07-20T18:00:00Z', {}, '2027-07-20 18:00:00', '2027-07-20T18:00:00.000Z'],
	['2026-11-20T18:00:00.000+00:00', {}, '2026-11-20 18:00:00', '2026-11-20T18:00:00.000Z'],
	['2026-11-20T18:00:00-05:00', {}, '2026-11-20 23:00:00', '2026-11-20T23:00:00.000Z'],
	['2026-11-21 00:30+0545', {}, '2026-11-20 18:45:00', '2026-11-20T18:45:00.000Z'],
	['2026-12-31t23:30:00-01', {}, '2027-01-01 00:30:00', '2027-01-01T00:30:00.000Z'],
	[Date.UTC(2028, 1, 29, 6), {}, '2028-02-29 06:00:00', '2028-02-29T06:00:00.000Z'],
	// The offset in a text has priority over the time zone option.
	['2026-11-20T18:00:00Z', { localZone: 'America/New_York' }, '2026-11-20 18:00:00', '2026-11-20T18:00:00.000Z'],
	// Local times.
	['2026-11-20 18:00', { localZone: 'Africa/Accra' }, '2026-11-20 18:00:00', '2026-11-20T18:00:00.000Z'],
	['2026-11-20T18:00:00', { localZone: 'America/New_York' }, '2026-11-20 23:00:00', '2026-11-20T23:00:00.000Z'],
	['2027-07-20T18:00:00', { localZone: 'America/New_York' }, '2027-07-20 22:00:00', '2027-07-20T22:00:00.000Z'],
	['2027-07-20T18:00:00', { localZone: 'Europe/London' }, '2027-07-20 17:00:00', '2027-07-20T17:00:00.000Z'],
	['2027-07-20T18:00:00', { localZone: 'Asia/Kathmandu' }, '2027-07-20 12:15:00', '2027-07-20T12:15:00.000Z'],
	['2027-07-20T18:00:00', { localZone: 'Africa/Lagos' }, '2027-07-20 17:00:00', '2027-07-20T17:00:00.000Z'],
	// As sheets and people write them.
	['2027-07-20 8:30:00', { localZone: 'Africa/Lagos' }, '2027-07-20 07:30:00', '2027-07-20T07:30:00.000Z'],
	['2027-7-2  8:30', { localZone: 'Africa/Accra' }, '2027-07-02 08:30:00', '2027-07-02T08:30:00.000Z'],
	['2027-07-20 08:30:00 +0100', {}, '2027-07-20 07:30:00', '2027-07-20T07:30:00.000Z'],
	['2027-07-20 8:30 Z', {}, '2027-07-20 08:30:00', '2027-07-20T08:30:00.000Z'],
	// 2030-12-24 08:30 as the number of a sheet.
	[47841.354166, { localZone: 'Africa/Accra' }, '2030-12-24 08:30:00', '2030-12-24T08:30:00.000Z'],
	['47841.3541666667', { localZone: 'Africa/Lagos' }, '2030-12-24 07:30:00', '2030-12-24T07:30:00.000Z'],
	[' 47841,354166 ', { localZone: 'Africa/Accra' }, '2030-12-24 08:30:00', '2030-12-24T08:30:00.000Z'],
	[47841, { localZone: 'Africa/Accra' }, '2030-12-24 00:00:00', '2030-12-24T00:00:00.000Z'],
	// The minutes before and after clocks change.
	['2027-03-14T01:59:59', { localZone: 'America/New_York' }, '2027-03-14 06:59:59', '2027-03-14T06:59:59.000Z'],
	['2027-03-14T03:00:00', { localZone: 'America/New_York' }, '2027-03-14 07:00:00', '2027-03-14T07:00:00.000Z'],
	['2027-11-07T00:59:59', { localZone: 'America/New_York' }, '2027-11-07 04:59:59', '2027-11-07T04:59:59.000Z'],
	['2027-11-07T02:00:00', { localZone: 'America/New_York' }, '2027-11-07 07:00:00', '2027-11-07T07:00:00.000Z'],
	['2027-03-28T00:59:59', { localZone: 'Europe/London' }, '2027-03-28 00:59:59', '2027-03-28T00:59:59.000Z'],
	['2027-03-28T02:00:00', { localZone: 'Europe/London' }, '2027-03-28 01:00:00', '2027-03-28T01:00:00.000Z'],
	['2027-10-31T02:00:00', { localZone: 'Europe/London' }, '2027-10-31 02:00:00', '2027-10-31T02:00:00.000Z'],
	// The repeated hour, with its offset: two different moments.
	['2027-10-31T01:30:00+01:00', { localZone: 'Europe/London' }, '2027-10-31 00:30:00', '2027-10-31T00:30:00.000Z'],
	['2027-10-31T01:30:00+00:00', { localZone: 'Europe/London' }, '2027-10-31 01:30:00', '2027-10-31T01:30:00.000Z'],
	// The hours that other zones skip or repeat are ordinary in Accra.
	['2027-03-28T01:30:00', { localZone: 'Africa/Accra' }, '2027-03-28 01:30:00', '2027-03-28T01:30:00.000Z'],
	['2027-10-31T01:30:00', { localZone: 'Africa/Accra' }, '2027-10-31 01:30:00', '2027-10-31T01:30:00.000Z'],
	['2027-03-14T02:30:00', { localZone: 'Africa/Accra' }, '2027-03-14 02:30:00', '2027-03-14T02:30:00.000Z'],
	// A service with another time zone.
	['2027-07-20T18:00:00Z', { serviceZone: 'Europe/London' }, '2027-07-20 19:00:00', '2027-07-20T18:00:00.000Z'],
	['2027-01-20T18:00:00Z', { serviceZone: 'Europe/London' }, '2027-01-20 18:00:00', '2027-01-20T18:00:00.000Z'],
	['2027-07-20T23:30:00Z', { serviceZone: '+01:00' }, '2027-07-21 00:30:00', '2027-07-20T23:30:00.000Z'],
	// Fractions are rounded up.
	['2026-11-20T18:00:00.001Z', {}, '2026-11-20 18:00:01', '2026-11-20T18:00:01.000Z'],
	['2026-11-20T18:00:59.000000001Z', {}, '2026-11-20 18:01:00', '2026-11-20T18:01:00.000Z'],
	['2026-12-31T23:59:59,5', { localZone: 'Africa/Accra' }, '2027-01-01 00:00:00', '2027-01-01T00:00:00.000Z'],
	// The exact present is not in the past.
	[now, {}, '2026-11-20 12:00:01', '2026-11-20T12:00:01.000Z'],
];

/** Rejected times, with the reasons. */
export const rejected: readonly [string | number, Options, string][] = [
	['2026-11-20 18:00:00', {}, 'no_zone'],
	['2026-11-20T18:00', {}, 'no_zone'],
	['2027-03-14T02:00:00', { localZone: 'America/New_York' }, 'skipped'],
	['2027-03-14T02:59:59', { localZone: 'America/New_York' }, 'skipped'],
	['2027-03-28T01:30:00', { localZone: 'Europe/London' }, 'skipped'],
	['2027-11-07T01:00:00', { localZone: 'America/New_York' }, 'repeated'],
	['2027-11-07T01:59:59', { localZone: 'America/New_York' }, 'repeated'],
	['2027-10-31T01:30:00', { localZone: 'Europe/London' }, 'repeated'],
	['2027-10-31T01:30:00Z', { serviceZone: 'Europe/London' }, 'repeated_in_service_zone'],
	['2027-10-31T00:30:00Z', { serviceZone: 'Europe/London' }, 'repeated_in_service_zone'],
	['2026-11-20T12:00:00.499Z', {}, 'past'],
	['2026-11-20T12:59:00+01:00', {}, 'past'],
	['1970-01-01T00:00:00Z', {}, 'past'],
	['0050-01-01T00:00:00Z', {}, 'past'],
	[now - 1, {}, 'past'],
	[0, {}, 'past'],
	[Math.floor(now / 1000) + 3600, {}, 'past'],
	['2027-02-29T12:00:00Z', {}, 'impossible'],
	['2027-02-30T12:00:00Z', {}, 'impossible'],
	['2027-13-01T12:00:00Z', {}, 'impossible'],
	['2027-00-10T12:00:00Z', {}, 'impossible'],
	['2027-01-00T12:00:00Z', {}, 'impossible'],
	['2027-01-01T24:00:00Z', {}, 'impossible'],
	['2027-01-01T12:60:00Z', {}, 'impossible'],
	['2027-01-01T12:00:60Z', {}, 'impossible'],
	['2027-01-01T12:00:00+15:00', {}, 'impossible'],
	['2027-01-01T12:00:00+01:75', {}, 'impossible'],
	['2027-01-01', {}, 'unreadable'],
	['20/11/2027 18:00', {}, 'unreadable'],
	['tomorrow', {}, 'unreadable'],
	['', {}, 'unreadable'],
	['1795197600000', {}, 'unreadable'],
	['2027-01-01T12:00:00 Africa/Accra', {}, 'unreadable'],
	['+12027-01-01T12:00:00Z', {}, 'unreadable'],
	['9999-12-31T00:00:00Z', {}, 'too_far'],
	[8.64e15, {}, 'too_far'],
	['2027-01-01T12:00:00', { localZone: 'Africa/Akra' }, 'unknown_zone'],
	['2027-01-01T12:00:00', { localZone: '' }, 'no_zone'],
	['2027-01-01T12:00:00Z', { serviceZone: 'Ghana' }, 'unknown_service_zone'],
];
