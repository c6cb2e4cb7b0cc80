import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import type { Changes } from './changes';

const phoneTextRow = z.object({
	row: z.number(),
	id: z.string(),
	channel: z.enum(['sms', 'whatsapp']),
	sender: z.string(),
	recipient: z.string(),
	text: z.string(),
	url: z.string(),
	status: z.enum(['posting', 'posted', 'failed']),
	http_status: z.number().nullable(),
	problem: z.string().nullable(),
	created_at: z.number(),
});
const phoneTextRows = z.array(phoneTextRow);

/**
 * A text written on a simulated phone. `url` is where it is posted, `http_status` what came back, `problem` why it
 * failed, for people; `created_at` in milliseconds since 1970 UTC.
 */
export type PhoneText = z.output<typeof phoneTextRow>;

/** How posting a text ended. */
export type PostResult =
	| { readonly status: 'posted'; readonly httpStatus: number }
	| { readonly status: 'failed'; readonly httpStatus: number | undefined; readonly problem: string };

/** The texts that the simulated phones have written. */
export interface PhoneTexts {
	/** Keeps a text that is about to be posted. @returns the text as kept */
	add(text: Pick<PhoneText, 'id' | 'channel' | 'sender' | 'recipient' | 'text' | 'url' | 'created_at'>): PhoneText;
	/** Keeps how posting ended; does nothing where the text is gone. */
	finish(id: string, result: PostResult): void;
	/** Marks every text that is still being posted as failed: whoever was posting it is gone. */
	abandon(problem: string): void;
	/** The newest texts from a number, oldest first. */
	listFrom(sender: string, limit: number): PhoneText[];
}

/** Makes the phone texts' part of a store. */
export function createPhoneTexts(database: DatabaseSync, changes: Changes): PhoneTexts {
	const insert = database.prepare(
		`INSERT INTO phone_texts (id, channel, sender, recipient, text, url, status, created_at)
		 VALUES (?, ?, ?, ?, ?, ?, 'posting', ?) RETURNING *`,
	);
	const finish = database.prepare(
		'UPDATE phone_texts SET status = ?, http_status = ?, problem = ? WHERE id = ? RETURNING *',
	);
	const abandon = database.prepare(`UPDATE phone_texts SET status = 'failed', problem = ? WHERE status = 'posting'`);
	const from = database.prepare('SELECT * FROM phone_texts WHERE sender = ? ORDER BY row DESC LIMIT ?');
	return {
		add: ({ id, channel, sender, recipient, text, url, created_at }) => {
			const kept = phoneTextRow.parse(insert.get(id, channel, sender, recipient, text, url, created_at));
			changes.phone(kept.sender);
			return kept;
		},
		finish: (id, result) => {
			const problem = result.status === 'failed' ? result.problem : null;
			const row = finish.get(result.status, result.httpStatus ?? null, problem, id);
			if (row) changes.phone(phoneTextRow.parse(row).sender);
		},
		abandon: (problem) => void abandon.run(problem),
		listFrom: (sender, limit) => phoneTextRows.parse(from.all(sender, limit)).reverse(),
	};
}
