import type { Services } from '../services';
import type { Sql } from '../database/database';
import { together } from '../database/together';
import { spread, type NewEvent } from '../delivery/spread';
import { deduplicate, type JudgedEvent } from './deduplicate';
import { eventId } from './eventId';
import type { IncomingEvent, StoredEvent } from './incoming';
import { jsonbText } from './jsonbText';

/** Beyond this many waiting requests, the sender is asked to try again. */
const MOST_WAITING = 1_000;

/** Transactions at the same time on a PostgreSQL server, so that one is prepared while another waits for the server. */
const WRITES_AT_ONCE = 2;

/** Stores an event with its deliveries. Resolves after the event is on disk. */
export type StoreEvent = (event: IncomingEvent) => Promise<StoredEvent>;

/**
 * Creates the function that stores events. One transaction writes the memory of duplicates, the event, its deliveries
 * and a job, and events of the same moment share it.
 */
export function createEventStore(services: Services): StoreEvent {
	const { database } = services;
	return together(
		async (events: readonly IncomingEvent[]) => {
			const now = new Date();
			const stored = await database.transaction(async (sql) => await storeEvents(services, sql, events, now), 'urgent');
			announceEvents(services, events, stored);
			return stored;
		},
		{ mostWaiting: MOST_WAITING, atOnce: database.exclusive ? 1 : WRITES_AT_ONCE },
	);
}

/** Shows stored events on the page and in the metrics. Call it after their transaction. */
export function announceEvents(
	{ changes, metrics }: Pick<Services, 'changes' | 'metrics'>,
	events: readonly IncomingEvent[],
	stored: readonly StoredEvent[],
): void {
	changes.announce('events');
	for (const [index, { duplicate }] of stored.entries()) metrics.received(events[index]?.type ?? '', duplicate);
}

/**
 * Stores events with their deliveries as part of a transaction.
 * @returns one result for each event
 */
export async function storeEvents(
	services: Services,
	sql: Sql,
	events: readonly IncomingEvent[],
	now: Date,
): Promise<readonly StoredEvent[]> {
	const judged = await deduplicate(
		sql,
		events.map((event) => ({ id: eventId(now), event })),
		now,
	);
	const fresh = judged.filter(({ repeats }) => repeats === undefined);
	if (fresh.length > 0) await spread(services, sql, await insert(sql, fresh, now), now);
	// After the insert, because a copy may arrive at the same moment as the first one.
	const repeated = judged.flatMap(({ repeats }) => (typeof repeats === 'string' ? [repeats] : []));
	if (repeated.length > 0) {
		await sql.query(
			`update relay.event e set copies = copies + x.count
			from (select id, count(*)::int as count from unnest($1::text[]) as y (id) group by id) as x where e.id = x.id`,
			[repeated],
		);
	}
	return judged.map(({ id, repeats }) =>
		repeats === undefined ? { id, duplicate: false } : { id: repeats, duplicate: true },
	);
}

async function insert(sql: Sql, fresh: readonly JudgedEvent[], now: Date): Promise<NewEvent[]> {
	const events = fresh.map(({ event }) => event);
	const rows = await sql.query<{ id: string; sequence: string | number }>(
		`insert into relay.event (id, type, order_key, urgent, late, party, received_at, data, body, content_type,
			at_inbound_url)
		select x.id, x.type, x.order_key, x.urgent, x.late, x.party, $1, x.data::jsonb, decode(x.body, 'base64'), x.content_type,
			x.at_inbound_url
		from unnest($2::text[], $3::text[], $4::text[], $5::bool[], $6::bool[], $7::text[], $8::text[], $9::text[], $10::text[],
			$11::bool[])
			with ordinality as x (id, type, order_key, urgent, late, party, data, body, content_type, at_inbound_url,
				place)
		order by x.place returning id, sequence`,
		[
			now,
			fresh.map(({ id }) => id),
			events.map(({ type }) => type),
			events.map(({ orderKey }) => orderKey),
			events.map(({ urgent }) => urgent),
			fresh.map(({ late }) => late),
			events.map(({ party }) => party),
			events.map(({ data }) => jsonbText(data)),
			events.map(({ body }) => Buffer.from(body).toString('base64')),
			events.map(({ contentType }) => contentType),
			events.map(({ atInboundUrl }) => atInboundUrl === true),
		],
	);
	const sequences = new Map(rows.map(({ id, sequence }) => [id, Number(sequence)]));
	return fresh.flatMap(({ id, event, late }) => {
		const sequence = sequences.get(id);
		return late || sequence === undefined ? [] : [{ id, sequence, event }];
	});
}
