import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import type { Changes } from './changes';
import { keepCopy } from './copies';
import { transaction } from './transaction';

const inboxRow = z.object({
	id: z.number(),
	channel: z.enum(['sms', 'whatsapp']),
	sender: z.string(),
	recipient: z.string(),
	text: z.string(),
	keyword: z.enum(['opt_out', 'opt_in']).nullable(),
	text_id: z.string().nullable(),
	received_at: z.number(),
});
const optionalInboxRow = inboxRow.optional();
const inboxRows = z.array(inboxRow);

/**
 * An inbound text; `keyword` tells what it did to the opt-out list; `text_id` names the phone's text that it is;
 * `received_at` in milliseconds since 1970 UTC.
 */
export type InboxText = z.output<typeof inboxRow>;

const optOutRow = z.object({ number: z.string(), created_at: z.number() });
const optOutRows = z.array(optOutRow);

/** A number that wants no texts; `created_at` in milliseconds since 1970 UTC. */
export type OptOut = z.output<typeof optOutRow>;

/** The SMS inbox and the opt-out list that it feeds (service.md, Events 3 and 4). */
export interface Inbox {
	/**
	 * Keeps an inbound text and, where it carries a keyword, moves the sender's number on or off the opt-out list.
	 * @returns the text as kept
	 */
	receive(text: Omit<InboxText, 'id'>): InboxText;
	/** Finds a phone's text, where it has come in. */
	findText(textId: string): InboxText | undefined;
	/** Some inbound texts, newest first. */
	list(limit: number, offset: number): InboxText[];
	isOptedOut(number: string): boolean;
	/** The opt-out list, newest first. */
	optOuts(): OptOut[];
	/** Puts a number on the opt-out list by hand. @param now milliseconds since 1970 UTC */
	addOptOut(number: string, now: number): void;
	/** Takes a number off the opt-out list by hand. @returns whether it was on it */
	removeOptOut(number: string): boolean;
}

/** Makes the inbox's part of a store. */
export function createInbox(database: DatabaseSync, changes: Changes): Inbox {
	const insert = database.prepare(
		`INSERT INTO inbox (channel, sender, recipient, text, keyword, text_id, received_at)
		 VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING *`,
	);
	const all = database.prepare('SELECT * FROM inbox ORDER BY id DESC LIMIT ? OFFSET ?');
	const ofText = database.prepare('SELECT * FROM inbox WHERE text_id = ?');
	const optOut = database.prepare('INSERT INTO opt_outs (number, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING');
	const optIn = database.prepare('DELETE FROM opt_outs WHERE number = ?');
	const optOuts = database.prepare('SELECT * FROM opt_outs ORDER BY rowid DESC');
	// Every send asks for it.
	const optedOut = keepCopy(database, () => new Set(optOutRows.parse(optOuts.all()).map(({ number }) => number)));
	return {
		receive: ({ channel, sender, recipient, text, keyword, text_id, received_at }) => {
			const kept = transaction(database, () => {
				if (keyword === 'opt_out') optOut.run(sender, received_at);
				if (keyword === 'opt_in') optIn.run(sender);
				optedOut.drop();
				return inboxRow.parse(insert.get(channel, sender, recipient, text, keyword, text_id, received_at));
			});
			changes.tell('inbox', 'opt_outs');
			return kept;
		},
		findText: (textId) => optionalInboxRow.parse(ofText.get(textId)),
		list: (limit, offset) => inboxRows.parse(all.all(limit, offset)),
		isOptedOut: (number) => optedOut.get().has(number),
		optOuts: () => optOutRows.parse(optOuts.all()),
		addOptOut: (number, now) => {
			optOut.run(number, now);
			optedOut.drop();
			changes.tell('opt_outs');
		},
		removeOptOut: (number) => {
			const removed = optIn.run(number).changes > 0;
			optedOut.drop();
			if (removed) changes.tell('opt_outs');
			return removed;
		},
	};
}
