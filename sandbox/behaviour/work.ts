import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Changes } from '../store/changes';
import type { Clock } from './clock';

/** A kind of work that has its time; what is due stands in the store, so nothing is lost when the sandbox stops. */
export interface WorkSource {
	/** When the next piece is due, in milliseconds since 1970 UTC; undefined where none lies ahead. */
	nextDueAt(): number | undefined;
	/** Does a small part of what is due. @returns whether there was any */
	workOn(now: number): boolean;
}

/** What does the work when its time comes. */
export interface Work {
	/** Resolves when nothing is due any more; what is under way outside, such as posts, is not waited for. */
	settle(): Promise<void>;
	/** Whether anything is due now. */
	isDue(): boolean;
	stop(): Promise<void>;
}

/** How long work may go on before waiting requests get their turn, in milliseconds. */
const TURN_MS = 8;

/**
 * Starts doing work: at once what is due already, the rest when its time comes or the clock is advanced. Long work is
 * done in small parts with the event loop's other business between them.
 */
export function startWork(sources: readonly WorkSource[], clock: Clock, changes: Changes): Work {
	let timer: NodeJS.Timeout | undefined;
	let running: Promise<void> | undefined;
	let stopped = false;

	function workForOneTurn(): boolean {
		const end = performance.now() + TURN_MS;
		while (performance.now() < end) {
			const now = clock.now();
			// Every source has its share, so that a long bulk does not hold up the others.
			if (!sources.map((source) => source.workOn(now)).includes(true)) return false;
		}
		return true;
	}

	async function runAll(): Promise<void> {
		while (!stopped && workForOneTurn()) await nextTurn();
	}

	function run(): Promise<void> {
		return (running ??= runAll().finally(() => {
			running = undefined;
			wait();
		}));
	}

	function wait(): void {
		clearTimeout(timer);
		if (stopped || running) return;
		const times = sources.map((source) => source.nextDueAt()).filter((time) => time !== undefined);
		if (times.length === 0) return;
		const milliseconds = Math.min(...times) - clock.now();
		// What is due already is done even while the clock stands still.
		if (milliseconds > 0 && !clock.running()) return;
		timer = setTimeout(() => void run(), Math.min(Math.max(0, milliseconds), 86_400_000));
	}

	function isDue(): boolean {
		return !stopped && sources.some((source) => (source.nextDueAt() ?? Infinity) <= clock.now());
	}

	async function settle(): Promise<void> {
		do await run();
		while (isDue());
	}

	const ends = [clock.onChange(wait), changes.onDue(wait)];
	wait();
	return {
		settle,
		isDue,
		stop: async () => {
			stopped = true;
			clearTimeout(timer);
			for (const end of ends) end();
			await running;
		},
	};
}
