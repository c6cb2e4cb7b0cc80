/** The sandbox's time, in milliseconds since 1970 UTC. It can be set ahead, never back but by a reset. */
export interface Clock {
	now(): number;
	/** Whether time passes by itself; a stopped clock moves only by {@link advance}. */
	running(): boolean;
	/** How far it is ahead of the machine's clock, in milliseconds. */
	ahead(): number;
	/** Sets it ahead by that many milliseconds and tells the listeners before it returns. */
	advance(milliseconds: number): void;
	/** Stops it where it is, or lets time pass by itself from there on. */
	run(running: boolean): void;
	/** Sets it ahead of the machine's clock by that many milliseconds, 0 by default; whether it runs stays as it is. */
	reset(ahead?: number): void;
	/** Calls the listener after each change. @returns a function that ends it */
	onChange(listener: () => void): () => void;
}

/**
 * Makes a clock.
 * @param running whether time passes by itself
 * @param ahead how far it starts ahead of the machine's clock, in milliseconds
 */
export function createClock(running: boolean, ahead: number): Clock {
	let stoppedAt = Date.now();
	const listeners = new Set<() => void>();
	const tell = () => {
		for (const listener of listeners) listener();
	};
	const machine = () => (running ? Date.now() : stoppedAt);
	return {
		now: () => machine() + ahead,
		running: () => running,
		ahead: () => ahead,
		advance: (milliseconds) => {
			ahead += milliseconds;
			tell();
		},
		run: (wanted) => {
			if (wanted === running) return;
			// Time goes on from where it stood: what passed meanwhile is taken off what it is ahead.
			if (wanted) ahead -= Date.now() - stoppedAt;
			else stoppedAt = Date.now();
			running = wanted;
			tell();
		},
		reset: (milliseconds = 0) => {
			ahead = milliseconds;
			tell();
		},
		onChange: (listener) => {
			listeners.add(listener);
			return () => void listeners.delete(listener);
		},
	};
}
