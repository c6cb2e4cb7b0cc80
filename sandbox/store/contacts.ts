import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import type { Changes } from './changes';
import { jsonColumn } from './json';

const field = z.union([z.string(), z.number(), z.boolean()]);
// Parsed as pairs, because zod rejects an object with a field named `constructor` as a record, and users name the
// fields.
const fields = z
	.preprocess(
		(value) => (typeof value === 'object' && value !== null ? Object.entries(value) : value),
		z.array(z.tuple([z.string(), field])),
	)
	.transform((pairs) => Object.fromEntries(pairs));
const contactRow = z.object({
	id: z.number(),
	name: z.string().nullable(),
	phone: z.string(),
	fields: jsonColumn(fields),
	created_at: z.number(),
});
const optionalContactRow = contactRow.optional();
const contactRows = z.array(contactRow);

/** A contact. `fields` are its custom fields. `created_at` is in milliseconds since 1970 UTC. */
export type Contact = z.output<typeof contactRow>;

/** The account's contacts (docs/api.md#contacts). */
export interface Contacts {
	/** All contacts, oldest first. */
	list(): Contact[];
	/** @returns the stored contact; undefined if another contact has that phone number */
	add(contact: Omit<Contact, 'id'>): Contact | undefined;
	/** @returns whether there was one */
	remove(id: number): boolean;
}

/** Creates the contacts part of the store. */
export function createContacts(database: DatabaseSync, changes: Changes): Contacts {
	const all = database.prepare('SELECT * FROM contacts ORDER BY id');
	const insert = database.prepare(
		'INSERT INTO contacts (name, phone, fields, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING *',
	);
	const remove = database.prepare('DELETE FROM contacts WHERE id = ?');
	return {
		list: () => contactRows.parse(all.all()),
		add: (contact) => {
			const { name, phone, created_at } = contact;
			const row = optionalContactRow.parse(insert.get(name, phone, JSON.stringify(contact.fields), created_at));
			if (row) changes.emit('contacts');
			return row;
		},
		remove: (id) => {
			const removed = remove.run(id).changes > 0;
			if (removed) changes.emit('contacts');
			return removed;
		},
	};
}
