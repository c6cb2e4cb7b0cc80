import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import { registerCache } from '../performance';
import type { Message } from './messageRows';

const slotRow = z.object({ slot: z.number(), total: z.number() });
const countRow = z.object({ name: z.string(), total: z.number() });

/** Length of a counted period, in milliseconds. */
const HOUR_MS = 3_600_000;

/** Count or sum of a period. `slot` is the start of the period divided by its width. */
export type Slot = z.output<typeof slotRow>;

/** Counted fields of a message. `created_at` is in milliseconds since 1970 UTC. */
export type Counted = Pick<Message, 'created_at' | 'channel' | 'status'>;

/**
 * Counts for the overview. They change in the transaction of each event, so reading them takes the same time for any
 * number of messages. Times are in milliseconds, widths in hours, amounts in 1/10000 of the currency.
 */
export interface Statistics {
	/** Adds `times` to a count; -1 removes a message from its old status. The caller holds a transaction. */
	count(counted: Counted, times: number): void;
	/** Counts a charge; a refund is negative. The caller holds a transaction. */
	spend(amount: number, now: number): void;
	/** Messages per period of that many hours, from a time on. */
	messages(width: number, from: number): Slot[];
	/** Charges minus refunds per period of that many hours, from a time on. */
	spent(width: number, from: number): Slot[];
	byStatus(): Record<string, number>;
	byChannel(): Record<string, number>;
	/** Number of inbound messages. */
	inbox(): number;
	/** Number of opted-out numbers. */
	optOuts(): number;
}

/** Creates the statistics part of the store. */
export function createStatistics(database: DatabaseSync): Statistics {
	const count = database.prepare(
		`INSERT INTO message_counts (hour, channel, status, total) VALUES (?, ?, ?, ?)
		 ON CONFLICT DO UPDATE SET total = total + excluded.total`,
	);
	const spend = database.prepare(
		'INSERT INTO spending (hour, total) VALUES (?, ?) ON CONFLICT DO UPDATE SET total = total + excluded.total',
	);
	const messages = database.prepare(
		`SELECT hour / CAST(:width AS INTEGER) AS slot, sum(total) AS total FROM message_counts
		 WHERE hour >= :from GROUP BY slot`,
	);
	const spent = database.prepare(
		`SELECT hour / CAST(:width AS INTEGER) AS slot, sum(total) AS total FROM spending
		 WHERE hour >= :from GROUP BY slot`,
	);
	const by = (column: 'status' | 'channel') =>
		database.prepare(
			`SELECT ${column} AS name, sum(total) AS total FROM message_counts GROUP BY name HAVING sum(total) > 0`,
		);
	const byStatus = by('status');
	const byChannel = by('channel');
	const inbox = database.prepare(`SELECT 'inbox' AS name, count(*) AS total FROM inbox`);
	const optOuts = database.prepare(`SELECT 'opt_outs' AS name, count(*) AS total FROM opt_outs`);
	const slots = (rows: unknown) => z.array(slotRow).parse(rows);
	const counts = (rows: unknown) =>
		Object.fromEntries(
			z
				.array(countRow)
				.parse(rows)
				.map(({ name, total }) => [name, total]),
		);
	// Changes in one transaction mostly fall into the same few rows, so add them up and write once.
	const counted = new Map<string, { hour: number; channel: string; status: string; times: number }>();
	const spending = new Map<number, number>();

	function write(): void {
		for (const { hour, channel, status, times } of counted.values()) {
			if (times !== 0) count.run(hour, channel, status, times);
		}
		for (const [hour, amount] of spending) spend.run(hour, amount);
		forget();
	}

	function forget(): void {
		counted.clear();
		spending.clear();
	}

	function written<Result>(read: () => Result): Result {
		write();
		return read();
	}

	registerCache(database, { write, forget });

	return {
		count: ({ created_at, channel, status }, times) => {
			const hour = hourOf(created_at);
			const place = `${hour} ${channel} ${status}`;
			const sum = counted.get(place);
			if (sum) sum.times += times;
			else counted.set(place, { hour, channel, status, times });
		},
		spend: (amount, now) => void spending.set(hourOf(now), (spending.get(hourOf(now)) ?? 0) + amount),
		messages: (width, from) => written(() => slots(messages.all({ width, from: hourOf(from) }))),
		spent: (width, from) => written(() => slots(spent.all({ width, from: hourOf(from) }))),
		byStatus: () => written(() => counts(byStatus.all())),
		byChannel: () => written(() => counts(byChannel.all())),
		inbox: () => countRow.parse(inbox.get()).total,
		optOuts: () => countRow.parse(optOuts.get()).total,
	};
}

function hourOf(time: number): number {
	return Math.floor(time / HOUR_MS);
}
