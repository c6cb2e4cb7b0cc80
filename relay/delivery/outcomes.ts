import { setTimeout as delay } from 'node:timers/promises';
import type { Services } from '../services';
import type { Sql } from '../database/database';
import { isAboutData, together } from '../database/together';
import { announceEvents, storeEvents } from '../events/store';
import { forwardFailure, type FailedDelivery } from '../forward/failure';
import { logProblem } from '../log';
import type { Attempt } from '../subscriptions/schema';
import { enqueueRows, type PendingRow } from './enqueue';

/** The result of a delivery attempt, or of waiting for an earlier delivery. */
export interface DeliveryOutcome {
	readonly subscription: string;
	/** Of the subscription. */
	readonly kind: string;
	readonly event: string;
	readonly urgent: boolean;
	readonly attempts: number;
	readonly state: 'pending' | 'delivered' | 'failed';
	/** Absent if nothing was sent. */
	readonly attempt?: Attempt;
	/** When it is tried again. */
	readonly next?: Date;
}

/** Writes the result of an attempt together with the job of the next one, or with the event of a failed forward. */
export type RecordOutcome = (outcome: DeliveryOutcome) => Promise<DeliveryOutcome>;

/** How long outcomes wait for a database that is away, in milliseconds. */
const WRITE_WITHIN_MS = 60_000;

/** Milliseconds between two tries to write. Short, because the engine soon repeats jobs whose worker shows no life. */
const WRITE_AGAIN_MS = 200;

/**
 * Creates the function that writes outcomes. Outcomes of the same moment share a transaction. If the database is away,
 * they wait for it: a delivery that was sent would be sent again without its outcome.
 */
export function createOutcomes(services: Services): RecordOutcome {
	const write = createWrite(services);
	return together(async (outcomes: readonly DeliveryOutcome[]) => {
		const until = performance.now() + WRITE_WITHIN_MS;
		for (let isFirst = true; ; isFirst = false) {
			try {
				return await write(outcomes);
			} catch (error) {
				if (isAboutData(error) || performance.now() > until) throw error;
				if (isFirst) logProblem('Results of deliveries could not be written and will be tried again', error);
				await delay(WRITE_AGAIN_MS, undefined, { ref: false });
			}
		}
	});
}

function createWrite(services: Services) {
	const { database, engine, changes, metrics } = services;
	return async (outcomes: readonly DeliveryOutcome[]): Promise<readonly DeliveryOutcome[]> => {
		const now = new Date();
		// Nearly all deliveries succeed. One statement is a transaction, with a third of the round trips.
		if (outcomes.every(({ state }) => state === 'delivered')) await update(database, outcomes, now);
		else {
			const { events, stored } = await database.transaction(async (sql) => {
				const { failed, pending } = await update(sql, outcomes, now);
				await enqueueRows(engine, sql, pending);
				const events = failed.map(forwardFailure).filter((event) => event !== undefined);
				return { events, stored: events.length > 0 ? await storeEvents(services, sql, events, now) : [] };
			});
			if (events.length > 0) announceEvents(services, events, stored);
		}
		changes.announce('deliveries');
		for (const { state } of outcomes) if (state !== 'pending') metrics.settled(state);
		return outcomes;
	};
}

interface Written {
	/** Deliveries that failed for good with this write, and not with an earlier one. */
	readonly failed: readonly FailedDelivery[];
	/** Deliveries that need a job for their next attempt, in the order of the outcomes. */
	readonly pending: readonly PendingRow[];
}

async function update(sql: Sql, outcomes: readonly DeliveryOutcome[], now: Date): Promise<Written> {
	const column = <Value>(read: (outcome: DeliveryOutcome) => Value) => outcomes.map(read);
	const rows = await sql.query<{ subscription: string; event: string; state: string; version: number }>(
		`with written as (update relay.delivery d set
			attempts = x.attempts, state = x.state, next_at = x.next,
			version = case when x.state = 'pending' then d.version + 1 else d.version end,
			tries = case when x.attempt is null then d.tries
				when d.tries = '[]' then jsonb_build_array(x.attempt::jsonb)
				else (select coalesce(jsonb_agg(t order by n), '[]') from (
					select t, n from jsonb_array_elements(d.tries || jsonb_build_array(x.attempt::jsonb)) with ordinality as a (t, n)
					order by n desc limit 10) as last) end,
			settled_at = case when x.state = 'pending' then null else $1::timestamptz end
		from unnest($2::text[], $3::text[], $4::int[], $5::text[], $6::timestamptz[], $7::text[])
			as x (s, e, attempts, state, next, attempt)
		where d.subscription_id = x.s and d.event_id = x.e and d.state = 'pending'
		returning d.subscription_id as subscription, d.event_id as event, d.state, d.version)
		select * from written where state <> 'delivered'`,
		[
			now,
			column(({ subscription }) => subscription),
			column(({ event }) => event),
			column(({ attempts }) => attempts),
			column(({ state }) => state),
			column(({ next }) => next ?? null),
			column(({ attempt }) => (attempt ? JSON.stringify(attempt) : null)),
		],
	);
	const written = new Map(rows.map((row) => [keyOf(row), row]));
	const failed: FailedDelivery[] = [];
	const pending: PendingRow[] = [];
	for (const outcome of outcomes) {
		const row = written.get(keyOf(outcome));
		if (!row) continue;
		const { subscription, event, kind, urgent, attempt, next } = outcome;
		if (row.state === 'failed') failed.push({ subscription, event, kind, error: attempt?.error ?? null });
		else pending.push({ subscription, event, urgent, version: row.version, next_at: next ?? null });
	}
	return { failed, pending };
}

function keyOf({ subscription, event }: { readonly subscription: string; readonly event: string }): string {
	return `${subscription} ${event}`;
}
