import type { Endpoint } from '../contract/endpoint';
import { countSegments } from '../text/countSegments';

/**
 * The fields that an accepted send has even if the response leaves them out. `sender_id` only if it has one, and
 * `segment_count` (billed segments) only for the text of an SMS.
 */
export interface SentFields {
	/** The recipient as it was sent: E.164, or an email address. */
	readonly to?: string;
	readonly sender_id?: string;
	readonly segment_count?: number;
}

/**
 * Adds {@link SentFields} to the output of a send to one recipient. The service's own fields stay, unless they are null.
 * @returns the output itself if the endpoint sends nothing, such as a contact
 * @example withSentFields(contract.voice.send, { to: '+233201234567', message: 'Hi' }, { message_id: 'm1' }).to
 */
export function withSentFields<Output extends object>(
	{ charges }: Endpoint,
	input: Readonly<Record<string, unknown>>,
	output: Output,
): Output & SentFields {
	const { to, phone, sender_id, message } = input;
	// Without a text or a sender, a charged call sends nothing.
	if (!charges || (message === undefined && sender_id === undefined)) return output;
	const [recipient, ...others] = [to ?? phone].flat();
	const facts = {
		to: others.length === 0 ? recipient : undefined,
		sender_id,
		segment_count:
			charges === 'segment' && typeof message === 'string' ? countSegments(message).segment_count : undefined,
	};
	const own = output as Readonly<Record<string, unknown>>;
	const missing = Object.fromEntries(
		Object.entries(facts).filter(([key, value]) => value !== undefined && (own[key] ?? undefined) === undefined),
	);
	// First, because users look there. Last, so that a null of the service does not hide it.
	return { ...missing, ...output, ...missing };
}
