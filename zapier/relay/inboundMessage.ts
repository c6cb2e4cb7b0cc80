import type { PlainInputField, PlainOutputField } from 'zapier-platform-core';
import { keyword } from '../../shared';
import { optionalText, toBoolean } from '../runtime/inputs';
import type { EventFilter } from './relayClient';

/** Kinds of messages that the relay knows: three meanings in all their words, and messages that are no keyword. */
const KINDS = ['stop', 'start', 'help', 'none'];

/** Input fields of a trigger for inbound messages. */
export const inboundFields = [
	{
		key: 'to',
		label: 'To',
		type: 'string',
		list: true,
		required: false,
		dynamic: 'sender_ids.id.name',
		placeholder: 'KOFISHOP',
		helpText: 'The sender ID or number that receives the message. Leave empty for all.',
	},
	{
		key: 'keyword',
		label: 'Keyword',
		type: 'string',
		list: true,
		required: false,
		placeholder: 'HOURS',
		helpText: 'Only messages with just this word start the Zap. Leave empty for all.',
	},
	{
		key: 'include_opt_outs',
		label: 'Include Opt-Outs',
		type: 'boolean',
		required: false,
		default: 'false',
		helpText: 'Whether messages such as STOP start the Zap too. A Zap that replies must not include them.',
	},
] satisfies PlainInputField[];

/** Output fields of a trigger for inbound messages. */
export const inboundOutput = [
	{ key: 'from', label: 'From', type: 'string' },
	{ key: 'to', label: 'To', type: 'string' },
	{ key: 'message', label: 'Message', type: 'string' },
	{ key: 'message_id', label: 'Message ID', type: 'string' },
	{ key: 'keyword', label: 'Keyword', type: 'string' },
] satisfies PlainOutputField[];

/** Reads {@link inboundFields} as the relay's filter. A chosen STOP includes opt-outs, because it is one. */
export function readInboundFilter(inputData: Readonly<Record<string, unknown>>): EventFilter {
	const to = listOf(inputData.to);
	const keywords = listOf(inputData.keyword)?.map(keywordOf);
	const withOptOuts = toBoolean(inputData.include_opt_outs) || keywords?.includes('stop');
	return {
		...(to && { to }),
		...(keywords && { keywords }),
		opt_outs: withOptOuts ? 'include' : 'exclude',
	};
}

/** The relay's name for a word: one of {@link KINDS}, or the word itself. */
function keywordOf(word: string): string {
	const kind = KINDS.find((known) => known === word.toLowerCase());
	return kind ?? (keyword(word) === 'stop' ? 'stop' : word);
}

/** Reads a filter: a list, or a text with commas. Undefined if it is empty. */
export function listOf(value: unknown): string[] | undefined {
	const texts = [value].flat().map((one) => optionalText(one) ?? '');
	const parts = texts.flatMap((text) => text.split(',')).flatMap((part) => part.trim() || []);
	return parts.length === 0 ? undefined : parts;
}
