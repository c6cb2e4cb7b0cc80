import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import { cached, transaction } from '../performance';
import type { Changes } from './changes';

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
 * An inbound message. `keyword` is its effect on the opt-out list. `text_id` is the ID of the phone message.
 * `received_at` is in milliseconds since 1970 UTC.
 */
export type InboxText = z.output<typeof inboxRow>;

const optOutRow = z.object({ number: z.string(), created_at: z.number() });
const optOutRows = z.array(optOutRow);

/** A number that opted out. `created_at` is in milliseconds since 1970 UTC. */
export type OptOut = z.output<typeof optOutRow>;

/** The inbox and the opt-out list, which keywords change (docs/api.md#inbound-sms-webhook, docs/api.md#opt-out). */
export interface Inbox {
	/**
	 * Stores an inbound message. A keyword adds the sender to the opt-out list or removes it.
	 * @returns the stored message
	 */
	receive(text: Omit<InboxText, 'id'>): InboxText;
	/** Finds a phone message in the inbox. */
	findText(textId: string): InboxText | undefined;
	/** A page of inbound messages, newest first. */
	list(limit: number, offset: number): InboxText[];
	isOptedOut(number: string): boolean;
	/** The given numbers that have opted out. */
	optedOutOf(numbers: readonly string[]): ReadonlySet<string>;
	/** The opt-out list, newest first. */
	optOuts(): OptOut[];
	/** Adds a number to the opt-out list by hand. @param now milliseconds since 1970 UTC */
	addOptOut(number: string, now: number): void;
	/** Removes a number from the opt-out list by hand. @returns whether it was on it */
	removeOptOut(number: string): boolean;
}

/** Creates the inbox part of the store. */
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
	// Every send needs this, and mostly no number has opted out. The list itself is not cached, because it may be long.
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
