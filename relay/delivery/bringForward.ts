import type { Sql } from '../database/database';
import type { Engine } from '../database/engine';
import { enqueueRows, type PendingRow } from './enqueue';

/**
 * Deliveries with more failed attempts keep their own schedule. Otherwise a receiver that comes and goes would use up all
 * attempts at once.
 */
const MOST_ATTEMPTS = 5;

/** Deliveries that are due this soon, in milliseconds, may have begun. */
const SOON_MS = 1_000;

/**
 * Makes the deliveries due now that wait because their receiver was away. Deliveries that failed together stay together.
 * Call it when the receiver works again, and announce the deliveries after it.
 * @param sql a transaction
 * @param subscription its ID
 * @returns how many
 */
export async function bringForward(engine: Engine, sql: Sql, subscription: string): Promise<number> {
	const now = new Date();
	// Not after now, because other processes get to know of a new job at once only if it is due.
	const rows = await sql.query<PendingRow>(
		`with waiting as (
			select event_id, dense_rank() over (order by next_at desc) as place from relay.delivery
			where subscription_id = $1 and state = 'pending' and next_at > $2 and attempts <= ${MOST_ATTEMPTS})
		update relay.delivery d set version = d.version + 1, next_at = $3::timestamptz - w.place * interval '1 millisecond'
		from waiting w, relay.event e
		where d.subscription_id = $1 and d.event_id = w.event_id and e.id = d.event_id
			and d.state = 'pending' and d.next_at > $2
		returning d.subscription_id as subscription, d.event_id as event, d.version, e.urgent, d.next_at`,
		[subscription, new Date(now.getTime() + SOON_MS), now],
	);
	await enqueueRows(engine, sql, rows);
	return rows.length;
}
