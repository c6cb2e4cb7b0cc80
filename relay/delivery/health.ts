import type { Services } from '../services';
import { endSubscription } from '../subscriptions/subscriptions';
import type { AttemptResult } from './attempt';
import { isAlive } from './pauses';
import type { ActiveReceiver } from './receivers';

/** How often the health of one subscription is written, in milliseconds, unless it changes. */
const WRITE_EVERY_MS = 5_000;

/** A Zapier hook that responds 404 this often within an hour is gone. */
const MOST_NOT_FOUND = 3;

/**
 * After this many days without an attempt, it is unknown whether the receiver was away in between. Longer than the longest
 * time between two attempts of one event.
 */
const QUIET_DAYS = 2;

const UNREADABLE =
	'The relay cannot read the secret of this subscription. Publish the workflow again, turn the Zap off and on, or repeat the request that created it.';

/** Keeps the health of each subscription, and removes those whose receiver is gone. */
export function createHealth(services: Services) {
	const { database, changes } = services;
	const written = new Map<string, { readonly at: number; readonly ok: boolean; readonly alive: boolean }>();

	/** @returns whether the result ended a pause */
	async function write(id: string, result: AttemptResult, at: Date): Promise<boolean> {
		const last = written.get(id);
		const { ok, status, error, ms } = result;
		const alive = ok || isAlive(status);
		const isSame = last?.ok === ok && last.alive === alive;
		if (isSame && Date.now() - last.at < WRITE_EVERY_MS) return false;
		written.set(id, { at: Date.now(), ok, alive });
		const attempt = JSON.stringify({ at: at.toISOString(), ms, status, error });
		const [row] = await database.query<{ was_paused: boolean }>(
			`update relay.subscription s set last_attempt = $2::jsonb,
				failing_since = case when $3 then null
					when (s.last_attempt ->> 'at')::timestamptz > $4::timestamptz - interval '${QUIET_DAYS} days'
						then coalesce(s.failing_since, $4::timestamptz)
					else $4::timestamptz end,
				last_success_at = case when $3 then $4::timestamptz else s.last_success_at end,
				next_probe_at = case when $5 then null else s.next_probe_at end
			from (select id, next_probe_at from relay.subscription where id = $1) before
			where s.id = before.id returning before.next_probe_at is not null as was_paused`,
			[id, attempt, ok, at, alive],
		);
		changes.announce('subscriptions');
		return alive && row?.was_paused === true;
	}

	async function isGone({ id, kind }: ActiveReceiver, status: number | null, at: Date): Promise<boolean> {
		if (status === 410) return true;
		if (status !== 404 || kind !== 'zapier') return false;
		const [row] = await database.query<{ count: number }>(
			`update relay.subscription set not_found_at = array(
				select t from unnest(array_append(not_found_at, $2::timestamptz)) as t where t > $2::timestamptz - interval '1 hour')
			where id = $1 returning cardinality(not_found_at) as count`,
			[id, at],
		);
		return (row?.count ?? 0) >= MOST_NOT_FOUND;
	}

	return {
		/**
		 * Writes the result of a request. Removes the subscription if its receiver is gone.
		 * @returns whether the result ended a pause, of this process or of another one
		 */
		async report(receiver: ActiveReceiver, result: AttemptResult, at: Date): Promise<boolean> {
			const isWebhook = receiver.kind !== 'service' && receiver.kind !== 'callback';
			if (isWebhook && (await isGone(receiver, result.status, at))) {
				const times = result.status === 404 ? ' three times within an hour' : '';
				await endSubscription(services, receiver.id, `The receiver responded ${result.status ?? ''}${times}`);
				return false;
			}
			return await write(receiver.id, result, at);
		},
		/** Writes that the relay cannot read subscriptions, so that the page shows them as failing. */
		async reportUnreadable(ids: readonly string[], at: Date): Promise<void> {
			const attempt = JSON.stringify({ at: at.toISOString(), ms: 0, status: null, error: UNREADABLE });
			await database.query(
				`update relay.subscription set failing_since = coalesce(failing_since, $2), last_attempt = $3::jsonb where id = any($1)`,
				[ids, at, attempt],
			);
			changes.announce('subscriptions');
		},
		/** Writes that this process leaves a failing receiver alone. Of several processes, the first probe counts. */
		async pause({ id }: ActiveReceiver, until: Date): Promise<void> {
			await database.query(
				`update relay.subscription set
					next_probe_at = case when next_probe_at > $3 then least(next_probe_at, $2) else $2 end
				where id = $1 and failing_since is not null`,
				[id, until, new Date()],
			);
			changes.announce('subscriptions');
		},
	};
}
