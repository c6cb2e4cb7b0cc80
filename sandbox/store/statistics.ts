import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';

const slotRow = z.object({ slot: z.number(), total: z.number() });
const countRow = z.object({ name: z.string(), total: z.number() });

/** A stretch of time and what fell into it; `slot` is its start divided by its width. */
export type Slot = z.output<typeof slotRow>;

/** Counts for the overview; times and widths in milliseconds, amounts in 1/10000 of the currency. */
export interface Statistics {
	/** How many messages were made in each stretch of that width, from a time on. */
	messages(width: number, from: number): Slot[];
	/** What was charged less what was refunded in each stretch of that width, from a time on. */
	spent(width: number, from: number): Slot[];
	byStatus(): Record<string, number>;
	byChannel(): Record<string, number>;
	/** How many inbound texts there are. */
	inbox(): number;
}

/** Makes the counting part of a store. */
export function createStatistics(database: DatabaseSync): Statistics {
	const messages = database.prepare(
		`SELECT created_at / CAST(:width AS INTEGER) AS slot, count(*) AS total FROM messages WHERE created_at >= :from GROUP BY slot`,
	);
	const spent = database.prepare(
		`SELECT created_at / CAST(:width AS INTEGER) AS slot, -sum(amount) AS total FROM wallet_transactions
		 WHERE created_at >= :from AND type IN ('debit', 'refund') GROUP BY slot`,
	);
	const byStatus = database.prepare('SELECT status AS name, count(*) AS total FROM messages GROUP BY status');
	const byChannel = database.prepare('SELECT channel AS name, count(*) AS total FROM messages GROUP BY channel');
	const inbox = database.prepare(`SELECT 'inbox' AS name, count(*) AS total FROM inbox`);
	const slots = (rows: unknown) => z.array(slotRow).parse(rows);
	const counts = (rows: unknown) =>
		Object.fromEntries(
			z
				.array(countRow)
				.parse(rows)
				.map(({ name, total }) => [name, total]),
		);
	return {
		messages: (width, from) => slots(messages.all({ width, from })),
		spent: (width, from) => slots(spent.all({ width, from })),
		byStatus: () => counts(byStatus.all()),
		byChannel: () => counts(byChannel.all()),
		inbox: () => countRow.parse(inbox.get()).total,
	};
}
