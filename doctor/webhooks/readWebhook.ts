import { readBody, recognizeEvents, type EventName, type Template } from '../../shared';
import { isPublicName, type NameMask } from '../publicNames';
import { describe, templateOf } from '../template';

/** A webhook without its values. */
export interface ReceivedWebhook {
	/** The event that the triggers see; undefined if they recognize none. */
	readonly event: EventName | undefined;
	/** Its structure; undefined if the body cannot be read. */
	readonly template: Template | undefined;
	/** Structure in words. */
	readonly words: string;
	/** Names of headers that look like a secret or a signature. */
	readonly secretHeaders: readonly string[];
}

const SECRET = /sign|hmac|secret|token|auth|digest/i;

/**
 * Reads a webhook as the triggers do, and keeps only its structure.
 * @param headers names in lower case
 */
export function readWebhook(
	headers: Readonly<Record<string, string | string[] | undefined>>,
	bytes: Uint8Array,
	mask: NameMask,
): ReceivedWebhook {
	const { 'content-type': type = '' } = headers;
	const contentType = String(type);
	const secretHeaders = Object.keys(headers)
		.filter((name) => SECRET.test(name))
		.map((name) => (isPublicName(name.replace(/^x-/, '')) ? name : 'a header with another name'));
	const read = readBody({ contentType, bytes });
	if ('problem' in read) {
		return { event: undefined, template: undefined, words: `A body that is ${read.problem}`, secretHeaders };
	}
	const template = templateOf(read.fields, mask);
	const kind = contentType.includes('json') ? 'JSON' : 'A form';
	return {
		event: recognizeEvents(read.fields).find(({ event }) => event)?.event?.name,
		template,
		words: `${kind} \`${describe(template)}\``,
		secretHeaders,
	};
}
