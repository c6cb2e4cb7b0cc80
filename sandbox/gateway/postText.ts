import { type PostResponse, type PostFormat, type Posting, writeBody } from '../http/postWebhook';
import type { PhoneText, PostResult } from '../store/phoneTexts';

/** Names the phone's text in each post; a receiver that passes a text on to the service may pass this on, too. */
export const TEXT_HEADER = 'x-sandbox-text';

/** How texts are written. */
export interface TextStyle {
	readonly format: PostFormat;
	/** Whether an SMS carries an ID and a status of its own, as some gateways give it. */
	readonly withStatus: boolean;
}

/** Writes a text the way a gateway posts it (docs/api.md#inbound-sms-webhook). */
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

/** Says how posting a text ended. */
export function toPostResult({ httpStatus, problem }: PostResponse): PostResult {
	if (problem === null && httpStatus !== null) return { status: 'posted', httpStatus };
	return { status: 'failed', httpStatus: httpStatus ?? undefined, problem: problem ?? 'no answer' };
}
