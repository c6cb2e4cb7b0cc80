import { fc } from './random';

/** The present time of the generated moments. */
export const now = Date.UTC(2026, 10, 20, 12);

/** An hour, in milliseconds. */
export const HOUR = 3_600_000;

/** Zones with and without clock changes, with whole and half hours, and one that changes by half an hour. */
export const zones = [
	...['Africa/Accra', 'Africa/Lagos', 'Europe/London', 'America/New_York', 'America/St_Johns', 'Africa/Casablanca'],
	...['Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Chatham', 'Pacific/Apia', 'America/Havana', 'Asia/Beirut'],
] as const;

/** One of {@link zones}. */
export type TestZone = (typeof zones)[number];

const clocks = new Map(
	zones.map((timeZone) => {
		const options = { timeZone, dateStyle: 'short', timeStyle: 'medium' } as const;
		return [timeZone, new Intl.DateTimeFormat('sv-SE', options)];
	}),
);

/**
 * The local time in a zone, computed independently of the code under test: Swedish dates have the format of the service.
 * @returns `YYYY-MM-DD HH:MM:SS`
 */
export const clockShows = (instant: number, timeZone: TestZone): string => clocks.get(timeZone)?.format(instant) ?? '';

/** Moments near a clock change, found by checking every six hours of two years. */
export const changes = zones.flatMap((timeZone) => {
	const offset = (instant: number) => Date.parse(`${clockShows(instant, timeZone).replace(' ', 'T')}Z`) - instant;
	const found: number[] = [];
	for (let instant = now; instant < now + 2 * 365 * 24 * HOUR; instant += 6 * HOUR) {
		if (offset(instant) !== offset(instant + 6 * HOUR)) found.push(instant);
	}
	return found.map((instant) => ({ timeZone, instant }));
});

const anywhere = fc.record({
	timeZone: fc.constantFrom(...zones),
	instant: fc.integer({ min: now / 1000, max: Date.UTC(2040, 0, 1) / 1000 }).map((second) => second * 1000),
});
const nearChange = fc
	.tuple(fc.constantFrom(...changes), fc.integer({ min: -8 * 60, max: 14 * 60 }))
	.map(([{ timeZone, instant }, minutes]) => ({ timeZone, instant: instant + minutes * 60_000 }))
	.filter(({ instant }) => instant >= now);

/** Moments in a zone, many of them near a clock change. */
export const moments = fc.oneof(anywhere, nearChange, nearChange);
