import { type Context, Hono } from 'hono';
import { events } from '../../shared/contract';
import { findKeyword } from '../behaviour/keyword';
import { readForm, readJson } from '../http/body';
import { parseInput } from '../http/parse';
import { Refusal } from '../http/refusal';
import type { Services } from '../services';

const FORMS = new Set(['application/x-www-form-urlencoded', 'multipart/form-data']);

/**
 * The service's webhook for inbound texts (service.md, Inbound SMS webhook fields; Events 3 and 4): each text goes to
 * the inbox, a keyword changes the opt-out list.
 */
export function createInboundWebhook({ store, clock }: Services): Hono {
	const webhook = new Hono();
	webhook.post('/webhooks/inbound/sms', async (c) => {
		const { from, to, message } = parseInput(events.inboundSms.payload, await readPosted(c));
		const text = store.inbox.receive({
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

async function readPosted(c: Context): Promise<unknown> {
	const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
	if (type === 'application/json') return await readJson(c.req.raw);
	if (FORMS.has(type)) return await readForm(c.req.raw);
	throw new Refusal(415, 'unsupported_media_type', `Post JSON or a form, not ${type || 'a body without a type'}.`);
}

/**
 * Writes a sender's number as sends name it, since some gateways leave out the plus sign or write 00, and an opt-out
 * would then not be found again; what is no international number stays as it is.
 */
function toE164(from: string): string {
	const digits = from.replace(/[\s().-]/g, '').replace(/^00/, '+');
	if (/^[1-9]\d{6,14}$/.test(digits)) return `+${digits}`;
	return digits.startsWith('+') ? digits : from;
}
