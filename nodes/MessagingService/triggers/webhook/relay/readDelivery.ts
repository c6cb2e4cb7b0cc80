import type { IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';
import { inboundKeyword, parseEventItem, parseJson, type EventItem } from '../../../../../shared/index';
import type { Arrival } from '../arrival';
import type { Rejection } from '../rejection';
import type { TriggerSettings } from '../triggerSettings';
import { relayTypes } from './relayTypes';

/** An event as the relay delivers it. */
const relayEvent = z.object({
	id: z.string().min(1),
	type: z.string(),
	timestamp: z.string(),
	data: z.record(z.string(), z.unknown()),
});

/**
 * Reads the events of a request from the relay: one, or a list. Keywords are found again with the Custom Keywords of
 * this trigger. Events of other types, such as the relay's test event, are left out.
 */
export function readDelivery(
	context: IWebhookFunctions,
	{ triggerOn, customKeywords, options }: TriggerSettings,
): readonly Arrival[] | Rejection {
	const { rawBody } = context.getRequestObject();
	const parsed = parseJson(Buffer.isBuffer(rawBody) ? rawBody.toString('utf8') : undefined)?.value;
	const delivered = z.array(relayEvent).safeParse(Array.isArray(parsed) ? parsed : [parsed]);
	if (!delivered.success) return unreadable();
	const { 'webhook-replay': replay } = context.getHeaderData();
	const wanted = relayTypes(triggerOn, options);
	const arrivals: Arrival[] = [];
	for (const { id, type, timestamp, data } of delivered.data.filter((event) => wanted.includes(event.type))) {
		const details = { event_id: id, received_at: timestamp };
		const relayed = { id, replay: typeof replay === 'string' ? replay : undefined };
		if (type === 'unrecognized') {
			arrivals.push({ item: { event: type }, details: { ...data, event: type, ...details }, relayed });
			continue;
		}
		const item = parseEventItem(data);
		if (item?.event !== type) return unreadable();
		arrivals.push({ item: withKeyword(item, customKeywords), details, relayed });
	}
	return arrivals;
}

/** The relay knows no Custom Keywords. It knows sender IDs, so its STOP stays one. */
function withKeyword(item: EventItem, customKeywords: readonly string[]): EventItem {
	if (!('message' in item) || item.keyword === 'stop') return item;
	return { ...item, keyword: inboundKeyword(item, { customKeywords }) };
}

/** The relay keeps such an event, and a person sees it there. */
function unreadable(): Rejection {
	const message = 'This node cannot read the event of the relay. Install the versions of both that belong together';
	return { status: 422, reason: 'event of the relay cannot be read', message };
}
