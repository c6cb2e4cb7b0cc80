import type { Sql } from '../database/database';
import type { Engine, NewJob } from '../database/engine';
import { queueOf, URGENT_PRIORITY, type DeliveryJob } from './queues';

/** A delivery that is due. */
export interface DueDelivery {
	readonly event: string;
	readonly urgent: boolean;
	/** Default: 0, that of a new delivery. */
	readonly version?: number;
	/** Default: now. */
	readonly startAfter?: Date;
	/** Size of the event's body. Large events do not share a job. */
	readonly bytes?: number;
}

/** A row of `relay.delivery` that needs a job. If it had one before, its version is a new one. */
export interface PendingRow {
	readonly subscription: string;
	readonly event: string;
	readonly urgent: boolean;
	readonly version: number;
	readonly next_at: Date | null;
}

/** Deliveries in one job. A job costs the database about as much as a delivery. */
const MOST_IN_JOB = 10;

/** Bytes of the events in one job, because a worker reads the events of many jobs at once. */
const MOST_BYTES_IN_JOB = 64 * 1024;

/**
 * Makes the jobs of deliveries. Those that are alike share jobs, except opt-outs.
 * @param sql the transaction that also writes the deliveries
 */
export async function enqueue(
	engine: Engine,
	sql: Sql,
	subscription: string,
	deliveries: readonly DueDelivery[],
): Promise<void> {
	const alike = Map.groupBy(deliveries, ({ event, urgent, version = 0, startAfter }) =>
		[urgent && event, version, startAfter?.getTime()].join(),
	);
	const jobs = [...alike.values()].flatMap(split).map(jobOf);
	if (jobs.length > 0) await engine.insert(queueOf(subscription), jobs, sql);
}

type Group = [DueDelivery, ...DueDelivery[]];

function split(deliveries: readonly DueDelivery[]): Group[] {
	const groups: Group[] = [];
	let total = 0;
	for (const delivery of deliveries) {
		const { bytes = 0 } = delivery;
		const last = groups.at(-1);
		if (last && last.length < MOST_IN_JOB && total + bytes <= MOST_BYTES_IN_JOB) {
			last.push(delivery);
			total += bytes;
		} else {
			groups.push([delivery]);
			total = bytes;
		}
	}
	return groups;
}

function jobOf(deliveries: Group): NewJob<DeliveryJob> {
	const [{ urgent, version = 0, startAfter }] = deliveries;
	const events = deliveries.map(({ event }) => event);
	return {
		data: { events, version },
		...(urgent && { priority: URGENT_PRIORITY }),
		...(startAfter && { startAfter }),
	};
}

/**
 * Makes the next jobs of pending deliveries of any subscriptions.
 * @param sql the transaction that also wrote the rows
 */
export async function enqueueRows(engine: Engine, sql: Sql, rows: readonly PendingRow[]): Promise<void> {
	for (const [subscription, pending] of Map.groupBy(rows, (row) => row.subscription)) {
		const deliveries = pending.map(({ event, urgent, version, next_at }) => ({
			event,
			urgent,
			version,
			...(next_at && { startAfter: next_at }),
		}));
		await enqueue(engine, sql, subscription, deliveries);
	}
}

/**
 * The moment at which a subscription with batches posts an event: the end of the current period, the same for all
 * events of the period.
 * @param waitMs length of a period, in milliseconds
 */
export function batchMoment(now: Date, waitMs: number): Date {
	return waitMs === 0 ? now : new Date(Math.ceil((now.getTime() + 1) / waitMs) * waitMs);
}
