import { steadyTimes } from '../../nodes/MessagingService/execution/bulk/bulkPlan';
import { scheduleAt, type Schedule } from '../../shared';

const NOON = Date.UTC(2030, 0, 1, 12);

function schedule(when: number): Schedule {
	const read = scheduleAt(when, { now: 0 });
	if (!read.ok) throw new Error(read.message);
	return read;
}

describe('the times of a bulk send', () => {
	it('uses one time, the latest, if $now.plus(...) advances while the node reads the items', () => {
		let now = NOON;
		const times = steadyTimes(() => now);
		const read = Array.from({ length: 5000 }, (_, index) => {
			// The node reads each item some milliseconds after the previous one. n8n evaluated it a moment
			// earlier.
			now = NOON + index * 7;
			return times.timeOf(schedule(now - 2 + 3_600_000));
		});
		const lastOne = schedule(NOON + 4999 * 7 - 2 + 3_600_000).schedule_at;
		expect(new Set(read.map(({ schedule }) => schedule.schedule_at))).toEqual(new Set([lastOne]));
	});

	it('keeps different times of items separate', () => {
		let now = NOON;
		const times = steadyTimes(() => (now += 5));
		const given = [0, 1, 2, 0, 1, 2].map((hour) => schedule(NOON + (hour + 9) * 3_600_000));
		const read = given.map((one) => times.timeOf(one));
		expect(read.map(({ schedule }) => schedule.schedule_at)).toEqual(given.map(({ schedule_at }) => schedule_at));
	});

	it('returns no time earlier than the time of the item', () => {
		let now = NOON;
		const times = steadyTimes(() => (now += 400));
		const given = Array.from({ length: 200 }, (_, index) => schedule(NOON + 60_000 + ((index * 37) % 50) * 1000));
		const read = given.map((one) => times.timeOf(one));
		for (const [index, one] of given.entries())
			expect([one.schedule_at, read[index]?.schedule.schedule_at].sort()[0]).toBe(one.schedule_at);
	});
});
