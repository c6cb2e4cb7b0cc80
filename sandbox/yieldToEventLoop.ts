import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may run before other requests get a turn, in milliseconds. */
export const TIME_SLICE_MS = 5;

/**
 * Splits long work into time slices.
 * @returns a function to call between parts of the work; it yields to the event loop when the slice is used up
 */
export function createYield(): () => Promise<void> {
	let end = performance.now() + TIME_SLICE_MS;
	return async () => {
		if (performance.now() < end) return;
		await nextTurn();
		end = performance.now() + TIME_SLICE_MS;
	};
}
