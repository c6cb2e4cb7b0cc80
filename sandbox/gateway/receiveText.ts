import { findKeyword } from '../behaviour/keyword';
import type { Services } from '../services';
import type { InboxText } from '../store/inbox';
import { toE164 } from './posted';

/** Takes an inbound text into the inbox and lets a keyword change the opt-out list (service.md, Events 3 and 4). */
export function receiveText(
	{ store, clock }: Pick<Services, 'store' | 'clock'>,
	{ from, to, message }: { readonly from: string; readonly to: string; readonly message: string },
): InboxText {
	return store.inbox.receive({
		channel: 'sms',
		sender: toE164(from),
		recipient: to,
		text: message,
		keyword: findKeyword(message),
		received_at: clock.now(),
	});
}
