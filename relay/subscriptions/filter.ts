import { z } from 'zod/v4';
import type { EventFilters } from '../../shared/index';

const MOST_VALUES = 50;
const values = z.array(z.string().trim().min(1).max(200)).max(MOST_VALUES).optional();
const lowerCase = z.array(z.string().trim().toLowerCase().min(1).max(100)).max(MOST_VALUES).optional();

/** The filter of a subscription. A list that is absent or empty accepts everything. */
export const filterSchema = z.strictObject({
	statuses: lowerCase.describe('Statuses of receipts. A stage such as `delivered` includes its other spellings.'),
	channels: lowerCase.describe('Channels of receipts.'),
	keywords: values.describe('`stop`, `start`, `help`, `none`, or words of your own.'),
	from: values.describe('Senders of inbound messages.'),
	to: values.describe('Recipients of inbound messages, and of messages that receipts are about.'),
	opt_outs: z.enum(['include', 'exclude']).optional().describe('`exclude` drops STOP messages. Default: `include`.'),
});

/** See {@link filterSchema}. */
export type Filter = z.output<typeof filterSchema>;

const KINDS = ['stop', 'start', 'help', 'none'] as const;

/** Translates a filter for the rules that the n8n trigger has as well. */
export function toEventFilters({ statuses, channels, keywords = [], from, to, opt_outs }: Filter): EventFilters {
	const kindOf = (word: string) => KINDS.find((kind) => kind === word.toLowerCase());
	return {
		...(from && { sender: from }),
		...(to && { recipient: to }),
		...(statuses && { statuses }),
		...(channels && { channels }),
		...(opt_outs && { optOuts: opt_outs }),
		keywords: keywords.flatMap((word) => kindOf(word) ?? []),
		words: keywords.filter((word) => kindOf(word) === undefined),
	};
}
