import type { Phones } from '../gateway/phones';
import type { Store } from '../store/store';
import { magicNumbers } from './magicNumbers';

/** What the phone of the number that replies writes back. */
export const REPLY = 'Thank you!';

/** Lets the number that replies answer each text once it is delivered. @returns a function that ends it */
export function startAutoReply(store: Store, phones: Phones): () => void {
	return store.changes.onDelivered(({ channel, recipient, sender_id }) => {
		if (recipient === magicNumbers.replies && channel === 'sms') phones.text(recipient, sender_id, REPLY);
	});
}
