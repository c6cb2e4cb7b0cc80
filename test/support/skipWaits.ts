/** The waits that were skipped. Disposing of it makes all timers run in real time again. */
export interface SkippedWaits extends Disposable {
	/** In milliseconds, in order. */
	readonly lengths: number[];
}

/** Ends waits of exactly these lengths at once, in milliseconds. All other timers run in real time. */
export function skipWaits(...skipped: readonly number[]): SkippedWaits {
	const lengths: number[] = [];
	const start = setTimeout;
	const spy = jest.spyOn(globalThis, 'setTimeout').mockImplementation((work: () => void, milliseconds?: number) => {
		if (milliseconds === undefined || !skipped.includes(milliseconds)) return start(work, milliseconds);
		lengths.push(milliseconds);
		return start(work, 0);
	});
	return { lengths, [Symbol.dispose]: () => spy.mockRestore() };
}
