import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import type { Changes } from './changes';
import { cached } from './cache';
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

/** The SMS inbox and the opt-out list that it feeds (docs/api.md#inbound-sms-webhook, docs/api.md#opt-out). */
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
	/** Those of some numbers that are on the opt-out list. */
	optedOutOf(numbers: readonly string[]): ReadonlySet<string>;
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
	const optedOut = database.prepare('SELECT * FROM opt_outs WHERE number = ?');
	const optedOutOf = database.prepare('SELECT * FROM opt_outs WHERE number IN (SELECT value FROM json_each(?))');
	const any = database.prepare('SELECT * FROM opt_outs LIMIT 1');
	// Every send asks for one, and mostly there is none at all. The whole list is not kept here: it may be long.
	const isAnyOptedOut = cached(database, () => any.get() !== undefined);
	return {
		receive: ({ channel, sender, recipient, text, keyword, text_id, received_at }) => {
			const kept = transaction(database, () => {
				if (keyword === 'opt_out') optOut.run(sender, received_at);
				if (keyword === 'opt_in') optIn.run(sender);
				if (keyword !== null) isAnyOptedOut.drop();
				return inboxRow.parse(insert.get(channel, sender, recipient, text, keyword, text_id, received_at));
			});
			changes.emit('inbox', 'opt_outs');
			return kept;
		},
		findText: (textId) => optionalInboxRow.parse(ofText.get(textId)),
		list: (limit, offset) => inboxRows.parse(all.all(limit, offset)),
		isOptedOut: (number) => isAnyOptedOut.get() && optedOut.get(number) !== undefined,
		optedOutOf: (numbers) => {
			const rows = isAnyOptedOut.get() ? optOutRows.parse(optedOutOf.all(JSON.stringify(numbers))) : [];
			return new Set(rows.map(({ number }) => number));
		},
		optOuts: () => optOutRows.parse(optOuts.all()),
		addOptOut: (number, now) => {
			optOut.run(number, now);
			isAnyOptedOut.drop();
			changes.emit('opt_outs');
		},
		removeOptOut: (number) => {
			const removed = optIn.run(number).changes > 0;
			isAnyOptedOut.drop();
			if (removed) changes.emit('opt_outs');
			return removed;
		},
	};
}
