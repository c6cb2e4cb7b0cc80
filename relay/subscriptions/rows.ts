import { filterSchema } from './filter';
import { endOfRetention } from '../events/retentionTime';
import { attemptSchema, batchSchema, subscriptionSchema, type Subscription } from './schema';

/** A row of {@link SUBSCRIPTION_QUERY}. */
export interface SubscriptionRow {
	readonly id: string;
	readonly token_id: string | null;
	readonly token_name: string | null;
	readonly kind: string;
	readonly reference: string | null;
	readonly label: string | null;
	readonly url: string;
	readonly types: string[];
	readonly filter: unknown;
	readonly batch: unknown;
	readonly state: string;
	readonly reason: string | null;
	readonly failing_since: Date | null;
	readonly next_probe_at: Date | null;
	readonly expired: number;
	readonly last_success_at: Date | null;
	readonly last_attempt: unknown;
	readonly created_at: Date;
	readonly updated_at: Date;
	readonly pending: number;
	readonly failed: number;
	readonly oldest_pending_at: Date | null;
	/** When the oldest pending event arrived. A replayed event is older than its delivery. */
	readonly oldest_received_at: Date | null;
}

/** Reads subscriptions with their health. More conditions follow it. */
export const SUBSCRIPTION_QUERY = `
	select s.*, t.name as token_name,
		(select count(*)::int from relay.delivery d where d.subscription_id = s.id and d.state = 'pending') as pending,
		(select count(*)::int from relay.delivery d where d.subscription_id = s.id and d.state = 'failed') as failed,
		(select min(d.created_at) from relay.delivery d where d.subscription_id = s.id and d.settled_at is null) as oldest_pending_at,
		(select e.received_at from relay.event e where e.sequence = (
			select min(d.sequence) from relay.delivery d where d.subscription_id = s.id and d.state = 'pending')) as oldest_received_at
	from relay.subscription s left join relay.token t on t.id = s.token_id
	where s.state <> 'removed'`;

const kindAndState = subscriptionSchema.pick({ kind: true, state: true });

/**
 * Makes the subscription of a row.
 * @param retentionDays how long events are kept
 */
export function toSubscription(row: SubscriptionRow, retentionDays: number): Subscription {
	const { kind, state } = kindAndState.parse({ kind: row.kind, state: row.state });
	return {
		id: row.id,
		url: row.url,
		types: row.types,
		filter: filterSchema.parse(row.filter),
		reference: row.reference,
		label: row.label,
		batch: batchSchema.nullable().parse(row.batch),
		kind,
		state,
		reason: row.reason,
		created_at: row.created_at.toISOString(),
		updated_at: row.updated_at.toISOString(),
		token: row.token_id === null ? null : { id: row.token_id, name: row.token_name ?? '' },
		health: {
			pending: row.pending,
			failed: row.failed,
			expired: row.expired,
			oldest_pending_at: row.oldest_pending_at?.toISOString() ?? null,
			oldest_expires_at: row.oldest_received_at && endOfRetention(row.oldest_received_at, retentionDays).toISOString(),
			failing_since: row.failing_since?.toISOString() ?? null,
			next_probe_at: state === 'active' ? (row.next_probe_at?.toISOString() ?? null) : null,
			last_success_at: row.last_success_at?.toISOString() ?? null,
			last_attempt: attemptSchema.nullable().parse(row.last_attempt),
		},
	};
}
