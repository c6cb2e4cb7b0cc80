import { CLOCK_TOLERANCE_MS } from '../clock';
import type { Services } from '../services';
import { enqueueRows, type PendingRow } from './enqueue';

/** Rows in one statement, so that no transaction takes long. */
const PIECE = 1_000;

/**
 * Moves deliveries whose last attempt or, before the first attempt, whose beginning is in the future. Also those that
 * waited for an earlier delivery of their message, which is settled now, or whose first job was made in the future. They
 * keep the wait of their last attempt. Jobs in flight are left alone, because a second job could send the event twice.
 */
const MOVE = `
	with future_jobs as materialized (
		select name, jsonb_array_elements_text(data -> 'events') as event_id, (data ->> 'version')::int as version
		from pgboss.job
		where name like 'to\\_%' and state < 'active' and start_after > now() + ($2::timestamptz - $1::timestamptz)),
	waiting as (
		select d.subscription_id, d.event_id, e.urgent, d.sequence,
			f.event_id is not null as has_future_job,
			$1::timestamptz + interval '1 second' * case when d.attempts = 0 then 0
				when s.kind = 'service' and e.urgent then ($4::float8[])[least(d.attempts, cardinality($4::int[]))]
				else ($3::float8[])[d.attempts] end as next
		from relay.delivery d join relay.event e on e.id = d.event_id join relay.subscription s on s.id = d.subscription_id
		left join future_jobs f on f.name = 'to_' || d.subscription_id and f.event_id = d.event_id and f.version = d.version
			and d.next_at is null and s.batch is null
		where d.state = 'pending' and s.state in ('active', 'paused', 'leaving')
			and (coalesce(d.next_at, d.created_at) > $2::timestamptz or f.event_id is not null) and (
				f.event_id is not null or
				case when d.attempts = 0 then d.created_at else (d.tries -> -1 ->> 'at')::timestamptz end > $2::timestamptz
				or (d.attempts = 0 and s.batch is null and not exists (
					select 1 from relay.delivery p where p.subscription_id = d.subscription_id and p.order_key = d.order_key
						and p.sequence < d.sequence and p.state = 'pending')))
			and not exists (
				select 1 from pgboss.job j where j.name = 'to_' || d.subscription_id and j.state = 'active'
					and j.data -> 'events' ? d.event_id)),
	moved as (
		select * from waiting w where w.has_future_job or exists (
			select 1 from relay.delivery d where d.subscription_id = w.subscription_id and d.event_id = w.event_id
				and coalesce(d.next_at, d.created_at) > w.next + ($2::timestamptz - $1::timestamptz))
		order by sequence limit ${PIECE})
	update relay.delivery d set version = d.version + 1, next_at = m.next from moved m
	where d.subscription_id = m.subscription_id and d.event_id = m.event_id
	returning d.subscription_id as subscription, d.event_id as event, m.urgent, d.version, d.next_at, d.sequence`;

/**
 * Brings deliveries forward that would wait for hours, because the clock was set back. Their old jobs are leftovers then.
 * Several processes may do it at the same time.
 */
export async function startFromFuture({ database, engine, settings }: Services, now: Date): Promise<void> {
	const { schedule, optOutSchedule } = settings.retry;
	const values = [now, new Date(now.getTime() + CLOCK_TOLERANCE_MS), schedule, optOutSchedule];
	for (let count = PIECE; count === PIECE;) {
		count = await database.transaction(async (sql) => {
			const rows = await sql.query<PendingRow & { readonly sequence: string | number }>(MOVE, values);
			await enqueueRows(
				engine,
				sql,
				rows.toSorted((one, other) => Number(one.sequence) - Number(other.sequence)),
			);
			return rows.length;
		});
	}
}
