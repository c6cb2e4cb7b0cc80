import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { z } from 'zod/v4';
import type { Changes } from './changes';
import type { GroupCommit } from './groupCommit';
import type { Message, MessageRows, MovingMessage, Transition } from './messageRows';
import type { Outbox } from './outbox';
import type { Packages } from './packages';
import type { Statistics } from './statistics';
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
	/** Part of the text, or of the number or address; a number may be written with blanks and the leading 0. */
	readonly search?: string | undefined;
	readonly limit?: number | undefined;
	readonly offset?: number | undefined;
}

/** The outbound messages and their way to the phone (docs/api.md#message-states). */
export interface Messages {
	/**
	 * Keeps the message with its coming status changes and charges a package, for SMS and where one has enough credits,
	 * else the wallet; or does nothing of it: one transaction.
	 */
	accept(message: NewMessage): Acceptance;
	find(id: string): Message | undefined;
	/** The messages that fit, newest first. */
	list(filter?: MessageFilter): Message[];
	/** How many messages fit, whatever the limit. */
	count(filter?: MessageFilter): number;
	/** The newest messages to a number, oldest first. */
	listTo(recipient: string, limit: number): Message[];
	/** When the next status change is due, in milliseconds since 1970 UTC; undefined where none is ahead. */
	nextDueAt(): number | undefined;
	/**
	 * Applies the status changes that are due by then, message by message, in one transaction. A failed
	 * message is refunded. A status never goes backwards and never leaves `delivered` or `failed`.
	 * @param now milliseconds since 1970 UTC
	 * @param limit how many messages at most
	 * @returns whether there was any
	 */
	applyDue(now: number, limit?: number): boolean;
	/** Moves one message on by hand, as a status change that is due does. @param now milliseconds since 1970 UTC */
	moveOn(id: string, status: Transition['status'], now: number): void;
}

const countRow = z.object({ total: z.number() });

/** The statuses that a message may be in to take each of them. */
const FROM: Readonly<Record<Transition['status'], readonly Message['status'][]>> = {
	submitted: ['queued'],
	sent: ['queued', 'submitted'],
	delivered: ['queued', 'submitted', 'sent'],
	failed: ['queued', 'submitted', 'sent'],
};

/** Makes the messages' part of a store. */
export function createMessages(
	database: DatabaseSync,
	{
		group,
		rows,
		statistics,
		wallet,
		packages,
		outbox,
		changes,
	}: {
		group: GroupCommit;
		rows: MessageRows;
		statistics: Statistics;
		wallet: Wallet;
		packages: Packages;
		outbox: Outbox;
		changes: Changes;
	},
): Messages {
	// By the columns that are asked for: each of them finds its way without looking at every message where it can.
	const selections = new Map<string, { readonly list: StatementSync; readonly count: StatementSync }>();

	function select({ where }: Conditions) {
		const known = selections.get(where);
		if (known) return known;
		const prepared = {
			list: database.prepare(`SELECT * FROM messages ${where} ORDER BY row DESC LIMIT ? OFFSET ?`),
			count: database.prepare(`SELECT count(*) AS total FROM messages ${where}`),
		};
		selections.set(where, prepared);
		return prepared;
	}

	const to = database.prepare('SELECT * FROM messages WHERE recipient = ? ORDER BY row DESC LIMIT ?');

	function accept(message: NewMessage): Acceptance {
		const acceptance = group.join((): Acceptance => {
			const [share] = message.channel === 'sms' ? packages.take(1, message.segments) : [];
			const cost = share ? 0 : message.cost;
			const { id, channel, recipient, senderId, subject = null, text, segments, createdAt, transitions } = message;
			const description = `${channel} to ${recipient}`;
			const charge = { amount: cost, message_id: id, description, created_at: createdAt };
			const paid = cost > 0 ? wallet.charge(charge) : { accepted: true as const, balance: wallet.read().balance };
			if (!paid.accepted) return paid;
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
			statistics.count(kept, 1);
			return { accepted: true, message: kept, balance: paid.balance };
		});
		if (acceptance.accepted) {
			changes.phone(message.recipient);
			changes.emit('messages', 'wallet', 'packages');
			changes.due();
		}
		return acceptance;
	}

	/** Does what a status change brings about beside itself. */
	function follow(row: number, { status, dueAt: at }: Transition): void {
		// Reading the whole message takes longer than moving it on, and most ask for nothing more.
		if (status !== 'failed' && !outbox.isOpen()) return;
		const message = { ...rows.at(row), status };
		if (status === 'failed') refund(message, at);
		outbox.messageStatus(message, at);
	}

	function refund({ id, cost, package_id, segments, channel, recipient }: Message, now: number): void {
		if (package_id !== null) packages.giveBack(package_id, segments);
		if (cost === 0) return;
		const description = `Refund: ${channel} to ${recipient} failed`;
		wallet.book({ type: 'refund', amount: cost, message_id: id, description, created_at: now });
	}

	function applyDue(now: number, limit = -1): boolean {
		if ((rows.nextDueAt() ?? Infinity) > now) return false;
		const moved = transaction(database, () =>
			rows.due(now, limit).flatMap(({ message, ahead }) => {
				// All that is due at once: a receipt that is planned late must not go out before the next one is known.
				const taken = takeInOrder(
					message.status,
					ahead.filter(({ dueAt }) => dueAt <= now),
				);
				rows.saveSteps(message.row, taken, ahead.find(({ dueAt }) => dueAt > now)?.dueAt);
				for (const step of taken) follow(message.row, step);
				return countMove(message, taken.at(-1)?.status);
			}),
		);
		announce(moved);
		return true;
	}

	function moveOn(id: string, status: Transition['status'], now: number): void {
		const moved = transaction(database, () => {
			const message = rows.find(id);
			if (!message || !FROM[status].includes(message.status)) return [];
			rows.saveStatus(message.row, status, now);
			follow(message.row, { status, dueAt: now });
			return countMove(message, status);
		});
		announce(moved);
		changes.due();
	}

	/** Counts a message where it has taken a status, and gives it as it is now. */
	function countMove(message: MovingMessage, status: Transition['status'] | undefined): MovingMessage[] {
		if (status === undefined) return [];
		const moved = { ...message, status };
		statistics.count(message, -1);
		statistics.count(moved, 1);
		return [moved];
	}

	function announce(moved: readonly MovingMessage[]): void {
		for (const recipient of new Set(moved.map((message) => message.recipient))) changes.phone(recipient);
		for (const message of moved) if (message.status === 'delivered') changes.delivered(message);
		changes.emit('messages', 'wallet', 'packages', 'callbacks');
	}

	return {
		accept,
		find: (id) => rows.find(id),
		list: ({ limit = -1, offset = 0, ...filter } = {}) => {
			const conditions = toConditions(filter);
			return rows.parse(select(conditions).list.all(...conditions.values, limit, offset));
		},
		count: (filter = {}) => {
			const conditions = toConditions(filter);
			return countRow.parse(select(conditions).count.get(...conditions.values)).total;
		},
		listTo: (recipient, limit) => rows.parse(to.all(recipient, limit)).reverse(),
		nextDueAt: () => rows.nextDueAt(),
		applyDue,
		moveOn,
	};
}

/** Gives those of some status changes that a message can take one after the other. */
function takeInOrder(from: Message['status'], steps: readonly Transition[]): Transition[] {
	let status = from;
	return steps.filter((step) => {
		const can = FROM[step.status].includes(status);
		if (can) status = step.status;
		return can;
	});
}

/** What of a query depends on the filter. */
interface Conditions {
	/** Empty where every message fits. */
	readonly where: string;
	readonly values: readonly string[];
}

function toConditions({ to, channel, status, batchId, contains, search }: MessageFilter): Conditions {
	const asked: readonly (readonly [condition: string, value: string | undefined, ...more: string[]])[] = [
		['recipient = ?', to],
		['channel = ?', channel],
		['status = ?', status],
		['batch_id = ?', batchId],
		['instr(text, ?) > 0', contains],
		['(instr(text, ?) > 0 OR instr(recipient, ?) > 0)', search, asAddress(search ?? '')],
	];
	const given = asked.flatMap(([condition, value, ...more]) =>
		value === undefined ? [] : [{ condition, values: [value, ...more] }],
	);
	return {
		where: given.length === 0 ? '' : `WHERE ${given.map(({ condition }) => condition).join(' AND ')}`,
		values: given.flatMap(({ values }) => values),
	};
}

/** Takes what people put into a number to read it, since none is kept so: `020 123` is part of +23320123… */
function asAddress(words: string): string {
	return /^\+?[\d\s().-]+$/.test(words) ? words.replace(/[\s().-]/g, '').replace(/^0(?=\d)/, '') : words;
}
