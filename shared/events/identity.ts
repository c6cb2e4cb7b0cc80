import { PROGRESS_KEPT_MS } from './deliveryProgress';
import type { EventItem, ReceiptItem } from './eventItem';

/**
 * Values that identify something. A host makes one key of them, with the name of the receiver if it has several.
 * @example const parts: IdentityParts = ['receipt', 'm-1', 'delivered'];
 */
export type IdentityParts = ReadonlyArray<string | number | null>;

/** The fields that make two events the same, and for how long. */
export interface EventIdentity {
	/** Equal for the same event. Different for other events. */
	readonly parts: IdentityParts;
	/** How long a second event with these parts is a duplicate, in milliseconds. 0 = never. */
	readonly knownMs: number;
	/** The identity that a host forgets if this event is new: a STOP after a START is new. */
	readonly ends?: IdentityParts;
}

/** How long messages with an ID are deduplicated, in milliseconds. */
const ID_KNOWN_MS = 24 * 3_600_000;

/** How long alerts with the same amounts are duplicates, in milliseconds. */
const ALERT_KNOWN_MS = 600_000;

/**
 * Where an event came from.
 * @example const source: EventSource = { deduplicationWindowSeconds: 60, request: '9f86d0/0' };
 */
export interface EventSource {
	/** For messages without an ID, in seconds; 0 = never duplicates. */
	readonly deduplicationWindowSeconds: number;
	/** A digest of the request's body, with the place of the event in it. Equal if the sender repeats the request. */
	readonly request: string;
}

/**
 * Identifies an event. A message with an ID is the same for a day. Without an ID, a message is the same within the window
 * if the whole body is equal, because a person may say the same word twice. Every STOP without an ID from one number to
 * one recipient is the same, however it is written. For a receipt, the progress of its message decides first
 * (`progressIdentity`, `judgeStatus`).
 * @example eventIdentity(item, { deduplicationWindowSeconds: 60, request: '9f86d0/0' }).knownMs // 60000
 */
export function eventIdentity(item: EventItem, { deduplicationWindowSeconds, request }: EventSource): EventIdentity {
	switch (item.event) {
		case 'sms.inbound':
		case 'whatsapp.inbound': {
			const { event, from, to, message, message_id, keyword } = item;
			const stop = [event, from, to, 'stop'];
			const withoutId = keyword === 'stop' ? stop : [event, from, to, 'request', request];
			return {
				parts: message_id === null ? withoutId : [event, from, to, message, message_id],
				knownMs: message_id === null ? deduplicationWindowSeconds * 1000 : ID_KNOWN_MS,
				// Not the other way round: a START after a STOP may be a duplicate, and must not undo the STOP.
				...(keyword === 'start' && { ends: stop }),
			};
		}
		case 'message.status':
			return { parts: ['receipt', item.message_id, item.status, item.to], knownMs: PROGRESS_KEPT_MS };
		case 'wallet.low_balance':
			return { parts: [item.event, item.balance, item.threshold, item.currency], knownMs: ALERT_KNOWN_MS };
	}
}

/**
 * Identifies the message of a receipt. The host keeps its progress under this key. The messages of a bulk send may share
 * an ID, so the recipient belongs to it.
 * @example progressIdentity(receipt) // ['message', 'm-1', '+233201234567']
 */
export function progressIdentity({ message_id, to }: Pick<ReceiptItem, 'message_id' | 'to'>): IdentityParts {
	return ['message', message_id, to];
}
