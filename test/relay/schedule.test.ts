import { nextAttempt } from '../../relay/delivery/schedule';
import { RETRY } from '../../relay/waits';

const HOUR = 3_600;

/** The times of all attempts, in seconds after the first one. */
function attemptsOf(options?: { readonly isOptOut: boolean }): number[] {
	const start = new Date('2026-11-20T09:00:00Z');
	const times = [0];
	for (;;) {
		const last = new Date(start.getTime() + (times.at(-1) ?? 0) * 1000);
		const next = nextAttempt(RETRY, times.length, last, options);
		if (next === undefined) return times;
		times.push((next.getTime() - start.getTime()) / 1000);
	}
}

/** How long after the end of an outage the next attempt comes, in seconds. The outage begins with the first attempt. */
function waitAfter(outage: number, times: readonly number[]): number {
	return (times.find((time) => time >= outage) ?? Infinity) - outage;
}

describe('the schedule of attempts', () => {
	it('has 12 retries in about three days', () => {
		const times = attemptsOf();
		expect(times).toHaveLength(13);
		expect((times.at(-1) ?? 0) / HOUR).toBeGreaterThan(24 * 2.5);
		expect((times.at(-1) ?? 0) / HOUR).toBeLessThan(24 * 3.5);
	});

	it('waits as long as the receiver asks, up to an hour', () => {
		const now = new Date();
		const wait = (retryAfter: number) =>
			((nextAttempt(RETRY, 1, now, { retryAfter })?.getTime() ?? 0) - now.getTime()) / 1000;
		expect(wait(100)).toBe(100);
		expect(wait(1e9)).toBe(HOUR);
	});

	it('brings an opt-out to the service within five minutes after an outage of an hour, a day or three days', () => {
		const times = attemptsOf({ isOptOut: true });
		for (let minutes = 1; minutes <= 64 * 60; minutes += 7) {
			expect(waitAfter(minutes * 60, times)).toBeLessThan(300);
		}
		expect((times.at(-1) ?? 0) / HOUR).toBeLessThan(24 * 3.5);
		// A paused receiver gets nothing between two probes.
		expect(Math.max(...RETRY.probes)).toBeLessThanOrEqual(300);
		// Other deliveries may wait much longer.
		expect(waitAfter(HOUR, attemptsOf())).toBeGreaterThan(600);
	});
});
