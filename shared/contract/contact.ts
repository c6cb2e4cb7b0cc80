import { z } from 'zod/v4';
import { endpoint } from './endpoint';
import { identifier, phoneNumber } from './fields';

/** A contact; the interface does not show its fields, so only the usual ones are looked for. */
const contact = z.looseObject({
	id: identifier.nullish(),
	name: z.string().nullish(),
	phone: z.string().nullish(),
});

/** GET /contacts (service.md, Contacts). */
export const list = endpoint({
	id: 'contact.list',
	method: 'GET',
	path: '/contacts',
	summary: 'List the contacts of the account',
	input: z.object({}),
	output: z.array(contact),
	answer: { kind: 'list' },
	successFalse: 'refused',
	repeat: 'safe',
	charges: false,
	errors: [],
	example: { input: {}, output: [{ id: '7', name: 'Ama Mensah', phone: '+233201234567' }] },
});

/** POST /contacts (service.md, Contacts); its payload is not shown there: name, phone and any other field. */
export const create = endpoint({
	id: 'contact.create',
	method: 'POST',
	path: '/contacts',
	summary: 'Add a contact',
	input: z
		.object({ name: z.string().trim().min(1, 'is empty: give a name or leave it out').optional(), phone: phoneNumber })
		.catchall(z.union([z.string(), z.number(), z.boolean()], { error: 'is neither text, a number nor true or false' })),
	output: contact,
	answer: { kind: 'record', aliases: { id: ['contact_id', 'contact.id'] } },
	successFalse: 'refused',
	repeat: 'once',
	charges: false,
	errors: ['validation'],
	example: {
		input: { name: 'Ama Mensah', phone: '+233201234567', city: 'Kumasi' },
		output: { id: '7', name: 'Ama Mensah', phone: '+233201234567', city: 'Kumasi' },
	},
});
