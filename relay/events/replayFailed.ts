import { enqueue } from '../delivery/enqueue';
import type { Services } from '../services';

/** Deliveries of one request, so that no transaction takes long. */
const MOST = 1_000;

/**
 * Delivers the failed deliveries of a subscription once more, oldest first, as a replay does.
 * @returns how many start now, and whether more have failed
 */
export async function replayFailed(
	{ database, engine, changes }: Services,
	subscription: string,
): Promise<{ replayed: number; has_more: boolean }> {
	const replayed = await database.transaction(async (sql) => {
		// A person asks for it, so it does not wait for the next probe.
		await sql.query('update relay.subscription set next_probe_at = null where id = $1', [subscription]);
		const rows = await sql.query<{ event_id: string; version: number; urgent: boolean; sequence: string | number }>(
			`update relay.delivery d set
				replays = d.replays + 1, version = d.version + 1, attempts = 0, state = 'pending',
				next_at = null, settled_at = null
			from relay.event e
			where e.id = d.event_id and d.subscription_id = $1 and d.event_id in (
				select event_id from relay.delivery where subscription_id = $1 and state = 'failed' order by sequence limit ${MOST})
			returning d.event_id, d.version, e.urgent, d.sequence`,
			[subscription],
		);
		const due = rows.toSorted((one, other) => Number(one.sequence) - Number(other.sequence));
		await enqueue(
			engine,
			sql,
			subscription,
			due.map(({ event_id: event, urgent, version }) => ({ event, urgent, version })),
		);
		return due.length;
	});
	if (replayed > 0) changes.announce('deliveries');
	changes.announce('subscriptions');
	return { replayed, has_more: replayed === MOST };
}
