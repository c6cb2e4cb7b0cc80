import { queueOf } from './queues';
import type { Services } from '../services';

/** An opt-out that the relay itself forwards. */
export interface OptOut {
	readonly subscription: string;
	readonly orderKey: string;
	readonly sequence: string | number;
	/** The jobs that this process has in its hands. None of them has a request of an earlier event in flight. */
	readonly jobs: readonly string[];
}

/**
 * Lets an opt-out overtake everything with its sender and recipient. A pending START of the pair is canceled: if the service
 * got it later, it would opt the sender in again. A START that fails must not hold the opt-out back.
 * @returns whether the request of an earlier event may be in flight, so that the opt-out has to wait for its end
 */
export async function overtake(
	{ database, changes }: Pick<Services, 'database' | 'changes'>,
	{ subscription, orderKey, sequence, jobs }: OptOut,
): Promise<boolean> {
	const canceled = await database.query<{ event_id: string }>(
		`update relay.delivery d set state = 'canceled', settled_at = $4 from relay.event e
		where d.subscription_id = $1 and d.order_key = $2 and d.sequence < $3 and d.state = 'pending'
			and e.id = d.event_id and not e.urgent
		returning d.event_id`,
		[subscription, orderKey, String(sequence), new Date()],
	);
	if (canceled.length > 0) changes.announce('deliveries');
	// After the end of that statement. A job that was fetched before may have read the delivery as pending.
	const inFlight = await database.query<{ one: number }>(
		`select 1 as one from pgboss.job j
			cross join lateral jsonb_array_elements_text(j.data -> 'events') as f (event_id)
			join relay.delivery d on d.subscription_id = $1 and d.event_id = f.event_id
		where j.name = $4 and j.state = 'active' and j.id::text <> all($5) and d.order_key = $2 and d.sequence < $3
		limit 1`,
		[subscription, orderKey, String(sequence), queueOf(subscription), [...jobs]],
	);
	return inFlight.length > 0;
}
