import type { Sql } from '../database/database';
import type { Engine } from '../database/engine';
import { enqueueRows, type PendingRow } from '../delivery/enqueue';

/** Jobs that are made at a time. */
const PIECE = 1_000;

/**
 * Makes a job for each pending delivery, in the order of the events. A delivery that waits for its next attempt goes on
 * waiting.
 * @param sql the transaction that wrote the deliveries
 * @returns the number of jobs
 */
export async function makeJobs(engine: Engine, sql: Sql): Promise<number> {
	let count = 0;
	let last = { sequence: '-1', subscription: '' };
	for (;;) {
		const rows = await sql.query<PendingRow & { readonly sequence: string }>(
			`select d.subscription_id as subscription, d.event_id as event, d.sequence::text, e.urgent, d.version,
				d.next_at
			from relay.delivery d join relay.event e on e.id = d.event_id
				join relay.subscription s on s.id = d.subscription_id
			where d.state = 'pending' and s.state in ('active', 'paused', 'leaving')
				and (d.sequence, d.subscription_id) > ($1::bigint, $2)
			order by d.sequence, d.subscription_id limit ${PIECE}`,
			[last.sequence, last.subscription],
		);
		const end = rows.at(-1);
		if (end === undefined) return count;
		await enqueueRows(engine, sql, rows);
		count += rows.length;
		last = end;
	}
}
