import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may go on before waiting requests get their turn, in milliseconds. */
export const TIME_SLICE_MS = 5;

/**
 * Divides long work into turns.
 * @returns a function to call between its parts: it waits for the event loop's other business where the turn is over
 */
export function createYield(): () => Promise<void> {
	let end = performance.now() + TIME_SLICE_MS;
	return async () => {
		if (performance.now() < end) return;
		await nextTurn();
		end = performance.now() + TIME_SLICE_MS;
	};
}
