import { Hono } from 'hono';
import { z } from 'zod/v4';
import { phoneNumber } from '../../shared/contract/fields';
import { contact, toContact } from '../handlers/contact';
import { readJson } from '../http/body';
import type { HonoEnv } from '../http/env';
import { parseInput } from '../http/parse';
import { HttpError } from '../http/httpError';
import { toTimestamp } from '../http/timestamp';
import type { InboxText, OptOut } from '../store/inbox';
import { newSenderIdName, type SenderId, senderIdStatus } from '../store/senderIds';
import { orNotFound, listInput, readBodyAs, sendPage, wholeNumber } from './input';
import { withNumber } from './numbers';
import type { ControlServices } from './services';

const newSenderId = z.strictObject({ name: newSenderIdName });
const decision = z.strictObject({ status: senderIdStatus });
const idInput = z.object({ id: wholeNumber });
const numberInput = z.object({ number: phoneNumber });

/**
 * `GET sender-ids` lists the names of the approved ones · `GET sender-ids/all` · `POST sender-ids {name}` requests one
 * · `PUT sender-ids/:name {status}` approves or rejects it · `GET contacts` · `POST contacts {name?, phone, …}`, same as
 * the API · `DELETE contacts/:id` · `GET inbox?limit&offset` · `GET opt-outs` · `POST opt-outs {number}` · `DELETE
 * opt-outs/:number`.
 */
export function accountRoutes(services: ControlServices): Hono<HonoEnv> {
	const { store, clock } = services;
	const { senderIds, contacts, inbox } = store;
	const routes = new Hono<HonoEnv>();
	routes.get('/sender-ids', (c) => c.json(senderIds.approved().map(({ name }) => name)));
	routes.get('/sender-ids/all', (c) => c.json(senderIds.list().map(toSenderId)));
	routes.post('/sender-ids', async (c) => {
		const { name } = await readBodyAs(c, newSenderId);
		if (senderIds.find(name)) throw new HttpError(422, 'validation', `name ${name} already exists.`);
		const added: SenderId = { name, status: 'pending', created_at: clock.now() };
		senderIds.add(added);
		return c.json(toSenderId(added), 201);
	});
	routes.put('/sender-ids/:name', async (c) => {
		const { status } = await readBodyAs(c, decision);
		const name = c.req.param('name');
		return c.json(toSenderId(orNotFound(senderIds.decide(name, status), `sender ID ${name}`)));
	});

	routes.get('/contacts', (c) => c.json(contacts.list().map(toContact)));
	routes.post('/contacts', async (c) =>
		c.json(await contact.create.handle(withNumber(await readJson(c.env.incoming), 'phone'), services), 201),
	);
	routes.delete('/contacts/:id', (c) => {
		const { id } = parseInput(idInput, c.req.param());
		orNotFound(contacts.remove(id) || undefined, `contact ${id}`);
		return c.json(contacts.list().map(toContact));
	});

	routes.get('/inbox', (c) => {
		const { limit, offset } = parseInput(listInput, c.req.query());
		return sendPage(c, inbox.list(limit, offset).map(toInboxText), store.statistics.inbox());
	});
	const optOuts = () => inbox.optOuts().map(toOptOut);
	routes.get('/opt-outs', (c) => c.json(optOuts()));
	routes.post('/opt-outs', async (c) => {
		const { number } = parseInput(numberInput, withNumber(await readJson(c.env.incoming), 'number'));
		inbox.addOptOut(number, clock.now());
		return c.json(optOuts(), 201);
	});
	routes.delete('/opt-outs/:number', (c) => {
		const number = c.req.param('number');
		orNotFound(inbox.removeOptOut(number) || undefined, `opt-out of ${number}`);
		return c.json(optOuts());
	});
	return routes;
}

/** A sender ID as the control routes return it. */
export type SenderIdRow = ReturnType<typeof toSenderId>;

/** An inbound message as the control routes return it. */
export type InboxRow = ReturnType<typeof toInboxText>;

/** A contact as the control routes return it. */
export type ContactRow = ReturnType<typeof toContact>;

/** An opted-out number as the control routes return it. */
export type OptOutRow = ReturnType<typeof toOptOut>;

function toOptOut({ number, created_at }: OptOut) {
	return { number, created_at: toTimestamp(created_at) };
}

function toSenderId({ name, status, created_at }: SenderId) {
	return { name, status, created_at: toTimestamp(created_at) };
}

function toInboxText({ id, channel, sender, recipient, text, keyword, received_at }: InboxText) {
	return { id, channel, from: sender, to: recipient, message: text, keyword, received_at: toTimestamp(received_at) };
}
