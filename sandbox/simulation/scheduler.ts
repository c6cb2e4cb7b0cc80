import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Store } from '../store/store';
import { TIME_SLICE_MS } from '../yieldToEventLoop';
import type { Clock } from './clock';

/** A kind of work that has its time; what is due stands in the store, so nothing is lost when the sandbox stops. */
export interface DueSource {
	/** When the next piece is due, in milliseconds since 1970 UTC; undefined where none lies ahead. */
	nextDueAt(): number | undefined;
	/** Does a small part of what is due. @returns whether there was any */
	workOn(now: number): boolean;
}

/** What does the work when its time comes. */
export interface Scheduler {
	/** Resolves when nothing is due any more; what is under way outside, such as posts, is not waited for. */
	settle(): Promise<void>;
	/** Whether anything is due now. */
	isDue(): boolean;
	stop(): Promise<void>;
}

/** How long work rests at least, in milliseconds: what becomes due meanwhile is done together, which costs less. */
const REST_MS = 25;

/** How long after a change it is looked at what has become due, in milliseconds: a busy sandbox changes all the time. */
const LOOK_MS = 2;

/**
 * Starts doing work: at once what is due already, the rest when its time comes or the clock is advanced. Long work is
 * done in small parts with the event loop's other business between them.
 */
export function startScheduler(
	sources: readonly DueSource[],
	clock: Clock,
	{ changes, group }: Pick<Store, 'changes' | 'group'>,
): Scheduler {
	let timer: NodeJS.Timeout | undefined;
	let running: Promise<void> | undefined;
	let looking: NodeJS.Timeout | undefined;
	let restsUntil = 0;
	let stopped = false;

	function workForOneTurn(): boolean {
		const end = performance.now() + TIME_SLICE_MS;
		// What follows from a change may leave the sandbox, so that has to be kept before.
		group.flush();
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
			restsUntil = performance.now() + REST_MS;
			wait();
		}));
	}

	function wait(): void {
		clearTimeout(timer);
		clearTimeout(looking);
		looking = undefined;
		if (stopped || running) return;
		const times = sources.map((source) => source.nextDueAt()).filter((time) => time !== undefined);
		if (times.length === 0) return;
		const milliseconds = Math.min(...times) - clock.now();
		// What is due already is done even while the clock stands still.
		if (milliseconds > 0 && !clock.running()) return;
		const rest = Math.max(milliseconds, restsUntil - performance.now(), 0);
		timer = setTimeout(() => void run(), Math.min(rest, 86_400_000));
	}

	/** Many things become due at about the same time; looking once is enough. */
	function lookSoon(): void {
		if (!stopped) looking ??= setTimeout(wait, LOOK_MS);
	}

	function isDue(): boolean {
		return !stopped && sources.some((source) => (source.nextDueAt() ?? Infinity) <= clock.now());
	}

	async function settle(): Promise<void> {
		do await run();
		while (isDue());
	}

	const ends = [clock.onChange(wait), changes.onDue(lookSoon)];
	wait();
	return {
		settle,
		isDue,
		stop: async () => {
			stopped = true;
			clearTimeout(timer);
			clearTimeout(looking);
			for (const end of ends) end();
			await running;
		},
	};
}
