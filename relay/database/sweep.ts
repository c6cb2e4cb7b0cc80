import type { Database } from './database';

/** The tables with many changes. */
const TABLES = [
	'pgboss.job_common',
	'relay.delivery',
	'relay.progress',
	'relay.seen',
	'relay.subscription',
	'relay.send',
] as const;

/** Removes dead rows and updates the statistics. Rows of events are dead only after maintenance. */
const STATEMENTS = [...TABLES.flatMap((table) => [`vacuum ${table}`, `analyze ${table}`]), 'analyze relay.event'];

/** How often each statement runs, in milliseconds. */
const EVERY_MS = 15_000;

/**
 * Removes dead rows every 15 seconds, if something was written since. PGlite has no autovacuum, and deliveries become
 * half as fast within 40,000 events without it. A PostgreSQL server does this itself. The statements are spread over the
 * time, because a request waits while one of them uses the only connection.
 * @param writes how often something was written, as a counter
 * @returns ends it
 */
export function startSweeping(database: Database, writes: () => number, onError: (error: unknown) => void): () => void {
	if (!database.exclusive) return () => undefined;
	const steps = STATEMENTS.map((statement) => ({ statement, swept: writes() }));
	let next = 0;
	let busy = false;
	const timer = setInterval(() => {
		const step = steps[next % steps.length];
		const now = writes();
		if (busy || !step) return;
		next += 1;
		if (now === step.swept) return;
		busy = true;
		step.swept = now;
		void database
			.query(step.statement)
			.catch(onError)
			.finally(() => (busy = false));
	}, EVERY_MS / STATEMENTS.length);
	timer.unref();
	return () => clearInterval(timer);
}

/** Makes the space of removed events free for new ones, in an embedded database. A PostgreSQL server does this itself. */
export async function sweepEvents(database: Database): Promise<void> {
	if (database.exclusive) await database.query('vacuum relay.event');
}
