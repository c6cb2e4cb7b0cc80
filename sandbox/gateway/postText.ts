import { post, type PostFormat, type PostOptions, writeBody } from '../outgoing/post';
import type { PhoneText, PostResult } from '../store/phoneTexts';

/** Names the phone's text in each post; a receiver that passes a text on to the service may pass this on, too. */
export const TEXT_HEADER = 'x-sandbox-text';

/**
 * Posts a text the way a gateway does (service.md, Inbound SMS webhook fields).
 * @returns how it ended; it never throws
 */
export async function postText(
	{ sender, recipient, text, channel, id }: PhoneText,
	url: string,
	format: PostFormat,
	options: PostOptions,
): Promise<PostResult> {
	const fields =
		channel === 'sms'
			? { From: sender, To: recipient, Message: text }
			: { from: sender, to: recipient, message: text, message_id: id };
	const posting = { url, ...writeBody(fields, format), headers: { [TEXT_HEADER]: id } };
	const { httpStatus, problem } = await post(posting, options);
	if (problem === null && httpStatus !== null) return { status: 'posted', httpStatus };
	return { status: 'failed', httpStatus: httpStatus ?? undefined, problem: problem ?? 'no answer' };
}
