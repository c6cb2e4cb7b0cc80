import { Hono } from 'hono';
import { z } from 'zod/v4';
import { messageText, phoneNumber } from '../shared/contract/fields';
import { type Faults, faultSchema } from './behaviour/faults';
import type { RateLimit } from './behaviour/rateLimit';
import type { Phones } from './gateway/phones';
import { readThread, toSent } from './gateway/thread';
import { readJson } from './http/body';
import type { Journal } from './http/journal';
import { parseInput } from './http/parse';
import { toTimestamp } from './http/timestamp';
import type { Services } from './services';
import { toCurrency } from './store/money';
import { settingsSchema } from './store/settings';
import { threadEvents } from './threadEvents';

/** What the control routes look at and change. */
export interface ControlServices extends Services {
	readonly phones: Phones;
	readonly faults: Faults;
	readonly rateLimit: RateLimit;
	readonly journal: Journal;
}

const settingsChange = settingsSchema.partial();
const clockAdvance = z.strictObject({
	milliseconds: z.int('is not a whole number').min(0, 'is below 0').max(31_536_000_000, 'is more than a year'),
});
const phoneTextInput = z.strictObject({ to: z.string().trim().min(1, 'is empty'), message: messageText });
const phoneInput = z.object({ number: phoneNumber });

/** The sandbox's own routes, to look at it and to steer it: `/_sandbox/*`. They are no part of the service. */
export function createControl(services: ControlServices): Hono {
	const { store, clock, phones, faults, rateLimit, journal } = services;
	const control = new Hono();

	const settings = () => ({ ...store.settings.read(), inbound_url: phones.inboundUrl() });
	control.get('/settings', (c) => c.json(settings()));
	control.put('/settings', async (c) => {
		store.settings.change(parseInput(settingsChange, await readJson(c.req.raw)));
		return c.json(settings());
	});

	control.get('/messages', (c) =>
		c.json(
			store.messages.list().map(({ id, channel, recipient, sender_id, text, priority, segments, ...message }) => ({
				message_id: id,
				channel,
				to: recipient,
				sender_id,
				message: text,
				priority: priority === 1,
				status: message.status,
				cost: toCurrency(message.cost),
				segments,
				created_at: toTimestamp(message.created_at),
			})),
		),
	);
	control.get('/wallet', (c) => {
		const { balance, currency } = store.wallet.read();
		const transactions = store.wallet.transactions().map(({ id, type, amount, message_id, created_at }) => ({
			id,
			type,
			amount: toCurrency(amount),
			message_id,
			created_at: toTimestamp(created_at),
		}));
		return c.json({ balance: toCurrency(balance), currency, transactions });
	});
	control.get('/sender-ids', (c) => c.json(store.senderIds.approved().map(({ name }) => name)));
	control.get('/inbox', (c) =>
		c.json(
			store.inbox.list().map(({ id, sender, recipient, text, keyword, received_at }) => ({
				id,
				from: sender,
				to: recipient,
				message: text,
				keyword,
				received_at: toTimestamp(received_at),
			})),
		),
	);
	control.get('/opt-outs', (c) =>
		c.json(store.inbox.optOuts().map(({ number, created_at }) => ({ number, created_at: toTimestamp(created_at) }))),
	);
	control.get('/requests', (c) => c.json(journal.list()));

	control.get('/phones/:number', (c) => {
		const { number } = parseInput(phoneInput, c.req.param());
		return c.json({ number, entries: readThread(store, number) });
	});
	control.get('/phones/:number/events', (c) => threadEvents(c, store, parseInput(phoneInput, c.req.param()).number));
	control.post('/phones/:number/texts', async (c) => {
		const { number } = parseInput(phoneInput, c.req.param());
		const { to, message } = parseInput(phoneTextInput, await readJson(c.req.raw));
		return c.json(toSent(phones.text(number, to, message)), 202);
	});

	control.get('/faults', (c) => c.json(faults.list()));
	control.post('/faults', async (c) => {
		const fault = parseInput(faultSchema, await readJson(c.req.raw));
		faults.add(fault);
		return c.json(fault, 201);
	});
	control.delete('/faults', (c) => {
		faults.clear();
		return c.json(faults.list());
	});

	const time = () => ({ now: new Date(clock.now()).toISOString(), ahead_milliseconds: clock.ahead() });
	control.get('/clock', (c) => c.json(time()));
	control.post('/clock/advance', async (c) => {
		const { milliseconds } = parseInput(clockAdvance, await readJson(c.req.raw));
		store.settings.saveClockAhead(clock.ahead() + milliseconds);
		clock.advance(milliseconds);
		return c.json(time());
	});

	control.post('/reset', (c) => {
		clock.reset();
		store.reset(clock.now());
		faults.clear();
		rateLimit.reset();
		journal.clear();
		return c.json({ success: true });
	});
	return control;
}
