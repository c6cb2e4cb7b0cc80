import { Hono } from 'hono';
import { z } from 'zod/v4';
import { emailAddress, phoneNumber, typedText } from '../../shared/contract/fields';
import { readThread, toSent } from '../gateway/thread';
import type { HonoEnv } from '../http/env';
import { parseInput } from '../http/parse';
import { orNotFound, readBodyAs } from './input';
import { readNumber } from './numbers';
import type { ControlServices } from './services';
import { threadEvents } from './threadEvents';

const textInput = z.strictObject({
	to: z.string().trim().min(1, 'is empty'),
	message: typedText,
	channel: z.enum(['sms', 'whatsapp'], 'is neither sms nor whatsapp').default('sms'),
});
const phoneInput = z.object({ number: z.preprocess((typed) => readNumber(String(typed)) ?? typed, phoneNumber) });
/** An email address has a thread, too, but cannot send messages. */
const threadInput = z.object({
	number: z.union([phoneInput.shape.number, emailAddress], 'is neither a phone number nor an email address'),
});

/**
 * `GET phones/:number`, the thread of a number or email address · `GET phones/:number/events`, the same live · `POST
 * phones/:number/texts {to, message, channel?}` · `GET phones/:number/code`, the last one-time code sent to the phone.
 */
export function phoneRoutes(services: ControlServices): Hono<HonoEnv> {
	const { store, phones } = services;
	const routes = new Hono<HonoEnv>();
	routes.get('/phones/:number', (c) => {
		const { number } = parseInput(threadInput, c.req.param());
		return c.json({ number, entries: readThread(store, number) });
	});
	routes.get('/phones/:number/events', (c) => threadEvents(c, services, parseInput(threadInput, c.req.param()).number));
	routes.post('/phones/:number/texts', async (c) => {
		const { number } = parseInput(phoneInput, c.req.param());
		const { to, message, channel } = await readBodyAs(c, textInput);
		return c.json(toSent(phones.text(number, to, message, channel)), 202);
	});
	routes.get('/phones/:number/code', (c) => {
		const { number } = parseInput(phoneInput, c.req.param());
		const newest = orNotFound(store.verifications.newestOf(number), `code sent to ${number}`);
		const { id, code, status, tries, expires_at, message_id } = newest;
		return c.json({
			verification_id: id,
			code,
			status,
			tries,
			message_id,
			expires_at: new Date(expires_at).toISOString(),
		});
	});
	return routes;
}
