import { magicNumbers } from '../magicNumbers';
import type { Store } from '../store/store';
import type { Phones } from './phones';

/** Reply of the magic number that answers. */
export const REPLY = 'Thank you!';

/** Lets the magic number reply to each message after delivery. @returns a function that stops it */
export function startAutoReply(store: Store, phones: Phones): () => void {
	return store.changes.onDelivered(({ channel, recipient, sender_id }) => {
		if (recipient === magicNumbers.replies && channel === 'sms') phones.text(recipient, sender_id, REPLY);
	});
}
