import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import { transaction } from '../performance';
import type { Changes } from './changes';
import { jsonColumn } from './json';

const phoneTextPost = z.object({
	id: z.number(),
	url: z.string(),
	status: z.enum(['posting', 'posted', 'failed']),
	http_status: z.number().nullable(),
	problem: z.string().nullable(),
});

/** One delivery of a phone message. `problem` says why it failed, in words for users. */
export type PhoneTextPost = z.output<typeof phoneTextPost>;

const phoneTextRow = z.object({
	row: z.number(),
	id: z.string(),
	channel: z.enum(['sms', 'whatsapp']),
	sender: z.string(),
	recipient: z.string(),
	text: z.string(),
	created_at: z.number(),
	posts: jsonColumn(z.array(phoneTextPost)),
});
const optionalPhoneTextRow = phoneTextRow.optional();
const phoneTextRows = z.array(phoneTextRow);

/** A message sent from a simulated phone, with its deliveries. `created_at` is in milliseconds since 1970 UTC. */
export type PhoneText = z.output<typeof phoneTextRow>;

/** A phone message to store. Each of `urls` receives it. */
export type NewPhoneText = Omit<PhoneText, 'row' | 'posts'> & { readonly urls: readonly string[] };

/** Result of a delivery. */
export type PostResult =
	| { readonly status: 'posted'; readonly httpStatus: number }
	| { readonly status: 'failed'; readonly httpStatus: number | undefined; readonly problem: string };

/** Messages sent from the simulated phones. */
export interface PhoneTexts {
	/** Stores a message before its delivery. @returns the stored message */
	add(text: NewPhoneText): PhoneText;
	/** Stores the result of a delivery. Does nothing if the message no longer exists. */
	finish(postId: number, result: PostResult): void;
	/** Marks every delivery in flight as failed, because the process that sent it has stopped. */
	abandon(problem: string): void;
	find(id: string): PhoneText | undefined;
	/** SMS from one number to another since that time, in milliseconds since 1970 UTC, oldest first. */
	between(sender: string, recipient: string, since: number): PhoneText[];
	/** The newest messages from a number, oldest first. */
	listFrom(sender: string, limit: number): PhoneText[];
}

/** Creates the phone messages part of the store. */
export function createPhoneTexts(database: DatabaseSync, changes: Changes): PhoneTexts {
	const columns = `row, id, channel, sender, recipient, text, created_at, (
		SELECT json_group_array(
			json_object('id', id, 'url', url, 'status', status, 'http_status', http_status, 'problem', problem) ORDER BY id
		) FROM phone_text_posts WHERE text_id = phone_texts.id) AS posts`;
	const insert = database.prepare(
		'INSERT INTO phone_texts (id, channel, sender, recipient, text, created_at) VALUES (?, ?, ?, ?, ?, ?)',
	);
	const insertPost = database.prepare(`INSERT INTO phone_text_posts (text_id, url, status) VALUES (?, ?, 'posting')`);
	const finish = database.prepare('UPDATE phone_text_posts SET status = ?, http_status = ?, problem = ? WHERE id = ?');
	const abandon = database.prepare(
		`UPDATE phone_text_posts SET status = 'failed', problem = ? WHERE status = 'posting'`,
	);
	const byId = database.prepare(`SELECT ${columns} FROM phone_texts WHERE id = ?`);
	const byPost = database.prepare(
		`SELECT ${columns} FROM phone_texts WHERE id = (SELECT text_id FROM phone_text_posts WHERE id = ?)`,
	);
	const between = database.prepare(
		`SELECT ${columns} FROM phone_texts
		 WHERE channel = 'sms' AND sender = ? AND recipient = ? AND created_at >= ? ORDER BY row`,
	);
	const from = database.prepare(`SELECT ${columns} FROM phone_texts WHERE sender = ? ORDER BY row DESC LIMIT ?`);
	return {
		add: ({ id, channel, sender, recipient, text, created_at, urls }) => {
			transaction(database, () => {
				insert.run(id, channel, sender, recipient, text, created_at);
				for (const url of urls) insertPost.run(id, url);
			});
			changes.phone(sender);
			return phoneTextRow.parse(byId.get(id));
		},
		finish: (postId, result) => {
			const problem = result.status === 'failed' ? result.problem : null;
			finish.run(result.status, result.httpStatus ?? null, problem, postId);
			const text = optionalPhoneTextRow.parse(byPost.get(postId));
			if (text) changes.phone(text.sender);
		},
		abandon: (problem) => void abandon.run(problem),
		find: (id) => optionalPhoneTextRow.parse(byId.get(id)),
		between: (sender, recipient, since) => phoneTextRows.parse(between.all(sender, recipient, since)),
		listFrom: (sender, limit) => phoneTextRows.parse(from.all(sender, limit)).reverse(),
	};
}
