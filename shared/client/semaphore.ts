/** A number of places, taken in the order in which they are asked for. */
export interface Semaphore {
	/** Resolves once there is a place, with what gives it back. */
	take(): Promise<() => void>;
}

/**
 * Makes places for work that only so much of may be under way at the same time.
 * @param count number of places
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
