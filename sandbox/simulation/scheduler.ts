import { repeatInSlices } from '../performance';
import type { Store } from '../store/store';
import type { Clock } from './clock';

/** Work with a due time. The store holds the work, so nothing is lost when the sandbox stops. */
export interface DueSource {
	/** When the next piece is due, in milliseconds since 1970 UTC; undefined if none is. */
	nextDueAt(): number | undefined;
	/** Does a small part of the due work. @returns whether there was any */
	workOn(now: number): boolean;
}

/** Runs work when it is due. */
export interface Scheduler {
	/** Resolves when nothing is due. Does not wait for webhooks in flight. */
	settle(): Promise<void>;
	/** Whether anything is due now. */
	isDue(): boolean;
	stop(): Promise<void>;
}

/** Minimum pause between runs, in milliseconds. Work that becomes due meanwhile runs together, which costs less. */
const REST_MS = 25;

/** Delay before looking for due work after a change, in milliseconds. A busy sandbox changes all the time. */
const LOOK_MS = 2;

/**
 * Starts the scheduler. Due work runs at once, the rest when its time comes or the clock moves. Long work runs in small
 * parts, so that the event loop stays responsive.
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

	function workOnAll(): boolean {
		if (stopped) return false;
		const now = clock.now();
		// Each source gets its share, so a long bulk send does not block the others.
		return sources.map((source) => source.workOn(now)).includes(true);
	}

	async function runAll(): Promise<void> {
		// Effects may leave the sandbox as webhooks, so commit the changes first.
		await repeatInSlices(workOnAll, () => group.flush());
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
		// Due work runs even while the clock is stopped.
		if (milliseconds > 0 && !clock.running()) return;
		const rest = Math.max(milliseconds, restsUntil - performance.now(), 0);
		timer = setTimeout(() => void run(), Math.min(rest, 86_400_000));
	}

	/** Many changes come at about the same time. One look is enough for all. */
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
