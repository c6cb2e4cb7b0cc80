import { Hono } from 'hono';
import { events } from '../../shared/contract';
import { TEXT_HEADER } from '../callbacks/phoneText';
import type { HonoEnv } from '../http/env';
import { parseInput } from '../http/parse';
import { matchForwarded } from './matchForwarded';
import { parseInbound } from './parseInbound';
import { receiveText } from './receiveText';
import { serveWebhook, type WebhookServices } from './serveWebhook';

/**
 * Creates the service's webhook for inbound SMS (docs/api.md#inbound-sms-webhook, docs/api.md#opt-out). Each message
 * goes to the inbox once. A keyword changes the opt-out list.
 */
export function createInboundWebhook(services: WebhookServices): Hono<HonoEnv> {
	const { store } = services;
	const webhook = new Hono<HonoEnv>();
	webhook.post('/webhooks/inbound/sms', (c) =>
		serveWebhook(c, services, 'sms.inbound', async () => {
			const { from, to, message } = parseInput(events.inboundSms.payload, await parseInbound(c));
			const phoneText = matchForwarded(services, { from, to, message, textId: c.req.header(TEXT_HEADER) });
			const known = phoneText && store.inbox.findText(phoneText.id);
			if (known) return { success: true, id: known.id, duplicate: true };
			return { success: true, id: receiveText(services, { from, to, message, textId: phoneText?.id ?? null }).id };
		}),
	);
	return webhook;
}
