import type { Services } from '../services';
import type { PhoneText } from '../store/phoneTexts';
import { ownWebhook } from './phones';
import { toE164 } from './parseInbound';

/** How long a forwarded message is matched by its content, in milliseconds. */
export const MATCH_WINDOW_MS = 600_000;

/** Message that arrived at the service's webhook. `textId` comes from its header. */
export interface PostedText {
	readonly from: string;
	readonly to: string;
	readonly message: string;
	readonly textId: string | undefined;
}

/**
 * Finds the phone message that arrived at the service's webhook. The phone may have sent it there, or a receiver
 * forwarded it. The header identifies it. Without the header, the message matches if it was sent to a receiver in the
 * last ten minutes with the same sender, recipient and content. Messages that are not in the inbox yet match first.
 * @returns undefined if no phone sent it
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
