import { findKeyword } from '../simulation/keyword';
import type { Services } from '../services';
import type { InboxText } from '../store/inbox';
import { toE164 } from './parseInbound';

/** An inbound text; `textId` names the phone's text that it is, where it is one. */
export interface IncomingText {
	readonly from: string;
	readonly to: string;
	readonly message: string;
	readonly textId: string | null;
}

/**
 * Takes an inbound text into the inbox and lets a keyword change the opt-out list (docs/api.md#inbound-sms-webhook,
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
