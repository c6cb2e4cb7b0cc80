import { Hono } from 'hono';
import { events } from '../../shared/contract';
import { findKeyword } from '../behaviour/keyword';
import { parseInput } from '../http/parse';
import type { Services } from '../services';
import { readPosted, toE164 } from './posted';

/**
 * The service's webhook for inbound texts (service.md, Inbound SMS webhook fields; Events 3 and 4): each text goes to
 * the inbox, a keyword changes the opt-out list.
 */
export function createInboundWebhook({ store, clock }: Services): Hono {
	const webhook = new Hono();
	webhook.post('/webhooks/inbound/sms', async (c) => {
		const { from, to, message } = parseInput(events.inboundSms.payload, await readPosted(c));
		const text = store.inbox.receive({
			channel: 'sms',
			sender: toE164(from),
			recipient: to,
			text: message,
			keyword: findKeyword(message),
			received_at: clock.now(),
		});
		return c.json({ success: true, id: text.id });
	});
	return webhook;
}
