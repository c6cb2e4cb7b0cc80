import type { Database } from '../database/database';

/** How old the answer may be, in milliseconds, so that requests of the same moment share one query. */
const FRESH_MS = 50;

/**
 * Creates the function that says whether a subscription is still active. Jobs that were fetched before a pause ask it
 * right before they send.
 * @param isActive as it was read a moment ago
 */
export function createActiveCheck(database: Database, subscription: string, isActive: boolean): () => Promise<boolean> {
	let readAt = performance.now();
	let known = Promise.resolve(isActive);
	return async () => {
		if (performance.now() - readAt > FRESH_MS) {
			readAt = performance.now();
			known = database
				.query(`select id from relay.subscription where id = $1 and state = 'active'`, [subscription])
				.then((rows) => rows.length > 0);
		}
		return await known;
	};
}
