/** The sandbox's time, in milliseconds since 1970 UTC. It can be set ahead, never back but by a reset. */
export interface Clock {
	now(): number;
	/** Whether time passes by itself; a stopped clock moves only by {@link advance}. */
	readonly running: boolean;
	/** How far it was set ahead, in milliseconds. */
	ahead(): number;
	/** Sets it ahead by that many milliseconds and tells the listeners before it returns. */
	advance(milliseconds: number): void;
	/** Takes back every advance. */
	reset(): void;
	/** Calls the listener after each advance. */
	onAdvance(listener: () => void): void;
}

/**
 * Makes a clock.
 * @param running whether time passes by itself
 * @param ahead how far it starts ahead of the machine's clock, in milliseconds
 */
export function createClock(running: boolean, ahead: number): Clock {
	const started = Date.now();
	const listeners: (() => void)[] = [];
	return {
		now: () => (running ? Date.now() : started) + ahead,
		running,
		ahead: () => ahead,
		advance: (milliseconds) => {
			ahead += milliseconds;
			for (const listener of listeners) listener();
		},
		reset: () => {
			ahead = 0;
		},
		onAdvance: (listener) => void listeners.push(listener),
	};
}
