import { queueOf } from '../delivery/queues';
import { enqueueRows, type PendingRow } from '../delivery/enqueue';
import type { Database } from '../database/database';
import { sweepEvents } from '../database/sweep';
import { startFromFuture } from '../delivery/futureTimes';
import { logProblem } from '../log';
import { markAbandoned, removeOldSends, removeOvertaken } from '../sends/upkeep';
import type { Services } from '../services';
import { endSubscriptions } from '../subscriptions/subscriptions';
import { createRemovalGuard, type Clocks } from './removalGuard';
import { startOfRetention } from './retentionTime';

/** Rows in one statement, so that no transaction takes long. */
const PIECE = 1_000;

/** A subscription is disabled if its attempts failed over this many days. */
const DISABLE_AFTER_DAYS = 7;

/**
 * Regularly ends subscriptions that left or failed for too long, and removes old rows.
 * @returns ends it
 */
export async function startMaintenance(services: Services): Promise<() => void> {
	const mayRemove = createRemovalGuard(await readClocks(services.database));
	let busy = false;
	const timer = setInterval(() => {
		if (busy) return;
		busy = true;
		void maintain(services, mayRemove)
			.catch((error: unknown) => logProblem('Maintenance failed and will be tried again', error))
			.finally(() => (busy = false));
	}, services.settings.waits.maintenance);
	timer.unref();
	return () => clearInterval(timer);
}

/** Does the maintenance once. Several processes may do it at the same time. */
async function maintain(services: Services, mayRemove: (clocks: Clocks) => boolean): Promise<void> {
	const { database, settings } = services;
	const clocks = await readClocks(database);
	const now = new Date(clocks.get('machine') ?? Date.now());
	if (mayRemove(clocks)) {
		await endLeaving(services, now);
		await disableFailing(services, now);
		await removeOld(services, now);
		await removeOldSends(database, settings.sendsDays);
		await removeOvertaken(database);
	}
	await markAbandoned(database, false);
	await removeQueues(services, now);
	await repairJobs(services, now);
	await startFromFuture(services, now);
}

/** The age of sends counts by the clock of the database. The embedded one has that of the machine. */
async function readClocks(database: Database): Promise<Clocks> {
	const rows = database.exclusive ? [] : await database.query<{ now: Date }>('select now() as now');
	return new Map([
		['machine', Date.now()],
		...rows.map(({ now }): ['database', number] => ['database', now.getTime()]),
	]);
}

/**
 * Ends the subscriptions that n8n deleted ten minutes before `now`. Locks their rows, because n8n may register one again
 * at the same moment.
 */
export async function endLeaving(
	{ database, changes }: Pick<Services, 'database' | 'changes'>,
	now: Date,
): Promise<void> {
	const ended = await database.transaction(async (sql) => {
		const rows = await sql.query<{ id: string }>(
			`select id from relay.subscription where state = 'leaving' and leaving_until < $1 for update`,
			[now],
		);
		if (rows.length > 0)
			await endSubscriptions(
				sql,
				rows.map(({ id }) => id),
				'Deleted',
			);
		return rows.length;
	});
	if (ended > 0) changes.announce('subscriptions');
}

async function disableFailing({ database, changes }: Services, now: Date): Promise<void> {
	const rows = await database.query<{ id: string }>(
		`update relay.subscription set state = 'disabled', updated_at = $1,
			reason = 'The receiver failed for seven days. Repair it, then activate the subscription again.'
		where state = 'active' and kind not in ('service', 'callback')
			and (last_attempt ->> 'at')::timestamptz >= failing_since + interval '${DISABLE_AFTER_DAYS} days'
		returning id`,
		[now],
	);
	if (rows.length === 0) return;
	await database.query(
		`update relay.delivery set state = 'failed', settled_at = $2 where subscription_id = any($1) and state = 'pending'`,
		[rows.map(({ id }) => id), now],
	);
	changes.announce('subscriptions');
}

async function removeOld(services: Services, now: Date): Promise<void> {
	const { settings, changes } = services;
	const until = startOfRetention(now, settings.retentionDays);
	if (await removeAll(services, REMOVE_EVENTS, until)) {
		changes.announce('events');
		await sweepEvents(services.database);
	}
	await removeAll(services, removePiece('relay.progress', 'message_id', 'updated_at'), until);
	await removeAll(services, removePiece('relay.seen', 'digest', 'until'), now);
	await removeAll(services, removePiece('relay.session', 'digest', 'until'), now);
}

/**
 * Removes events even if a paused or failing receiver waits for them, because no message is kept longer. The subscription
 * counts them. The events are locked, so that several processes count each one once.
 */
const REMOVE_EVENTS = `
	with old as (
			select id from relay.event where received_at < $1 order by received_at limit ${PIECE} for update skip locked),
		lost as (
			select d.subscription_id as id, count(*)::int as count from relay.delivery d join old on old.id = d.event_id
			where d.state = 'pending' group by d.subscription_id),
		counted as (update relay.subscription s set expired = s.expired + lost.count from lost where s.id = lost.id)
	delete from relay.event where id in (select id from old) returning 1 as one`;

/** Removes rows whose time is before a moment. */
function removePiece(table: string, key: string, time: string): string {
	return `delete from ${table} where ${key} in (
		select ${key} from ${table} where ${time} < $1 limit ${PIECE}) returning 1 as one`;
}

/**
 * Repeats a statement until it removes no full piece.
 * @returns whether it removed anything
 */
async function removeAll({ database }: Services, statement: string, before: Date): Promise<boolean> {
	let removed = await database.query(statement, [before]);
	const isAny = removed.length > 0;
	while (removed.length === PIECE) removed = await database.query(statement, [before]);
	return isAny;
}

/**
 * Other processes may still use the queue of a subscription for a moment after it ended. The relay's own subscriptions keep
 * their queues, because a setting may bring them back at any moment.
 */
async function removeQueues({ database, engine, settings }: Services, now: Date): Promise<void> {
	const rows = await database.query<{ id: string }>(
		`select id from relay.subscription where state = 'removed' and secret <> '' and updated_at < $1
			and kind not in ('service', 'callback')`,
		[new Date(now.getTime() - settings.waits.maintenance)],
	);
	for (const { id } of rows) {
		await engine.deleteQueue(queueOf(id));
		await database.query(`update relay.subscription set secret = '' where id = $1`, [id]);
	}
	await database.query(
		`delete from relay.subscription s where state = 'removed' and secret = ''
			and not exists (select 1 from relay.delivery d where d.subscription_id = s.id)`,
	);
}

/**
 * Makes a job for each pending delivery without one of its version, such as after an import. `except` reads the jobs once, whatever
 * PostgreSQL knows about the tables. With `not in`, 10,000 waiting deliveries blocked the embedded database for a minute.
 */
async function repairJobs({ database, engine, settings }: Services, now: Date): Promise<void> {
	const rows = await database.query<PendingRow>(
		`with waiting as (
			select 'to_' || d.subscription_id as queue, d.event_id, d.version
			from relay.delivery d join relay.subscription s on s.id = d.subscription_id
			where d.state = 'pending' and s.state in ('active', 'paused', 'leaving')
				and coalesce(d.next_at, d.created_at) < $1
				and not exists (select 1 from pgboss.job j where j.name = 'fan_out' and j.state < 'completed')
			except
			select j.name, jsonb_array_elements_text(j.data -> 'events'), (j.data ->> 'version')::int from pgboss.job j
			where j.name like 'to\\_%' and j.state < 'completed'
			limit ${PIECE})
		select d.subscription_id as subscription, d.event_id as event, e.urgent, d.version, d.next_at
		from waiting w join relay.delivery d on d.event_id = w.event_id and 'to_' || d.subscription_id = w.queue
			join relay.event e on e.id = d.event_id`,
		[new Date(now.getTime() - 10 * settings.waits.maintenance)],
	);
	if (rows.length > 0) await database.transaction(async (sql) => await enqueueRows(engine, sql, rows));
}
