import { Hono } from 'hono';
import { events } from '../../shared/contract';
import { parseInput } from '../http/parse';
import type { Services } from '../services';
import { readPosted, toE164 } from './posted';
import { receiveText } from './receiveText';

/** How long a text that the phones gave to the service is recognised when somebody passes it on, in milliseconds. */
export const RECOGNISED_FOR_MS = 600_000;

/**
 * The service's webhook for inbound texts (service.md, Inbound SMS webhook fields; Events 3 and 4): each text goes to
 * the inbox, a keyword changes the opt-out list.
 */
export function createInboundWebhook({ store, clock }: Services): Hono {
	const webhook = new Hono();
	webhook.post('/webhooks/inbound/sms', async (c) => {
		const { from, to, message } = parseInput(events.inboundSms.payload, await readPosted(c));
		// Whoever gets the phones' texts beside the service may pass them on to it: it has them already.
		const known = store.settings.read().inbound_to_service
			? store.inbox.findSince(toE164(from), to, message, clock.now() - RECOGNISED_FOR_MS)
			: undefined;
		if (known) return c.json({ success: true, id: known.id, duplicate: true });
		return c.json({ success: true, id: receiveText({ store, clock }, { from, to, message }).id });
	});
	return webhook;
}
