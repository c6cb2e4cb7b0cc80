import { post, type PostFormat, type PostOptions, writeBody } from '../outgoing/post';
import type { PhoneText, PostResult } from '../store/phoneTexts';

/**
 * Posts a text the way a gateway does (service.md, Inbound SMS webhook fields).
 * @returns how it ended; it never throws
 */
export async function postText(
	{ sender, recipient, text, url, channel, id }: PhoneText,
	format: PostFormat,
	options: PostOptions,
): Promise<PostResult> {
	const fields =
		channel === 'sms'
			? { From: sender, To: recipient, Message: text }
			: { from: sender, to: recipient, message: text, message_id: id };
	const { httpStatus, problem } = await post({ url, ...writeBody(fields, format) }, options);
	if (problem === null && httpStatus !== null) return { status: 'posted', httpStatus };
	return { status: 'failed', httpStatus: httpStatus ?? undefined, problem: problem ?? 'no answer' };
}
