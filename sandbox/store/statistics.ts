import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import type { Message } from './messageRows';

const slotRow = z.object({ slot: z.number(), total: z.number() });
const countRow = z.object({ name: z.string(), total: z.number() });

/** Length of the stretches that are counted, in milliseconds. */
const HOUR_MS = 3_600_000;

/** A stretch of time and what fell into it; `slot` is its start divided by its width. */
export type Slot = z.output<typeof slotRow>;

/** What is counted of a message: when it was made, in milliseconds since 1970 UTC, and what it is now. */
export type Counted = Pick<Message, 'created_at' | 'channel' | 'status'>;

/**
 * Counts for the overview, kept within the transactions in which things happen, so that reading them takes no longer the
 * more there is; times in milliseconds, widths in hours, amounts in 1/10000 of the currency.
 */
export interface Statistics {
	/** Counts each as often as told, -1 for what a message no longer is. The caller holds a transaction around it. */
	count(changes: readonly (readonly [Counted, times: number])[]): void;
	/** Counts a charge, or below zero a refund. The caller holds a transaction around it. */
	spend(amount: number, now: number): void;
	/** How many messages were made in each stretch of that many hours, from a time on. */
	messages(width: number, from: number): Slot[];
	/** What was charged less what was refunded in each stretch of that many hours, from a time on. */
	spent(width: number, from: number): Slot[];
	byStatus(): Record<string, number>;
	byChannel(): Record<string, number>;
	/** How many inbound texts there are. */
	inbox(): number;
	/** How many numbers have opted out. */
	optOuts(): number;
}

/** Makes the counting part of a store. */
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
	return {
		count: (changes) => {
			for (const { hour, channel, status, times } of sumUp(changes)) count.run(hour, channel, status, times);
		},
		spend: (amount, now) => void spend.run(hourOf(now), amount),
		messages: (width, from) => slots(messages.all({ width, from: hourOf(from) })),
		spent: (width, from) => slots(spent.all({ width, from: hourOf(from) })),
		byStatus: () => counts(byStatus.all()),
		byChannel: () => counts(byChannel.all()),
		inbox: () => countRow.parse(inbox.get()).total,
		optOuts: () => countRow.parse(optOuts.get()).total,
	};
}

function hourOf(time: number): number {
	return Math.floor(time / HOUR_MS);
}

/** Adds up those that are counted in the same place: many messages that move on together cost few changes. */
function sumUp(changes: readonly (readonly [Counted, times: number])[]) {
	const sums = new Map<string, { hour: number; channel: string; status: string; times: number }>();
	for (const [{ created_at, channel, status }, times] of changes) {
		const hour = hourOf(created_at);
		const place = `${hour} ${channel} ${status}`;
		const sum = sums.get(place);
		if (sum) sum.times += times;
		else sums.set(place, { hour, channel, status, times });
	}
	return [...sums.values()].filter(({ times }) => times !== 0);
}
