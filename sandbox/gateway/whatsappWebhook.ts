import { Hono } from 'hono';
import { contract, events } from '../../shared/contract';
import { planDelivery } from '../simulation/deliveryPlan';
import { priceOf } from '../simulation/price';
import { SENDERS } from '../handlers/channels';
import { requireSetUp } from '../handlers/handler';
import { newId } from '../store/ids';
import type { HonoEnv } from '../http/env';
import { parseInput } from '../http/parse';
import { parseInbound, toE164 } from './parseInbound';
import { serveWebhook, type WebhookServices } from './serveWebhook';

/** The chatbot's reply to every message. */
export const CHATBOT_REPLY = 'Thank you for your message. We will answer soon.';

/**
 * Creates the service's webhook for inbound WhatsApp messages (docs/api.md#inbound-whatsapp-webhook). Each message goes
 * to the inbox. The chatbot replies if the balance is sufficient. Payload and response are the sandbox's choice.
 */
export function createWhatsappWebhook(services: WebhookServices): Hono<HonoEnv> {
	const { store, clock } = services;
	const webhook = new Hono<HonoEnv>();
	webhook.post('/webhooks/whatsapp/inbound', (c) =>
		serveWebhook(c, services, 'whatsapp.inbound', async () => {
			requireSetUp(store, 'chatbot_set_up', 'The chatbot');
			const { from, to, message } = parseInput(events.inboundWhatsapp.payload, await parseInbound(c));
			const now = clock.now();
			const sender = toE164(from);
			const recipient = to ?? SENDERS.whatsapp;
			const kept = store.inbox.receive({
				channel: 'whatsapp',
				sender,
				recipient,
				text: message,
				keyword: null,
				text_id: null,
				received_at: now,
			});
			const reply = store.messages.accept({
				id: newId('msg'),
				channel: 'whatsapp',
				recipient: sender,
				senderId: recipient,
				text: CHATBOT_REPLY,
				priority: false,
				segments: 1,
				cost: priceOf(contract.whatsapp.send),
				createdAt: now,
				transitions: planDelivery(sender, now, false),
			});
			return { success: true, id: kept.id, reply_message_id: reply.accepted ? reply.message.id : null };
		}),
	);
	return webhook;
}
