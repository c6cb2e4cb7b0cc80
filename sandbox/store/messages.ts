import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import type { Changes } from './changes';
import type { Message, MessageRows, Transition } from './messageRows';
import type { Outbox } from './outbox';
import type { Packages } from './packages';
import { transaction } from './transaction';
import type { Wallet } from './wallet';

/** A message to accept; `cost` in 1/10000 of the currency, `createdAt` in milliseconds since 1970 UTC. */
export interface NewMessage {
	readonly id: string;
	readonly channel: Message['channel'];
	readonly recipient: string;
	readonly senderId: string;
	/** Only of emails. */
	readonly subject?: string;
	readonly text: string;
	readonly priority: boolean;
	/** Credits that a package pays for it. */
	readonly segments: number;
	/** What the wallet pays for it where no package does. */
	readonly cost: number;
	readonly createdAt: number;
	readonly transitions: readonly Transition[];
}

/** What became of a message to accept; amounts in 1/10000 of the currency. */
export type Acceptance =
	| { readonly accepted: true; readonly message: Message; readonly balance: number }
	| { readonly accepted: false; readonly currency: string; readonly available: number };

/** Which messages are looked for. */
export interface MessageFilter {
	readonly to?: string | undefined;
	readonly channel?: string | undefined;
	readonly status?: string | undefined;
	readonly batchId?: string | undefined;
	/** Part of the text. */
	readonly contains?: string | undefined;
	readonly limit?: number | undefined;
	readonly offset?: number | undefined;
}

/** The outbound messages and their way to the phone (service.md, Message status). */
export interface Messages {
	/**
	 * Keeps the message with its coming status changes and charges a package, for SMS and where one has enough credits,
	 * else the wallet; or does nothing of it: one transaction.
	 */
	accept(message: NewMessage): Acceptance;
	find(id: string): Message | undefined;
	/** The messages that fit, newest first. */
	list(filter?: MessageFilter): Message[];
	/** The newest messages to a number, oldest first. */
	listTo(recipient: string, limit: number): Message[];
	/** When the next status change is due, in milliseconds since 1970 UTC; undefined where none is ahead. */
	nextDueAt(): number | undefined;
	/**
	 * Applies status changes that are due by then, in order of time, in one transaction. A failed message is refunded.
	 * A status never goes backwards and never leaves `delivered` or `failed`.
	 * @param now milliseconds since 1970 UTC
	 * @param limit how many at most
	 * @returns whether there was any
	 */
	applyDue(now: number, limit?: number): boolean;
	/** Moves one message on by hand, as a status change that is due does. @param now milliseconds since 1970 UTC */
	moveOn(id: string, status: Transition['status'], now: number): void;
}

const transitionRow = z.object({
	id: z.number(),
	message_id: z.string(),
	status: z.enum(['submitted', 'sent', 'delivered', 'failed']),
	due_at: z.number(),
});
const transitionRows = z.array(transitionRow);

const dueRow = z.object({ due_at: z.number().nullable() });

/** Makes the messages' part of a store. */
export function createMessages(
	database: DatabaseSync,
	{
		rows,
		wallet,
		packages,
		outbox,
		changes,
	}: { rows: MessageRows; wallet: Wallet; packages: Packages; outbox: Outbox; changes: Changes },
): Messages {
	const filtered = database.prepare(
		`SELECT * FROM messages
		 WHERE (:recipient IS NULL OR recipient = :recipient) AND (:channel IS NULL OR channel = :channel)
			AND (:status IS NULL OR status = :status) AND (:batch IS NULL OR batch_id = :batch)
			AND (:contains IS NULL OR instr(text, :contains) > 0)
		 ORDER BY row DESC LIMIT :limit OFFSET :offset`,
	);
	const to = database.prepare('SELECT * FROM messages WHERE recipient = ? ORDER BY row DESC LIMIT ?');
	const nextDue = database.prepare('SELECT min(due_at) AS due_at FROM transitions');
	const take = database.prepare(
		`DELETE FROM transitions WHERE id IN (SELECT id FROM transitions WHERE due_at <= ? ORDER BY due_at, id LIMIT ?)
		 RETURNING *`,
	);
	const reach = {
		submitted: database.prepare(
			`UPDATE messages SET status = 'submitted', submitted_at = ? WHERE id = ? AND status = 'queued' RETURNING *`,
		),
		sent: database.prepare(
			`UPDATE messages SET status = 'sent', sent_at = ? WHERE id = ? AND status IN ('queued', 'submitted') RETURNING *`,
		),
		delivered: database.prepare(
			`UPDATE messages SET status = 'delivered', delivered_at = ?
			 WHERE id = ? AND status NOT IN ('delivered', 'failed') RETURNING *`,
		),
		failed: database.prepare(
			`UPDATE messages SET status = 'failed', failed_at = ?
			 WHERE id = ? AND status NOT IN ('delivered', 'failed') RETURNING *`,
		),
	};

	function accept(message: NewMessage): Acceptance {
		const acceptance = transaction(database, (): Acceptance => {
			const [share] = message.channel === 'sms' ? packages.take(1, message.segments) : [];
			const cost = share ? 0 : message.cost;
			const { currency, balance } = wallet.read();
			if (balance < cost) return { accepted: false, currency, available: balance };
			const { id, channel, recipient, senderId, subject = null, text, segments, createdAt, transitions } = message;
			const kept = rows.insert(
				{
					id,
					channel,
					recipient,
					sender_id: senderId,
					subject,
					text,
					priority: message.priority ? 1 : 0,
					segments,
					cost,
					batch_id: null,
					package_id: share?.package_id ?? null,
					status: 'submitted',
					created_at: createdAt,
					scheduled_at: null,
				},
				transitions,
			);
			const description = `${channel} to ${recipient}`;
			const debit = { type: 'debit', amount: -cost, message_id: id, description, created_at: createdAt } as const;
			return { accepted: true, message: kept, balance: cost > 0 ? wallet.book(debit) : balance };
		});
		if (acceptance.accepted) {
			changes.phone(message.recipient);
			changes.tell('messages', 'wallet', 'packages');
			changes.due();
		}
		return acceptance;
	}

	function move(message_id: string, status: Transition['status'], due_at: number): Message[] {
		const changed = rows.parse(reach[status].all(due_at, message_id));
		for (const message of changed) {
			if (status === 'failed') refund(message, due_at);
			outbox.messageStatus(message, due_at);
		}
		return changed;
	}

	function refund({ id, cost, package_id, segments, channel, recipient }: Message, now: number): void {
		if (package_id !== null) packages.giveBack(package_id, segments);
		if (cost === 0) return;
		const description = `Refund: ${channel} to ${recipient} failed`;
		wallet.book({ type: 'refund', amount: cost, message_id: id, description, created_at: now });
	}

	function applyDue(now: number, limit = -1): boolean {
		if ((nextDueAt() ?? Infinity) > now) return false;
		const changed = transaction(database, () =>
			transitionRows
				.parse(take.all(now, limit))
				.sort((one, other) => one.due_at - other.due_at || one.id - other.id)
				.flatMap(({ message_id, status, due_at }) => move(message_id, status, due_at)),
		);
		announce(changed);
		return true;
	}

	function nextDueAt(): number | undefined {
		return dueRow.parse(nextDue.get()).due_at ?? undefined;
	}

	function announce(changed: readonly Message[]): void {
		for (const recipient of new Set(changed.map((message) => message.recipient))) changes.phone(recipient);
		for (const message of changed) if (message.status === 'delivered') changes.delivered(message);
		changes.tell('messages', 'wallet', 'packages', 'callbacks');
	}

	return {
		accept,
		find: (id) => rows.find(id),
		list: ({ to: recipient, channel, status, batchId, contains, limit = -1, offset = 0 } = {}) =>
			rows.parse(
				filtered.all({
					recipient: recipient ?? null,
					channel: channel ?? null,
					status: status ?? null,
					batch: batchId ?? null,
					contains: contains ?? null,
					limit,
					offset,
				}),
			),
		listTo: (recipient, limit) => rows.parse(to.all(recipient, limit)).reverse(),
		nextDueAt,
		applyDue,
		moveOn: (id, status, now) => {
			announce(transaction(database, () => move(id, status, now)));
			changes.due();
		},
	};
}
