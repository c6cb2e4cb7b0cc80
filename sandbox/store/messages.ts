import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import type { Changes } from './changes';
import { transaction } from './transaction';
import type { Wallet } from './wallet';

const messageRow = z.object({
	row: z.number(),
	id: z.string(),
	channel: z.string(),
	recipient: z.string(),
	sender_id: z.string(),
	text: z.string(),
	priority: z.number(),
	segments: z.number(),
	cost: z.number(),
	status: z.enum(['queued', 'submitted', 'sent', 'delivered', 'failed']),
	created_at: z.number(),
	sent_at: z.number().nullable(),
	delivered_at: z.number().nullable(),
	failed_at: z.number().nullable(),
});

/** One outbound message; `cost` in 1/10000 of the currency, times in milliseconds since 1970 UTC. */
export type Message = z.output<typeof messageRow>;

/** A status that a message takes when its time comes; `dueAt` in milliseconds since 1970 UTC. */
export interface Transition {
	readonly status: 'sent' | 'delivered' | 'failed';
	readonly dueAt: number;
}

/** A message to accept; `cost` in 1/10000 of the currency, `createdAt` in milliseconds since 1970 UTC. */
export interface NewMessage {
	readonly id: string;
	readonly channel: string;
	readonly recipient: string;
	readonly senderId: string;
	readonly text: string;
	readonly priority: boolean;
	readonly segments: number;
	readonly cost: number;
	readonly createdAt: number;
	readonly transitions: readonly Transition[];
}

/** What became of a message to accept; amounts in 1/10000 of the currency. */
export type Acceptance =
	| { readonly accepted: true; readonly message: Message; readonly balance: number }
	| { readonly accepted: false; readonly currency: string; readonly available: number };

/** The outbound messages and their way to the phone (service.md, Message status). */
export interface Messages {
	/** Charges the wallet and keeps the message with its coming status changes, or does neither: one transaction. */
	accept(message: NewMessage): Acceptance;
	find(id: string): Message | undefined;
	/** All messages, newest first. */
	list(): Message[];
	/** The newest messages to a number, oldest first. */
	listTo(recipient: string, limit: number): Message[];
	/** When the next status change is due, in milliseconds since 1970 UTC; undefined where none is ahead. */
	nextDueAt(): number | undefined;
	/**
	 * Applies every status change that is due by then, in order of time, each in a transaction of its own.
	 * A failed message is refunded. A status never goes backwards and never leaves `delivered` or `failed`.
	 * @param now milliseconds since 1970 UTC
	 */
	applyDue(now: number): void;
}

const RANK = { queued: 0, submitted: 1, sent: 2, delivered: 3, failed: 3 } as const;

const transitionRow = z.object({
	id: z.number(),
	message_id: z.string(),
	status: z.enum(['sent', 'delivered', 'failed']),
	due_at: z.number(),
});

const dueRow = z.object({ due_at: z.number().nullable() });

/** Makes the messages' part of a store. */
export function createMessages(database: DatabaseSync, wallet: Wallet, changes: Changes): Messages {
	const byId = database.prepare('SELECT * FROM messages WHERE id = ?');
	const all = database.prepare('SELECT * FROM messages ORDER BY row DESC');
	const to = database.prepare('SELECT * FROM messages WHERE recipient = ? ORDER BY row DESC LIMIT ?');
	const insert = database.prepare(
		`INSERT INTO messages (id, channel, recipient, sender_id, text, priority, segments, cost, status, created_at)
		 VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'submitted', ?)`,
	);
	const schedule = database.prepare('INSERT INTO transitions (message_id, status, due_at) VALUES (?, ?, ?)');
	const nextDue = database.prepare('SELECT min(due_at) AS due_at FROM transitions');
	const due = database.prepare('SELECT * FROM transitions WHERE due_at <= ? ORDER BY due_at, id LIMIT 1');
	const unschedule = database.prepare('DELETE FROM transitions WHERE id = ?');
	const reach = {
		sent: database.prepare(`UPDATE messages SET status = 'sent', sent_at = ? WHERE id = ?`),
		delivered: database.prepare(`UPDATE messages SET status = 'delivered', delivered_at = ? WHERE id = ?`),
		failed: database.prepare(`UPDATE messages SET status = 'failed', failed_at = ? WHERE id = ?`),
	};

	function find(id: string): Message | undefined {
		return messageRow.optional().parse(byId.get(id));
	}

	function accept(message: NewMessage): Acceptance {
		const acceptance = transaction(database, (): Acceptance => {
			const { currency, balance } = wallet.read();
			if (balance < message.cost) return { accepted: false, currency, available: balance };
			insert.run(
				message.id,
				message.channel,
				message.recipient,
				message.senderId,
				message.text,
				message.priority ? 1 : 0,
				message.segments,
				message.cost,
				message.createdAt,
			);
			wallet.book({
				type: 'debit',
				amount: -message.cost,
				message_id: message.id,
				created_at: message.createdAt,
			});
			for (const { status, dueAt } of message.transitions) schedule.run(message.id, status, dueAt);
			const kept = messageRow.parse(byId.get(message.id));
			return { accepted: true, message: kept, balance: wallet.read().balance };
		});
		if (acceptance.accepted) {
			changes.phone(message.recipient);
			changes.transitions();
		}
		return acceptance;
	}

	function apply({ id, message_id, status, due_at }: z.output<typeof transitionRow>): string | undefined {
		unschedule.run(id);
		const message = find(message_id);
		if (!message || RANK[status] <= RANK[message.status]) return undefined;
		reach[status].run(due_at, message_id);
		if (status === 'failed') {
			wallet.book({ type: 'refund', amount: message.cost, message_id, created_at: due_at });
		}
		return message.recipient;
	}

	function applyDue(now: number): void {
		for (;;) {
			const next = transitionRow.optional().parse(due.get(now));
			if (!next) return;
			const changed = transaction(database, () => apply(next));
			if (changed !== undefined) changes.phone(changed);
		}
	}

	return {
		accept,
		find,
		list: () => z.array(messageRow).parse(all.all()),
		listTo: (recipient, limit) => z.array(messageRow).parse(to.all(recipient, limit)).reverse(),
		nextDueAt: () => dueRow.parse(nextDue.get()).due_at ?? undefined,
		applyDue,
	};
}
