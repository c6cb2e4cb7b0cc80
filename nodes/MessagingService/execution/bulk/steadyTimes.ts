import type { Schedule } from '../../../../shared';

/** The time of a group of items. It is final when all items are read. */
export interface SteadyTime {
	readonly schedule: Schedule;
}

/** Merges times of one run that differ only because the items are read one after the other. */
export interface SteadyTimes {
	/** Returns the time of an item's group. Call it as soon as the item is read. */
	timeOf(schedule: Schedule): SteadyTime;
}

/** The service's times have whole seconds, so the distance to the clock varies by up to one second. */
const ROUNDING_MS = 1000;

/**
 * Groups the times of a run. `{{ $now.plus(...) }}` gives a later second to items that are read later. They would go
 * out in separate requests, and a number in both would get the message twice. Times with the same distance to their
 * reading count as one time, the latest, so that nothing goes out early.
 * @param now the current time, in milliseconds since 1970
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
				get schedule() {
					return group.latest;
				},
			};
		},
	};
}
