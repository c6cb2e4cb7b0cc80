import { z } from 'zod/v4';
import type { EventItem } from './eventItem';

const text = z.string().nullable();

const inbound = z.object({
	event: z.enum(['sms.inbound', 'whatsapp.inbound']),
	from: z.string(),
	to: text,
	message: z.string(),
	message_id: text,
	keyword: text,
});

const receipt = z.object({
	event: z.literal('message.status'),
	message_id: z.string(),
	status: z.string(),
	to: text,
	channel: text,
	provider_status: text,
});

const alert = z.object({
	event: z.literal('wallet.low_balance'),
	balance: z.number(),
	threshold: z.number().nullable(),
	currency: text,
});

const item = z.discriminatedUnion('event', [inbound, receipt, alert]);

/**
 * Reads an item that another process made, such as the `data` of an event of the relay.
 * @returns undefined if it is not an item
 * @example const item = parseEventItem(event.data);
 */
export function parseEventItem(data: unknown): EventItem | undefined {
	return item.safeParse(data).data;
}
