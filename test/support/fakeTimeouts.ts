/** Timers and clocks that jest can fake and that stay real, because sockets need them. */
const real = [
	'nextTick',
	'setImmediate',
	'clearImmediate',
	'setInterval',
	'clearInterval',
	'Date',
	'hrtime',
	'queueMicrotask',
] as const;

/**
 * Fakes `setTimeout` and `performance`, so the timeouts of the code under test pass only when the test advances the
 * clock. Call `jest.useRealTimers()` afterward.
 * @param realPerformance keeps `performance`, for code that measures real time
 */
export function fakeTimeouts({ realPerformance = false } = {}): void {
	jest.useFakeTimers({ doNotFake: [...real, ...(realPerformance ? (['performance'] as const) : [])] });
}
