import { Hono } from 'hono';
import { events } from '../../shared/contract';
import { planDelivery } from '../behaviour/deliveryPlan';
import { PRICES } from '../behaviour/price';
import { requireSetUp, SENDERS } from '../handlers/channels';
import { newId } from '../handlers/ids';
import { parseInput } from '../http/parse';
import type { Services } from '../services';
import { readPosted, toE164 } from './posted';

/** What the chatbot answers to everything. */
export const CHATBOT_REPLY = 'Thank you for your message. We will answer soon.';

/**
 * The service's webhook for WhatsApp messages from people (service.md, Events 5): each goes to the inbox, and the
 * chatbot answers it as long as the wallet holds enough. Its payload and answer are the sandbox's choice.
 */
export function createWhatsappWebhook({ store, clock }: Services): Hono {
	const webhook = new Hono();
	webhook.post('/webhooks/whatsapp/inbound', async (c) => {
		requireSetUp(store.settings.read(), 'chatbot');
		const { from, to, message } = parseInput(events.inboundWhatsapp.payload, await readPosted(c));
		const now = clock.now();
		const sender = toE164(from);
		const recipient = to ?? SENDERS.whatsapp;
		const kept = store.inbox.receive({
			channel: 'whatsapp',
			sender,
			recipient,
			text: message,
			keyword: null,
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
			cost: PRICES.whatsapp,
			createdAt: now,
			transitions: planDelivery(sender, now, false),
		});
		return c.json({ success: true, id: kept.id, reply_message_id: reply.accepted ? reply.message.id : null });
	});
	return webhook;
}
