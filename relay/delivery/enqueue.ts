import type { Sql } from '../database/database';
import type { Engine } from '../database/engine';
import { queueOf, URGENT_PRIORITY, type DeliveryJob } from './queues';

/** A delivery that is due. */
export interface DueDelivery {
	readonly event: string;
	readonly urgent: boolean;
	readonly attempt?: number;
	readonly replay?: number;
	/** `next_at` of the delivery, and the start of the job. Default: null, and now. */
	readonly at?: Date;
	/** The start of the first job, if it is later. */
	readonly startAfter?: Date;
}

/**
 * Makes a job for each delivery.
 * @param sql the transaction that also writes the deliveries
 */
export async function enqueue(
	engine: Engine,
	sql: Sql,
	subscription: string,
	deliveries: readonly DueDelivery[],
): Promise<void> {
	const jobs = deliveries.map(({ event, urgent, attempt = 0, replay = 0, at, startAfter = at }) => ({
		data: { event, attempt, replay, next: at?.getTime() ?? null } satisfies DeliveryJob,
		...(urgent && { priority: URGENT_PRIORITY }),
		...(startAfter && { startAfter }),
	}));
	await engine.insert(queueOf(subscription), jobs, sql);
}

/**
 * The moment at which a subscription with batches posts an event: the end of the current period, the same for all
 * events of the period.
 * @param waitMs length of a period, in milliseconds
 */
export function batchMoment(now: Date, waitMs: number): Date {
	return waitMs === 0 ? now : new Date(Math.ceil((now.getTime() + 1) / waitMs) * waitMs);
}
