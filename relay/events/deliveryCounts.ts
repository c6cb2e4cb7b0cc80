import type { Services } from '../services';
import type { RelayEvent } from './event';
import type { DeliveryCounts } from '../http/schemas';

const NONE: DeliveryCounts = { pending: 0, delivered: 0, failed: 0, canceled: 0 };

/**
 * Adds to each event how many of its deliveries are in each state.
 * @param owner if given, only deliveries of this token's subscriptions
 */
export async function withDeliveryCounts(
	{ database }: Services,
	events: readonly RelayEvent[],
	owner?: string,
): Promise<Array<RelayEvent & { readonly deliveries: DeliveryCounts }>> {
	const rows = await database.query<{ event_id: string; state: keyof DeliveryCounts; count: number }>(
		`select d.event_id, d.state, count(*)::int as count
		from relay.delivery d join relay.subscription s on s.id = d.subscription_id
		where d.event_id = any($1) and ($2::text is null or s.token_id = $2) group by d.event_id, d.state`,
		[events.map(({ id }) => id), owner ?? null],
	);
	const counts = new Map<string, DeliveryCounts>();
	for (const { event_id, state, count } of rows) {
		counts.set(event_id, { ...(counts.get(event_id) ?? NONE), [state]: count });
	}
	return events.map((event) => ({ ...event, deliveries: counts.get(event.id) ?? NONE }));
}
