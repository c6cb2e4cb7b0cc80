import { z } from 'zod/v4';
import { endpoint } from './endpoint';
import { identifier, phoneNumber, plainText } from './fields';
import { isObject, type JsonObject } from './find';
import { listOf, readField, readRow } from './rows';

const contactFields = {
	id: identifier.nullish(),
	name: plainText.nullish(),
	phone: plainText.nullish(),
};

const contactAliases = {
	id: ['contact_id', 'uuid', '_id', 'guid'],
	name: ['full_name', 'contact_name', 'display_name', 'customer_name', 'client_name', 'recipient_name', 'name.full'],
	phone: [
		'phone_number',
		'msisdn',
		'mobile',
		'mobile_number',
		'mobile_phone',
		'contact_phone',
		'contact_number',
		'telephone',
		'tel',
		'phone_no',
		'mobile_no',
		'cell',
		'cell_phone',
		'primary_phone',
		'whatsapp_number',
		'e164',
		'phone.number',
		'phone.e164',
		'number',
	],
};

const FIRST_NAMES = ['first_name', 'given_name', 'fname', 'name.first', 'name.first_name'];
const LAST_NAMES = ['last_name', 'surname', 'family_name', 'lname', 'name.last', 'name.last_name'];

/** A contact. Its fields are undocumented (docs/api.md#list-contacts), so the usual names are tried. */
const contactRow = z.looseObject(contactFields);

function readContact(entry: unknown): JsonObject | undefined {
	// A list of bare numbers.
	if (typeof entry === 'string') return /^[+(]?\d[\d\s().-]{5,30}$/.test(entry.trim()) ? { phone: entry } : undefined;
	if (!isObject(entry)) return undefined;
	const row = readRow(entry, contactFields, contactAliases);
	if (typeof row.name === 'string' || typeof row.name === 'number') return row;
	const parts = [FIRST_NAMES, LAST_NAMES].map((places) => readField(entry, plainText, places));
	const name = parts.flatMap((part) => (part === undefined ? [] : [part.trim()])).join(' ');
	return name === '' ? row : { ...row, name };
}

/** Endpoints of contacts (docs/api.md#contacts). */
export const contact = {
	/** Lists the contacts: GET /contacts (docs/api.md#list-contacts). */
	list: endpoint({
		id: 'contact.list',
		method: 'GET',
		path: '/contacts',
		summary: 'List the contacts of the account',
		input: z.object({}),
		output: listOf(contactRow, readContact),
		response: { kind: 'list' },
		repeat: 'safe',
		charges: false,
		errors: [],
		example: { input: {}, output: [{ id: '7', name: 'Ama Mensah', phone: '+233201234567' }] },
	}),

	/**
	 * Adds a contact: POST /contacts (docs/api.md#create-a-contact). Its payload is undocumented, so it has name, phone and
	 * any other field.
	 */
	create: endpoint({
		id: 'contact.create',
		method: 'POST',
		path: '/contacts',
		summary: 'Add a contact',
		input: z
			.object({
				name: z.string().trim().min(1, 'is empty: give a name or leave it out').optional(),
				phone: phoneNumber,
			})
			.catchall(z.union([z.string(), z.number(), z.boolean()], { error: 'is not text, a number, true or false' })),
		output: contactRow,
		response: { kind: 'record', aliases: { ...contactAliases, id: [...contactAliases.id, 'contact.id'] } },
		repeat: 'once',
		charges: false,
		errors: ['validation'],
		hints: {
			doubt: 'It is unknown whether the contact was added',
			unknown: 'The contact may have been added. Look for it in your contacts before you add it again.',
			accepted: 'The contact was added. Do not add it again.',
		},
		example: {
			input: { name: 'Ama Mensah', phone: '+233201234567', city: 'Kumasi' },
			output: { id: '7', name: 'Ama Mensah', phone: '+233201234567', city: 'Kumasi' },
		},
	}),
} as const;
