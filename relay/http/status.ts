import type { Relay } from '../relay';
import { EVENT_TYPES } from '../events/event';
import { SERVICE_SUBSCRIPTION } from '../forward/ownSubscriptions';
import type { Services } from '../services';
import { attemptSchema } from '../subscriptions/schema';
import { RELAY_VERSION } from '../version';
import type { Status } from './schemas';

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
		pending: number;
		unknown: number;
		active: number;
		paused: number;
		disabled: number;
	}>(
		`select (select count(*)::int from relay.event where received_at > $1) as events,
			(select count(*)::int from relay.delivery where state = 'pending') as pending,
			(select count(*)::int from relay.send where state <> 'accepted' and state = 'unknown') as unknown,
			count(*) filter (where state = 'active')::int as active,
			count(*) filter (where state = 'paused')::int as paused,
			count(*) filter (where state = 'disabled')::int as disabled
		from relay.subscription where token_id is not null`,
		[new Date(Date.now() - 24 * 3_600_000)],
	);
	const { events = 0, pending = 0, unknown = 0, active = 0, paused = 0, disabled = 0 } = counts ?? {};
	return {
		version: RELAY_VERSION,
		database: database.exclusive ? 'folder' : 'postgres',
		public_url: publicUrl,
		ingest: { url: ingest, sms_url: `${ingest}/sms`, whatsapp_url: `${ingest}/whatsapp` },
		last_events: Object.fromEntries(last),
		events_24h: events,
		subscriptions: { active, paused, disabled },
		pending,
		unknown_sends: unknown,
		retention_days: settings.retentionDays,
		forwarding: await readForwarding(services),
	};
}

async function readForwarding({ database }: Services): Promise<Status['forwarding']> {
	const [row] = await database.query<{
		failing_since: Date | null;
		last_attempt: unknown;
		pending: number;
		failed: number;
	}>(
		`select s.failing_since, s.last_attempt,
			(select count(*)::int from relay.delivery d where d.subscription_id = s.id and d.state = 'pending') as pending,
			(select count(*)::int from relay.delivery d where d.subscription_id = s.id and d.state = 'failed') as failed
		from relay.subscription s where s.id = $1 and s.state <> 'removed'`,
		[SERVICE_SUBSCRIPTION],
	);
	if (!row) return { enabled: false, pending: 0, failed: 0, failing_since: null, last_error: null };
	return {
		enabled: true,
		pending: row.pending,
		failed: row.failed,
		failing_since: row.failing_since?.toISOString() ?? null,
		last_error: row.failing_since ? (attemptSchema.nullable().parse(row.last_attempt)?.error ?? null) : null,
	};
}
