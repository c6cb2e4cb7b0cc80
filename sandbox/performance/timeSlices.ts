import { setImmediate as nextTurn } from 'node:timers/promises';

/*
 * Goal: while 100,000 recipients of a bulk send are checked, stored, turned into messages and delivered, no turn of the
 * event loop takes over 50 ms. `npm run bench sandbox` prints the longest turn of each phase: 9 to 32 ms.
 *
 * The simpler code does all the work in one turn, which then takes 4 seconds.
 */

/** How long work may run before other requests get a turn, in milliseconds. */
const TIME_SLICE_MS = 5;

/** Rows in one step of long work: large enough to be fast, small enough for a turn. */
export const ROWS_PER_STEP = 250;

/** Maximum items of one slice of a list: large enough to be fast, small enough for a turn. */
export const SLICE_LENGTH = 500;

/**
 * Repeats a step of long work until it reports that nothing is left. Other requests get a turn every few milliseconds.
 * @param step does a small part of the work and returns whether there was any
 * @param beforeSlice called at the start of each slice
 */
export async function repeatInSlices(step: () => boolean, beforeSlice?: () => void): Promise<void> {
	for (;;) {
		const end = performance.now() + TIME_SLICE_MS;
		beforeSlice?.();
		while (performance.now() < end) if (!step()) return;
		await nextTurn();
	}
}

/**
 * Splits a long list into slices of at most 500 items. Other requests get a turn between them every few milliseconds.
 * @returns the slices, each with the position of its first item in the list, from 0
 */
export async function* slicesOf<Item>(
	list: readonly Item[],
): AsyncGenerator<{ readonly first: number; readonly slice: readonly Item[] }> {
	let end = performance.now() + TIME_SLICE_MS;
	for (let first = 0; first < list.length; first += SLICE_LENGTH) {
		yield { first, slice: list.slice(first, first + SLICE_LENGTH) };
		if (performance.now() < end) continue;
		await nextTurn();
		end = performance.now() + TIME_SLICE_MS;
	}
}
