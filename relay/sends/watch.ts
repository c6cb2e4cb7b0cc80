import type { SendStore } from './store';

/** How often sends of other processes are read, in milliseconds. */
const EVERY_MS = 250;

/** Waits for sends that are in flight. */
export interface Watch {
	/**
	 * Waits until none of the sends is in flight.
	 * @param ms the longest wait, in milliseconds
	 * @param signal ends the wait
	 * @returns whether none is in flight any more
	 */
	settled(ids: readonly string[], ms: number, signal: AbortSignal): Promise<boolean>;
	/** Wakes the callers that wait for these sends. */
	wake(ids: readonly string[]): void;
}

/**
 * Creates the waits of one process. A send of this process wakes its waiters at once. Those of other processes are read
 * together, a few times a second, only while someone waits.
 */
export function createWatch(store: Pick<SendStore, 'inFlight'>): Watch {
	const waiting = new Map<string, Set<() => void>>();
	let timer: NodeJS.Timeout | undefined;

	const wake = (ids: readonly string[]) => {
		for (const id of ids) {
			const waiters = waiting.get(id);
			waiting.delete(id);
			for (const resume of waiters ?? []) resume();
		}
	};

	async function look(): Promise<void> {
		const ids = [...waiting.keys()];
		// If the database is away, the next look may succeed.
		const busy = await store.inFlight(ids).catch(() => new Set(ids));
		wake(ids.filter((id) => !busy.has(id)));
		timer = waiting.size > 0 ? schedule() : undefined;
	}

	const schedule = () => setTimeout(() => void look(), EVERY_MS).unref();

	async function settledOne(id: string, over: Promise<void>): Promise<boolean> {
		const waiters = waiting.get(id) ?? new Set();
		waiting.set(id, waiters);
		timer ??= schedule();
		let resume = () => {};
		const woken = new Promise<boolean>((resolve) => (resume = () => resolve(true)));
		waiters.add(resume);
		const settled = await Promise.race([woken, over.then(() => false)]);
		waiters.delete(resume);
		if (waiters.size === 0 && waiting.get(id) === waiters) waiting.delete(id);
		return settled;
	}

	return {
		wake,
		async settled(ids, ms, signal) {
			if (ms <= 0 || signal.aborted) return false;
			let end = () => {};
			const over = new Promise<void>((resolve) => (end = resolve));
			const limit = setTimeout(end, ms);
			signal.addEventListener('abort', end, { once: true });
			try {
				return (await Promise.all(ids.map(async (id) => await settledOne(id, over)))).every(Boolean);
			} finally {
				clearTimeout(limit);
				signal.removeEventListener('abort', end);
			}
		},
	};
}
