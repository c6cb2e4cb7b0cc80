/** Limits concurrency. Waiters proceed in the order in which they asked. */
export interface Semaphore {
	/** Resolves with a release function as soon as a place is free. */
	take(): Promise<() => void>;
}

/**
 * Creates a semaphore for work of which only a limited number may be in flight.
 * @param count number of places
 * @example
 * const semaphore = createSemaphore(5);
 * const release = await semaphore.take();
 * try { await work(); } finally { release(); }
 */
export function createSemaphore(count: number): Semaphore {
	const queue: Array<() => void> = [];
	let free = count;
	const release = () => {
		const following = queue.shift();
		if (following) following();
		else free++;
	};
	return {
		take: async () => {
			if (free > 0) free--;
			else await new Promise<void>((resolve) => queue.push(resolve));
			return release;
		},
	};
}
