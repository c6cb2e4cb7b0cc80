/** The sandbox's time, in milliseconds since 1970 UTC. It can be set ahead, never back but by a reset. */
export interface Clock {
	now(): number;
	/** Whether time passes by itself; a stopped clock moves only by {@link advance}. */
	running(): boolean;
	/** How far it is ahead of the machine's clock, in milliseconds. */
	ahead(): number;
	/** Sets it ahead by that many milliseconds and tells the listeners before it returns. */
	advance(milliseconds: number): void;
	/** Where the machine's clock stood when it was stopped; null while it runs. */
	stoppedAt(): number | null;
	/** Stops it where it is, or lets time pass by itself from there on. */
	run(running: boolean): void;
	/** Sets it ahead of the machine's clock by that many milliseconds, 0 by default; whether it runs stays as it is. */
	reset(ahead?: number): void;
	/** Calls the listener after each change. @returns a function that ends it */
	onChange(listener: () => void): () => void;
}

/** How a clock stood when the sandbox ended, in milliseconds. */
export interface ClockState {
	/** How far it was ahead of the machine's clock. */
	readonly ahead: number;
	/** Where the machine's clock stood when it was stopped; null where it ran. */
	readonly stoppedAt: number | null;
}

/**
 * Makes a clock that goes on from where another one stood.
 * @param running whether time passes by itself; by default as it did
 */
export function createClock(kept: ClockState, running = kept.stoppedAt === null): Clock {
	let stoppedAt = kept.stoppedAt ?? Date.now();
	// What passed while it stood still is taken off what it is ahead.
	let ahead = running && kept.stoppedAt !== null ? kept.ahead - (Date.now() - stoppedAt) : kept.ahead;
	const listeners = new Set<() => void>();
	const tell = () => {
		for (const listener of listeners) listener();
	};
	const machine = () => (running ? Date.now() : stoppedAt);
	return {
		now: () => machine() + ahead,
		running: () => running,
		ahead: () => ahead,
		stoppedAt: () => (running ? null : stoppedAt),
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
