import type { Database } from './database';

/** The tables with many changes, and whether their dead rows have to be removed. Events are dead only after maintenance. */
const TABLES = [
	'vacuum (analyze) pgboss.job_common',
	'vacuum (analyze) relay.delivery',
	'vacuum (analyze) relay.progress',
	'vacuum (analyze) relay.seen',
	'vacuum (analyze) relay.subscription',
	'vacuum (analyze) relay.send',
	'analyze relay.event',
];

const EVERY_MS = 15_000;

/**
 * Removes dead rows every 15 seconds, if something was written since. PGlite has no autovacuum, and deliveries become
 * half as fast within 40,000 events without it. A PostgreSQL server does this itself.
 * @param writes how often something was written, as a counter
 * @returns ends it
 */
export function startSweeping(database: Database, writes: () => number, onError: (error: unknown) => void): () => void {
	if (!database.exclusive) return () => undefined;
	let swept = writes();
	let busy = false;
	const timer = setInterval(() => {
		const now = writes();
		if (busy || now === swept) return;
		busy = true;
		swept = now;
		void sweep(database).then(
			() => (busy = false),
			(error: unknown) => {
				busy = false;
				onError(error);
			},
		);
	}, EVERY_MS);
	timer.unref();
	return () => clearInterval(timer);
}

async function sweep(database: Database): Promise<void> {
	for (const statement of TABLES) await database.query(statement);
}

/** Makes the space of removed events free for new ones, in an embedded database. A PostgreSQL server does this itself. */
export async function sweepEvents(database: Database): Promise<void> {
	if (database.exclusive) await database.query('vacuum relay.event');
}
