import { contract } from '../../shared/contract';
import { HttpError } from '../http/httpError';
import { toTimestamp } from '../http/timestamp';
import type { Message } from '../store/messageRows';
import { toCurrency } from '../store/money';
import type { Store } from '../store/store';
import { handle, type Handlers } from './handler';

/** Endpoints of messages on any channel (docs/api.md#get-a-message). */
export const message: Handlers['message'] = {
	get: handle(contract.message.get, ({ id }, { store }) => {
		const found = requireMessage(store, id);
		return { ...messageStatus(found), channel: found.channel };
	}),
};

/** The gateway's statuses in the style of SMPP delivery receipts, by the service's status. */
export const PROVIDER_STATUS: Readonly<Record<string, string>> = {
	queued: 'ENROUTE',
	submitted: 'ACCEPTD',
	sent: 'ENROUTE',
	delivered: 'DELIVRD',
	failed: 'UNDELIV',
};

/**
 * Finds a message.
 * @param channel required channel of the message; any if omitted
 * @throws HttpError 404 `not_found` (docs/api.md#errors: the status is the sandbox's choice)
 */
export function requireMessage(store: Store, id: string, channel?: Message['channel']): Message {
	const message = store.messages.find(id);
	if (message && (channel ?? message.channel) === message.channel) return message;
	throw new HttpError(404, 'not_found', `There is no ${channel ?? 'message'} with the ID ${id}.`);
}

/**
 * Converts a message to the response of the status endpoints (docs/api.md#get-an-sms). The cost is in currency units.
 */
export function messageStatus(message: Message) {
	const time = (milliseconds: number | null) => (milliseconds === null ? null : toTimestamp(milliseconds));
	return {
		message_id: message.id,
		status: message.status,
		provider_status: PROVIDER_STATUS[message.status],
		cost: toCurrency(message.cost),
		to: message.recipient,
		sender_id: message.sender_id,
		created_at: toTimestamp(message.created_at),
		sent_at: time(message.sent_at),
		delivered_at: time(message.delivered_at),
		failed_at: time(message.failed_at),
	};
}
