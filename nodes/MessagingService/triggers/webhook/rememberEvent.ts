import {
	eventIdentity,
	progressIdentity,
	type EventItem,
	judgeStatus,
	PROGRESS_KEPT_MS,
	withoutStatus,
	type DeliveryProgress,
	type StatusVerdict,
} from '../../../../shared/index';
import { fingerprint } from '../../memory/fingerprint';
import type { Arrival } from './arrival';
import { isUndecided, markSeen, unmarkSeen } from './dedupe';
import type { WebhookContext } from './webhookContext';
import { BoundedMap } from '../../memory/boundedMap';

/** How long an event of the relay is known by its ID, in milliseconds. The relay tries for three days. */
const RELAYED_MS = 4 * 24 * 3_600_000;

/** The memory of one event in this process. */
export interface EventMemory {
	/** {@link fingerprint} of the event. */
	readonly key: string;
	/** Whether n8n may still accept an earlier request with this event. */
	isUndecided(): boolean;
	/** Remembers the event if it is new. It is synchronous, so of concurrent duplicates exactly one is new. */
	add(): 'new' | 'duplicate' | 'late';
	/** Forgets the event, so that its duplicate is new. */
	forget(): void;
}

/**
 * Finds how an event is remembered. The relay deduplicates by content, so its events are compared by ID only: the same
 * words may arrive twice in a moment after an outage.
 * @returns undefined for events that are never duplicates: a test in the editor, or a request that is no event
 */
export function memoryOf(webhook: WebhookContext, { item, relayed, request = '' }: Arrival): EventMemory | undefined {
	const { trigger, settings, manual } = webhook;
	if (manual) return undefined;
	if (relayed) return seenMemory(fingerprint(trigger, 'relayed', relayed.id, relayed.replay), RELAYED_MS);
	if (item.event === 'unrecognized') return undefined;
	const { parts, knownMs, ends } = eventIdentity(item, { ...settings.options, request });
	if (item.event === 'message.status') return receiptMemory(trigger, item, fingerprint(trigger, ...parts));
	return seenMemory(fingerprint(trigger, ...parts), knownMs, ends && fingerprint(trigger, ...ends));
}

/** @param ends the event that this one makes new again */
function seenMemory(key: string, knownMs: number, ends?: string): EventMemory {
	return {
		key,
		isUndecided: () => knownMs > 0 && isUndecided(key),
		add: () => {
			if (!markSeen(key, knownMs)) return 'duplicate';
			if (ends !== undefined) unmarkSeen(ends);
			return 'new';
		},
		forget: () => unmarkSeen(key),
	};
}

/** A receipt moves its message forward. */
function receiptMemory(
	trigger: string,
	item: Extract<EventItem, { readonly event: 'message.status' }>,
	key: string,
): EventMemory {
	const { status } = item;
	const message = fingerprint(trigger, ...progressIdentity(item));
	return {
		key,
		isUndecided: () => isUndecided(key),
		add: () => {
			const verdict = advance(message, status);
			return verdict === 'known' ? 'duplicate' : verdict;
		},
		forget: () => undoAdvance(message, status),
	};
}

/** The last 20,000 messages with receipts. */
const messages = new BoundedMap<DeliveryProgress>({ maxSize: 20_000 });

/**
 * Compares a status with earlier ones, and keeps it if it is new.
 * @param key of the trigger and the message
 */
function advance(key: string, status: string): StatusVerdict {
	const { verdict, next } = judgeStatus(messages.get(key), status);
	if (verdict === 'new') messages.set(key, next, PROGRESS_KEPT_MS);
	return verdict;
}

/** Forgets a status that n8n did not accept, so that it is new again. */
function undoAdvance(key: string, status: string): void {
	messages.set(key, withoutStatus(messages.get(key), status), PROGRESS_KEPT_MS);
}
