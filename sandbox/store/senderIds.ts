import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';

const senderIdRow = z.object({ name: z.string(), status: z.enum(['approved', 'pending']), created_at: z.number() });

/** A name to send under; `created_at` in milliseconds since 1970 UTC. */
export type SenderId = z.output<typeof senderIdRow>;

/** The account's sender IDs (service.md, Sender IDs). */
export interface SenderIds {
	/** The approved ones, in order of age. */
	approved(): SenderId[];
	find(name: string): SenderId | undefined;
	add(senderId: SenderId): void;
}

/** Makes the sender IDs' part of a store. */
export function createSenderIds(database: DatabaseSync): SenderIds {
	const approved = database.prepare(`SELECT * FROM sender_ids WHERE status = 'approved' ORDER BY rowid`);
	const byName = database.prepare('SELECT * FROM sender_ids WHERE name = ?');
	const insert = database.prepare('INSERT INTO sender_ids (name, status, created_at) VALUES (?, ?, ?)');
	return {
		approved: () => z.array(senderIdRow).parse(approved.all()),
		find: (name) => senderIdRow.optional().parse(byName.get(name)),
		add: ({ name, status, created_at }) => void insert.run(name, status, created_at),
	};
}
