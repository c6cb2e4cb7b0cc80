/** Bodies that the service and its gateways post. */

let next = 0;

/** A delivery receipt. */
export function receipt(messageId: string, status: string, more: object = {}): object {
	return { message_id: messageId, status, to: '+233201234567', channel: 'sms', ...more };
}

/** An inbound message with new words, unless they are given. */
export function inbound(more: object = {}): object {
	next += 1;
	return { from: '+233201234567', to: '+233241234567', message: `Hello ${next} from Ama`, ...more };
}
