import { findKeyword } from '../simulation/keyword';
import type { Services } from '../services';
import type { InboxText } from '../store/inbox';
import { toE164 } from './parseInbound';

/** An inbound message. `textId` is the ID of the phone message, or null if no phone sent it. */
export interface IncomingText {
	readonly from: string;
	readonly to: string;
	readonly message: string;
	readonly textId: string | null;
}

/**
 * Adds an inbound message to the inbox. A keyword changes the opt-out list (docs/api.md#inbound-sms-webhook,
 * docs/api.md#opt-out).
 */
export function receiveText(
	{ store, clock }: Pick<Services, 'store' | 'clock'>,
	{ from, to, message, textId }: IncomingText,
): InboxText {
	return store.inbox.receive({
		channel: 'sms',
		sender: toE164(from),
		recipient: to,
		text: message,
		keyword: findKeyword(message),
		text_id: textId,
		received_at: clock.now(),
	});
}
