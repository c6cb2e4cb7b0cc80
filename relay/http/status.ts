import type { Relay } from '../relay';
import { EVENT_TYPES } from '../events/event';
import { SERVICE_SUBSCRIPTION } from '../forward/ownSubscriptions';
import type { Services } from '../services';
import { attemptSchema } from '../subscriptions/schema';
import { RELAY_VERSION } from '../version';
import type { Forward, Status } from './schemas';

/** When the last event of any type arrived, ISO 8601. */
export async function lastEventAt({ database }: Services): Promise<string | null> {
	const [row] = await database.query<{ received_at: Date }>(
		'select received_at from relay.event order by sequence desc limit 1',
	);
	return row?.received_at.toISOString() ?? null;
}

/**
 * Reads what the page shows first.
 * @param address of the relay as the caller sees it, for URLs if no public URL is set
 */
export async function readStatus({ services, ingestSecret }: Relay, address: string): Promise<Status> {
	const { database, settings } = services;
	const publicUrl = settings.publicUrl === '' ? address.replace(/\/+$/, '') : settings.publicUrl;
	const ingest = `${publicUrl}/in/${ingestSecret}`;
	const last = await Promise.all(
		EVENT_TYPES.map(async (type) => {
			const [row] = await database.query<{ received_at: Date }>(
				'select received_at from relay.event where type = $1 order by sequence desc limit 1',
				[type],
			);
			return [type, row?.received_at.toISOString() ?? null] as const;
		}),
	);
	const [counts] = await database.query<{
		events: number;
		unrecognized: number;
		pending: number;
		unknown: number;
		active: number;
		paused: number;
		disabled: number;
	}>(
		`select (select count(*)::int from relay.event where received_at > $1) as events,
			(select count(*)::int from relay.event where received_at > $1 and type = 'unrecognized' and at_inbound_url)
				as unrecognized,
			(select count(*)::int from relay.delivery where state = 'pending') as pending,
			(select count(*)::int from relay.send where state <> 'accepted' and state = 'unknown') as unknown,
			count(*) filter (where state = 'active')::int as active,
			count(*) filter (where state = 'paused')::int as paused,
			count(*) filter (where state = 'disabled')::int as disabled
		from relay.subscription where token_id is not null`,
		[new Date(Date.now() - 24 * 3_600_000)],
	);
	const forwards = await readForwards(services);
	const { events = 0, unrecognized = 0, pending = 0, unknown = 0, active = 0, paused = 0, disabled = 0 } = counts ?? {};
	return {
		version: RELAY_VERSION,
		database: database.exclusive ? 'folder' : 'postgres',
		public_url: publicUrl,
		ingest: { url: ingest, sms_url: `${ingest}/sms`, whatsapp_url: `${ingest}/whatsapp` },
		last_events: Object.fromEntries(last),
		events_24h: events,
		unrecognized_messages_24h: unrecognized,
		subscriptions: { active, paused, disabled },
		pending,
		unknown_sends: unknown,
		retention_days: settings.retentionDays,
		forwarding: toForwarding(forwards),
		forwards,
	};
}

/** A pending delivery that is older than this is an alarm, in milliseconds. */
const LATE_MS = 600_000;

interface ForwardRow {
	readonly id: string;
	readonly label: string | null;
	readonly state: string;
	readonly failing_since: Date | null;
	readonly last_attempt: unknown;
	readonly pending: number;
	readonly failed: number;
	readonly oldest_pending_at: Date | null;
}

async function readForwards({ database }: Services): Promise<Forward[]> {
	const rows = await database.query<ForwardRow>(
		`select s.id, s.label, s.state, s.failing_since, s.last_attempt,
			(select count(*)::int from relay.delivery d where d.subscription_id = s.id and d.state = 'pending') as pending,
			(select count(*)::int from relay.delivery d where d.subscription_id = s.id and d.state = 'failed') as failed,
			(select min(d.created_at) from relay.delivery d where d.subscription_id = s.id and d.state = 'pending')
				as oldest_pending_at
		from relay.subscription s where s.kind in ('service', 'callback') and s.state <> 'removed' order by s.id`,
	);
	return rows.map(({ id, label, state, failing_since, last_attempt, pending, failed, oldest_pending_at }) => ({
		subscription: id,
		label: label ?? id,
		trouble: troubleOf({ state, failing_since, oldest_pending_at, failed }),
		pending,
		failed,
		oldest_pending_at: oldest_pending_at?.toISOString() ?? null,
		failing_since: failing_since?.toISOString() ?? null,
		last_error: failing_since ? (attemptSchema.nullable().parse(last_attempt)?.error ?? null) : null,
	}));
}

function troubleOf({
	state,
	failing_since,
	oldest_pending_at,
	failed,
}: Pick<ForwardRow, 'state' | 'failing_since' | 'oldest_pending_at' | 'failed'>): Forward['trouble'] {
	if (state === 'paused') return 'paused';
	if (failing_since) return 'failing';
	if (oldest_pending_at && Date.now() - oldest_pending_at.getTime() > LATE_MS) return 'late';
	return failed > 0 ? 'failed' : null;
}

function toForwarding(forwards: readonly Forward[]): Status['forwarding'] {
	const found = forwards.find(({ subscription }) => subscription === SERVICE_SUBSCRIPTION);
	if (!found) return { enabled: false, pending: 0, failed: 0, failing_since: null, last_error: null };
	const { pending, failed, failing_since, last_error } = found;
	return { enabled: true, pending, failed, failing_since, last_error };
}
