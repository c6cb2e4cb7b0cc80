import { type PostResponse, type PostFormat, type Posting, writeBody } from '../http/postWebhook';
import type { PhoneText, PostResult } from '../store/phoneTexts';
import type { Settings } from '../store/settings';

/** Header with the ID of the phone message. A receiver that forwards the message may forward the header, too. */
export const TEXT_HEADER = 'x-sandbox-text';

/** Format of a gateway's webhook. */
export interface TextStyle {
	readonly format: PostFormat;
	/** Whether an SMS has its own ID and status, as with some gateways. */
	readonly withStatus: boolean;
}

/** Writes a message as a gateway's webhook does (docs/api.md#inbound-sms-webhook). */
export function writeText(
	{ sender, recipient, text, channel, id }: Pick<PhoneText, 'sender' | 'recipient' | 'text' | 'channel' | 'id'>,
	url: string,
	{ format, withStatus }: TextStyle,
): Posting {
	const fields =
		channel === 'sms'
			? { From: sender, To: recipient, Message: text, ...(withStatus && { id, status: 'accepted' }) }
			: { from: sender, to: recipient, message: text, message_id: id };
	return { url, ...writeBody(fields, format), headers: { [TEXT_HEADER]: id } };
}

/** Converts a response to the result of a delivery. */
export function toPostResult({ httpStatus, problem }: PostResponse): PostResult {
	if (problem === null && httpStatus !== null) return { status: 'posted', httpStatus };
	return { status: 'failed', httpStatus: httpStatus ?? undefined, problem: problem ?? 'no response' };
}

/** Removes an inbound URL from the settings after its receiver responded with 410. */
export function removeWebhookUrl(settings: Settings, url: string): void {
	const { inbound_url, inbound_urls, whatsapp_inbound_url } = settings.read();
	if (whatsapp_inbound_url === url) settings.change({ whatsapp_inbound_url: null });
	if (inbound_url === url) settings.change({ inbound_url: null });
	if (inbound_urls.includes(url)) settings.change({ inbound_urls: inbound_urls.filter((one) => one !== url) });
}
