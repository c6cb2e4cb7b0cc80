import type { Schedule } from '../../../../shared';

/** The time of a group of items, once all of them are read. */
export interface SteadyTime {
	readonly schedule_at: string;
}

/** Keeps the times of one run together that differ only because the items are read one after the other. */
export interface SteadyTimes {
	/** Call it as soon as the time of an item is read. */
	timeOf(schedule: Schedule): SteadyTime;
}

/** Times of the service have whole seconds, so that a moving time and the clock differ by up to one more or less. */
const ROUNDING_MS = 1000;

/**
 * Makes the times of a run steady. `{{ $now.plus(...) }}` gives another second for items that are read a second later: they
 * would go out in requests of their own, and a number in both would get the message twice. Times that are as far from the
 * moment of their reading count as one, and the latest of them is meant, so that nothing goes out early.
 * @param now the present, in milliseconds since 1970
 */
export function steadyTimes(now: () => number = Date.now): SteadyTimes {
	const groups = new Map<number, { distanceMs: number; latest: Schedule }>();
	return {
		timeOf: (schedule) => {
			const distanceMs = Date.parse(schedule.instant) - now();
			const place = Math.floor(distanceMs / ROUNDING_MS);
			const near = [place, place - 1, place + 1]
				.flatMap((one) => groups.get(one) ?? [])
				.find((group) => Math.abs(group.distanceMs - distanceMs) < ROUNDING_MS);
			const group = near ?? { distanceMs, latest: schedule };
			if (!near) groups.set(place, group);
			if (schedule.instant > group.latest.instant) group.latest = schedule;
			return {
				get schedule_at() {
					return group.latest.schedule_at;
				},
			};
		},
	};
}
