/** Limits the requests in flight to one receiver. The limit can change while requests wait. */
export interface Places {
	/** Resolves with a release function as soon as a place is free. Waiters proceed in the order in which they asked. */
	take(): Promise<() => void>;
	/** Changes the number of places. Requests in flight complete. */
	resize(count: number): void;
}

/**
 * Creates the places of a receiver.
 * @param count requests in flight at the same time
 */
export function createPlaces(count: number): Places {
	const waiting: Array<() => void> = [];
	let taken = 0;
	let most = count;

	function admit(): void {
		while (taken < most) {
			const next = waiting.shift();
			if (!next) return;
			taken += 1;
			next();
		}
	}

	function release(): void {
		taken -= 1;
		admit();
	}

	return {
		take: async () =>
			await new Promise((resolve) => {
				waiting.push(() => resolve(release));
				admit();
			}),
		resize(now) {
			most = now;
			admit();
		},
	};
}
