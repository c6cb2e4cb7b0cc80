import {
	judgeStatus,
	PROGRESS_KEPT_MS,
	withoutStatus,
	type DeliveryProgress,
	type StatusVerdict,
} from '../../../../shared/index';
import { BoundedMap } from '../../memory/boundedMap';

/** The last 20,000 messages with receipts. */
const messages = new BoundedMap<DeliveryProgress>({ maxSize: 20_000 });

/**
 * Compares a status with earlier ones, and keeps it if it is new.
 * @param key of the trigger and the message
 */
export function advance(key: string, status: string): StatusVerdict {
	const { verdict, next } = judgeStatus(messages.get(key), status);
	if (verdict === 'new') messages.set(key, next, PROGRESS_KEPT_MS);
	return verdict;
}

/** Forgets a status that n8n did not accept, so that it is new again. */
export function undoAdvance(key: string, status: string): void {
	messages.set(key, withoutStatus(messages.get(key), status), PROGRESS_KEPT_MS);
}
