import type { Sql } from '../database/database';
import type { IncomingEvent } from '../events/incoming';
import type { Services } from '../services';
import { filterSchema, type Filter } from '../subscriptions/filter';
import { matches } from '../subscriptions/matches';
import { batchSchema } from '../subscriptions/schema';
import { batchMoment, enqueue, type DueDelivery } from './enqueue';
import { FAN_OUT_QUEUE, URGENT_PRIORITY, type FanOutJob, type FirstDelivery } from './queues';

/** An event that is being stored. */
export interface NewEvent {
	readonly id: string;
	readonly sequence: number;
	readonly event: IncomingEvent;
}

interface Receiver {
	readonly id: string;
	readonly types: readonly string[];
	readonly filter: Filter;
	readonly batchWaitMs: number | undefined;
}

/**
 * Writes a delivery for each subscription that wants an event, and the jobs. Rows are written here, not later: an
 * interrupted later step would let the next event of a message overtake.
 * @param sql the transaction that also stores the events
 */
export async function spread({ engine }: Services, sql: Sql, events: readonly NewEvent[], now: Date): Promise<void> {
	const wanted = (await readReceivers(sql)).flatMap((receiver) =>
		events
			.filter(({ event }) => (event.only === undefined ? matches(receiver, event) : event.only === receiver.id))
			.map((event) => ({ receiver, ...event })),
	);
	if (wanted.length === 0) return;
	await sql.query(
		`insert into relay.delivery (subscription_id, event_id, sequence, order_key, created_at)
		select x.s, x.e, x.n, x.k, $1 from unnest($2::text[], $3::text[], $4::bigint[], $5::text[]) as x (s, e, n, k)
		on conflict do nothing`,
		[
			now,
			wanted.map(({ receiver }) => receiver.id),
			wanted.map(({ id }) => id),
			wanted.map(({ sequence }) => String(sequence)),
			wanted.map(({ event }) => event.orderKey),
		],
	);
	const groups = [...Map.groupBy(wanted, ({ receiver }) => receiver)];
	const [only] = groups;
	// One receiver gets its jobs at once. For several, one job makes the others, and the sender waits less.
	if (only && groups.length === 1) {
		const [receiver, deliveries] = only;
		await enqueue(engine, sql, receiver.id, due(receiver, deliveries.map(firstDelivery), now));
		return;
	}
	const job: FanOutJob = Object.fromEntries(groups.map(([{ id }, deliveries]) => [id, deliveries.map(firstDelivery)]));
	await engine.insert(
		FAN_OUT_QUEUE,
		[{ data: job, ...(events.some(({ event }) => event.urgent) && { priority: URGENT_PRIORITY }) }],
		sql,
	);
}

/** Makes the jobs of several subscriptions, in one transaction with the end of the jobs that asked for them. */
export async function fanOut(
	{ database, engine }: Services,
	jobs: ReadonlyArray<{ readonly id: string; readonly data: FanOutJob }>,
): Promise<void> {
	const now = new Date();
	const entries = jobs.flatMap(({ data }) => Object.entries(data));
	await database.transaction(async (sql) => {
		const receivers = new Map((await readReceivers(sql)).map((receiver) => [receiver.id, receiver]));
		for (const [id, members] of Map.groupBy(entries, ([subscription]) => subscription)) {
			const receiver = receivers.get(id);
			// Its queue is gone with the subscription.
			if (!receiver) continue;
			await enqueue(
				engine,
				sql,
				id,
				due(
					receiver,
					members.flatMap(([, deliveries]) => deliveries),
					now,
				),
			);
		}
		await engine.complete(
			FAN_OUT_QUEUE,
			jobs.map(({ id }) => id),
			sql,
		);
	});
}

function firstDelivery({ id, event }: NewEvent): FirstDelivery {
	return { event: id, urgent: event.urgent, bytes: event.body.length };
}

function due({ batchWaitMs }: Receiver, deliveries: readonly FirstDelivery[], now: Date): DueDelivery[] {
	if (batchWaitMs === undefined) return [...deliveries];
	const startAfter = batchMoment(now, batchWaitMs);
	return deliveries.map((delivery) => ({ ...delivery, startAfter }));
}

async function readReceivers(sql: Sql): Promise<Receiver[]> {
	const rows = await sql.query<{ id: string; types: string[]; filter: unknown; batch: unknown }>(
		`select id, types, filter, batch from relay.subscription where state in ('active', 'paused', 'leaving')`,
	);
	return rows.map(({ id, types, filter, batch }) => ({
		id,
		types,
		filter: filterSchema.parse(filter),
		batchWaitMs: batchSchema.nullable().parse(batch)?.wait_ms,
	}));
}
