import type { Services } from '../services';
import type { PhoneText } from '../store/phoneTexts';
import { ownWebhook } from './phones';
import { toE164 } from './parseInbound';

/** How long a text is recognised by its words when somebody passes it on, in milliseconds. */
export const MATCH_WINDOW_MS = 600_000;

/** A text as it came to the service's webhook; `textId` is what its header named. */
export interface PostedText {
	readonly from: string;
	readonly to: string;
	readonly message: string;
	readonly textId: string | undefined;
}

/**
 * Finds out which text of a phone it is that came to the service's webhook: the phones post it there themselves, and a
 * receiver that got it, too, may pass it on. The header tells; without it, a text counts that was posted to such a
 * receiver in the last ten minutes with the same words from the same number to the same one, one that the inbox lacks
 * before one that it has.
 * @returns undefined where it is none of the phones' texts
 */
export function matchForwarded(
	{ store, clock, url }: Pick<Services, 'store' | 'clock' | 'url'>,
	{ from, to, message, textId }: PostedText,
): PhoneText | undefined {
	const sender = toE164(from);
	const isSame = (one: PhoneText) =>
		one.sender === sender && one.recipient === to && one.text.trim() === message.trim();
	const named = textId === undefined ? undefined : store.phoneTexts.find(textId);
	if (named && isSame(named)) return named;
	const known = store.phoneTexts
		.between(sender, to, clock.now() - MATCH_WINDOW_MS)
		.filter((one) => isSame(one) && one.posts.some((post) => post.url !== ownWebhook(url)));
	return known.find(({ id }) => store.inbox.findText(id) === undefined) ?? known.at(-1);
}
