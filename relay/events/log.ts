import { parseEventItem, toInternational } from '../../shared/index';
import { enqueue } from '../delivery/enqueue';
import { HttpError } from '../http/httpError';
import type { Delivery, EventDetail, EventQuery } from '../http/schemas';
import type { Services } from '../services';
import { attemptSchema } from '../subscriptions/schema';
import type { Filter } from '../subscriptions/filter';
import { matches } from '../subscriptions/matches';
import { EVENT_COLUMNS, EVENT_TYPES, toEvent, type EventRow, type RelayEvent } from './event';
import { numberPattern } from './numberPattern';

/** Rows that are read at a time to find those that pass a filter. */
const PAGE = 200;

/** Most rows that one request looks at. A rare match further back needs another request. */
const MOST_READ = 10_000;

/**
 * Lists events, newest first.
 * @returns the events, and whether there may be more before the last one
 */
export async function listEvents(
	{ database }: Services,
	{ type, limit, before, q, ...filter }: Omit<EventQuery, 'deliveries'>,
): Promise<{ data: RelayEvent[]; has_more: boolean }> {
	const types = type ?? [...EVENT_TYPES, 'relay.test'];
	const found: RelayEvent[] = [];
	let sequence = before === undefined ? undefined : await sequenceOf(database, before);
	for (let read = 0; read < MOST_READ; read += PAGE) {
		const rows = await database.query<EventRow>(
			`select ${EVENT_COLUMNS} from relay.event e
			where e.type = any($1) and ($2::bigint is null or e.sequence < $2)
				and ($3::text is null or e.id = $3 or strpos(e.party, $3) > 0 or strpos(lower(e.data::text), lower($3)) > 0)
			order by e.sequence desc limit $4`,
			[types, sequence ?? null, q === undefined || q === '' ? null : q, PAGE],
		);
		for (const row of rows) {
			const event = toEvent(row);
			if (found.length === limit) return { data: found, has_more: true };
			if (passes(event, types, filter)) found.push(event);
		}
		if (rows.length < PAGE) return { data: found, has_more: false };
		sequence = Number(rows.at(-1)?.sequence);
	}
	return { data: found, has_more: true };
}

function passes({ type, data }: RelayEvent, types: readonly string[], filter: Filter): boolean {
	const item = parseEventItem(data);
	return matches({ types, filter }, { type, ...(item && { item }) });
}

async function sequenceOf(database: Services['database'], id: string): Promise<number> {
	const [row] = await database.query<{ sequence: string | number }>('select sequence from relay.event where id = $1', [
		id,
	]);
	if (!row) throw new HttpError(422, 'invalid', 'There is no event with this ID. Use an ID of the list.', 'before');
	return Number(row.sequence);
}

interface DeliveryRow {
	readonly subscription_id: string;
	readonly label: string | null;
	readonly url: string;
	readonly state: Delivery['state'];
	readonly attempts: number;
	readonly replays: number;
	readonly next_at: Date | null;
	readonly settled_at: Date | null;
	readonly tries: unknown;
}

/**
 * Reads an event with its request and its deliveries.
 * @param owner if given, only deliveries of this token's subscriptions
 * @throws HttpError 404
 */
export async function readEvent({ database }: Services, id: string, owner?: string): Promise<EventDetail> {
	const [row] = await database.query<
		EventRow & { late: boolean; copies: number; body: Uint8Array; content_type: string | null }
	>(`select ${EVENT_COLUMNS}, e.late, e.copies, e.body, e.content_type from relay.event e where e.id = $1`, [id]);
	if (!row) throw notFound();
	const deliveries = await database.query<DeliveryRow>(
		`select d.subscription_id, s.label, s.url, d.state, d.attempts, d.replays, d.next_at, d.settled_at, d.tries
		from relay.delivery d join relay.subscription s on s.id = d.subscription_id
		where d.event_id = $1 and ($2::text is null or s.token_id = $2) order by d.created_at, d.subscription_id`,
		[id, owner ?? null],
	);
	return {
		...toEvent(row),
		data: { ...row.data },
		late: row.late,
		copies: row.copies,
		body: Buffer.from(row.body).toString('utf8'),
		content_type: row.content_type,
		deliveries: deliveries.map((one) => ({
			id: `${one.subscription_id}:${id}`,
			subscription: { id: one.subscription_id, label: one.label, url: one.url },
			state: one.state,
			attempts: one.attempts,
			replays: one.replays,
			next_attempt_at: one.state === 'pending' ? (one.next_at?.toISOString() ?? null) : null,
			settled_at: one.settled_at?.toISOString() ?? null,
			tries: attemptSchema.array().parse(one.tries),
		})),
	};
}

/**
 * Delivers an event to a subscription once more, with the same ID and a header that gets past the receiver's
 * deduplication. A pending delivery is tried at once instead, also if its receiver is waiting for a probe.
 * @throws HttpError 404 if there is no such event or subscription
 */
export async function replay(services: Services, event: string, subscription: string): Promise<void> {
	const { database, engine, changes } = services;
	const now = new Date();
	await database.transaction(async (sql) => {
		const [row] = await sql.query<{ urgent: boolean; sequence: string | number; order_key: string | null }>(
			'select urgent, sequence, order_key from relay.event where id = $1',
			[event],
		);
		if (!row) throw notFound();
		const [receiver] = await sql.query<{ id: string }>(
			`update relay.subscription set next_probe_at = null where id = $1 and state in ('active', 'paused') returning id`,
			[subscription],
		);
		if (!receiver) {
			const message = 'This subscription does not exist or is disabled. Choose an active one.';
			throw new HttpError(404, 'not_found', message, 'subscription');
		}
		const [delivery] = await sql.query<{ version: number }>(
			`insert into relay.delivery (subscription_id, event_id, sequence, order_key, replays, created_at)
			values ($1, $2, $3, $4, 1, $5)
			on conflict (subscription_id, event_id) do update set
				replays = relay.delivery.replays + 1, version = relay.delivery.version + 1, attempts = 0, state = 'pending',
				next_at = null, settled_at = null
			returning version`,
			[subscription, event, String(row.sequence), row.order_key, now],
		);
		await enqueue(engine, sql, subscription, [{ event, urgent: row.urgent, ...delivery }]);
	});
	changes.announce('deliveries');
	changes.announce('subscriptions');
}

/**
 * Erases all events from or to a number, and unrecognized requests that contain it.
 * @param number as people write it, or a sender as the service names it
 * @returns how many
 */
export async function eraseNumber({ database, changes }: Services, number: string): Promise<number> {
	const rows = await database.query<{ id: string }>(
		`delete from relay.event where party = any($1)
			or (type = 'unrecognized' and (data::text ~ $2 or encode(body, 'escape') ~ $2)) returning id`,
		[[number, toInternational(number)], numberPattern(number) ?? null],
	);
	changes.announce('events');
	return rows.length;
}

function notFound(): HttpError {
	return new HttpError(404, 'not_found', 'This event does not exist. Events are kept for a limited number of days.');
}
