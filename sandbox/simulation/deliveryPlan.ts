import type { Batch } from '../store/batches';
import type { Transition } from '../store/messageRows';
import { BOUNCING_MAILBOX, magicNumbers } from '../magicNumbers';

/** Two routes to the phone: milliseconds to each status, and messages per second. */
const ROUTES = {
	normal: { sent: 300, delivered: 1000, perSecond: 500 },
	priority: { sent: 100, delivered: 400, perSecond: 2500 },
} as const;

/** How long the first message of a bulk send stays queued, in milliseconds. */
export const QUEUED_MS = 200;

/** How long messages to the late number take to arrive, in milliseconds. */
export const LATE_MS = 600_000;

/**
 * Plans the status changes of an accepted message (docs/api.md#message-states).
 * @param to the recipient, which may be a magic number
 * @param acceptedAt milliseconds since 1970 UTC
 */
export function planDelivery(to: string, acceptedAt: number, priority: boolean): readonly Transition[] {
	const route = priority ? ROUTES.priority : ROUTES.normal;
	const fails = to === magicNumbers.undeliverable || to.startsWith(`${BOUNCING_MAILBOX}@`);
	if (to === magicNumbers.stuck) return [];
	return [
		{ status: 'sent', dueAt: acceptedAt + (to === magicNumbers.receiptBeforeAnswer ? 0 : route.sent) },
		{
			status: fails ? 'failed' : 'delivered',
			dueAt: acceptedAt + (to === magicNumbers.late ? LATE_MS : route.delivered),
		},
	];
}

/** Plans the status changes of a queued message in a batch. The route's rate spreads the messages out. */
export function planBatch(
	{ created_at, scheduled_at, priority }: Batch,
	to: string,
	position: number,
): readonly Transition[] {
	const { perSecond } = priority === 1 ? ROUTES.priority : ROUTES.normal;
	const dueAt = Math.max(created_at + QUEUED_MS, scheduled_at ?? 0) + Math.floor((position * 1000) / perSecond);
	return [{ status: 'submitted', dueAt }, ...planDelivery(to, dueAt, priority === 1)];
}
