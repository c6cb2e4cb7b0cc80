import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import { cached } from '../performance';
import type { Changes } from './changes';

/** The name of a sender ID that the service may approve. */
export const newSenderIdName = z.string().regex(/^([A-Za-z0-9][A-Za-z0-9 ._-]{1,9}[A-Za-z0-9]|\d{3,6})$/, {
	error: 'is neither 3 to 11 letters and digits nor a short code',
});

/** The service's decision about a sender ID. */
export const senderIdStatus = z.enum(['approved', 'pending', 'rejected'], 'is not one of approved, pending, rejected');

const senderIdRow = z.object({ name: z.string(), status: senderIdStatus, created_at: z.number() });
const optionalSenderIdRow = senderIdRow.optional();
const senderIdRows = z.array(senderIdRow);

/** A sender ID. `created_at` is in milliseconds since 1970 UTC. */
export type SenderId = z.output<typeof senderIdRow>;

/** The account's sender IDs (docs/api.md#list-sender-ids). */
export interface SenderIds {
	/** The approved ones, oldest first. */
	approved(): SenderId[];
	/** All sender IDs, oldest first. */
	list(): SenderId[];
	find(name: string): SenderId | undefined;
	add(senderId: SenderId): void;
	/** @returns the sender ID as it is now; undefined if there is none with that name */
	decide(name: string, status: SenderId['status']): SenderId | undefined;
}

/** Creates the sender IDs part of the store. */
export function createSenderIds(database: DatabaseSync, changes: Changes): SenderIds {
	const all = database.prepare('SELECT * FROM sender_ids ORDER BY rowid');
	const insert = database.prepare('INSERT INTO sender_ids (name, status, created_at) VALUES (?, ?, ?)');
	const update = database.prepare('UPDATE sender_ids SET status = ? WHERE name = ? RETURNING *');
	// Every send reads one.
	const rows = cached(database, () => new Map(senderIdRows.parse(all.all()).map((row) => [row.name, row])));

	function changed(): void {
		rows.drop();
		changes.emit('sender_ids');
	}

	return {
		approved: () => [...rows.get().values()].filter((row) => row.status === 'approved'),
		list: () => [...rows.get().values()],
		find: (name) => rows.get().get(name),
		add: ({ name, status: first, created_at }) => {
			insert.run(name, first, created_at);
			changed();
		},
		decide: (name, decided) => {
			const row = optionalSenderIdRow.parse(update.get(decided, name));
			if (row) changed();
			return row;
		},
	};
}
