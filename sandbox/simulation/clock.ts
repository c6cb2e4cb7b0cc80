import type { ClockState } from '../store/settings';

/** Time of the sandbox, in milliseconds since 1970 UTC. It only moves forward, except for a reset. */
export interface Clock {
	now(): number;
	/** Whether time passes by itself. A stopped clock only moves with {@link advance}. */
	running(): boolean;
	/** How far it is ahead of the machine's clock, in milliseconds. */
	ahead(): number;
	/** Moves it forward by that many milliseconds. Listeners are called before it returns. */
	advance(milliseconds: number): void;
	/** Time of the machine's clock when this clock was stopped; null while it runs. */
	stoppedAt(): number | null;
	/** Stops the clock, or lets it run on from its current time. */
	run(running: boolean): void;
	/** Sets it ahead of the machine's clock by that many milliseconds, 0 by default. It stays running or stopped. */
	reset(ahead?: number): void;
	/** Calls the listener after each change. @returns a function that stops it */
	onChange(listener: () => void): () => void;
}

/**
 * Creates a clock that continues from a saved state.
 * @param running whether time passes by itself; by default as saved
 */
export function createClock(saved: ClockState, running = saved.stoppedAt === null): Clock {
	let stoppedAt = saved.stoppedAt ?? Date.now();
	// The time while it was stopped must not count, so subtract it.
	let ahead = running && saved.stoppedAt !== null ? saved.ahead - (Date.now() - stoppedAt) : saved.ahead;
	const listeners = new Set<() => void>();
	const emit = () => {
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
			emit();
		},
		run: (wanted) => {
			if (wanted === running) return;
			// The time while it was stopped must not count, so subtract it.
			if (wanted) ahead -= Date.now() - stoppedAt;
			else stoppedAt = Date.now();
			running = wanted;
			emit();
		},
		reset: (milliseconds = 0) => {
			ahead = milliseconds;
			emit();
		},
		onChange: (listener) => {
			listeners.add(listener);
			return () => void listeners.delete(listener);
		},
	};
}
