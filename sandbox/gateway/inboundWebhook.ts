import { Hono } from 'hono';
import { events } from '../../shared/contract';
import type { Exchange } from '../http/exchange';
import { parseInput } from '../http/parse';
import { findPhoneText } from './passedOn';
import { readPosted } from './posted';
import { TEXT_HEADER } from './postText';
import { receiveText } from './receiveText';
import { serveWebhook, type WebhookServices } from './serveWebhook';

/**
 * The service's webhook for inbound texts (service.md, Inbound SMS webhook fields; Events 3 and 4): each text goes to
 * the inbox once, a keyword changes the opt-out list.
 */
export function createInboundWebhook(services: WebhookServices): Hono<Exchange> {
	const { store } = services;
	const webhook = new Hono<Exchange>();
	webhook.post('/webhooks/inbound/sms', (c) =>
		serveWebhook(c, services, 'sms.inbound', async () => {
			const { from, to, message } = parseInput(events.inboundSms.payload, await readPosted(c));
			const phoneText = findPhoneText(services, { from, to, message, textId: c.req.header(TEXT_HEADER) });
			const known = phoneText && store.inbox.findText(phoneText.id);
			if (known) return { success: true, id: known.id, duplicate: true };
			return { success: true, id: receiveText(services, { from, to, message, textId: phoneText?.id ?? null }).id };
		}),
	);
	return webhook;
}
