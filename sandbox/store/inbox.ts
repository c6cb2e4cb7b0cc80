import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import { transaction } from './transaction';

const inboxRow = z.object({
	id: z.number(),
	sender: z.string(),
	recipient: z.string(),
	text: z.string(),
	keyword: z.enum(['opt_out', 'opt_in']).nullable(),
	received_at: z.number(),
});

/** An inbound text; `keyword` tells what it did to the opt-out list; `received_at` in milliseconds since 1970 UTC. */
export type InboxText = z.output<typeof inboxRow>;

const optOutRow = z.object({ number: z.string(), created_at: z.number() });

/** A number that wants no texts; `created_at` in milliseconds since 1970 UTC. */
export type OptOut = z.output<typeof optOutRow>;

/** The SMS inbox and the opt-out list that it feeds (service.md, Events 3 and 4). */
export interface Inbox {
	/**
	 * Keeps an inbound text and, where it carries a keyword, moves the sender's number on or off the opt-out list.
	 * @returns the text as kept
	 */
	receive(text: Omit<InboxText, 'id'>): InboxText;
	/** All inbound texts, newest first. */
	list(): InboxText[];
	isOptedOut(number: string): boolean;
	/** The opt-out list, newest first. */
	optOuts(): OptOut[];
}

/** Makes the inbox's part of a store. */
export function createInbox(database: DatabaseSync): Inbox {
	const insert = database.prepare(
		'INSERT INTO inbox (sender, recipient, text, keyword, received_at) VALUES (?, ?, ?, ?, ?) RETURNING *',
	);
	const all = database.prepare('SELECT * FROM inbox ORDER BY id DESC');
	const optOut = database.prepare('INSERT INTO opt_outs (number, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING');
	const optIn = database.prepare('DELETE FROM opt_outs WHERE number = ?');
	const optedOut = database.prepare('SELECT * FROM opt_outs WHERE number = ?');
	const optOuts = database.prepare('SELECT * FROM opt_outs ORDER BY rowid DESC');
	return {
		receive: ({ sender, recipient, text, keyword, received_at }) =>
			transaction(database, () => {
				if (keyword === 'opt_out') optOut.run(sender, received_at);
				if (keyword === 'opt_in') optIn.run(sender);
				return inboxRow.parse(insert.get(sender, recipient, text, keyword, received_at));
			}),
		list: () => z.array(inboxRow).parse(all.all()),
		isOptedOut: (number) => optedOut.get(number) !== undefined,
		optOuts: () => z.array(optOutRow).parse(optOuts.all()),
	};
}
