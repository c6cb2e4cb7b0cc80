import type { DatabaseSync } from 'node:sqlite';
import { type GroupCommit, transaction } from '../performance';
import type { Changes } from './changes';
import type { Message, MessageRows, MovingMessage, Transition } from './messageRows';
import type { Outbox } from './outbox';
import type { Packages } from './packages';
import { anyOf, contains, createSelection, given, startsWith } from './search';
import type { Statistics } from './statistics';
import type { Wallet } from './wallet';

/** A message to accept. `cost` is in 1/10000 of the currency, `createdAt` in milliseconds since 1970 UTC. */
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
	/** Amount that the wallet pays if no package does. */
	readonly cost: number;
	readonly createdAt: number;
	readonly transitions: readonly Transition[];
}

/** Result of accepting a message. Amounts are in 1/10000 of the currency. */
export type Acceptance =
	| { readonly accepted: true; readonly message: Message; readonly balance: number }
	| { readonly accepted: false; readonly currency: string; readonly available: number };

/** Words for a channel in the description of a transaction. */
const TRANSACTION_LABELS: Readonly<Record<Message['channel'], string>> = {
	sms: 'SMS',
	whatsapp: 'WhatsApp',
	email: 'Email',
	voice: 'Call',
};

/** Filter of messages. */
export interface MessageFilter {
	readonly to?: string | undefined;
	readonly channel?: string | undefined;
	readonly status?: string | undefined;
	readonly batchId?: string | undefined;
	/** Part of the message. */
	readonly contains?: string | undefined;
	/**
	 * Part of the text, subject, number or address, or the beginning of the ID of the message or its bulk send. Ignores
	 * case. A number may be written with spaces and the leading 0.
	 */
	readonly search?: string | undefined;
	readonly limit?: number | undefined;
	readonly offset?: number | undefined;
}

/** The outbound messages and their delivery (docs/api.md#message-states). */
export interface Messages {
	/**
	 * Stores the message with its planned status changes and charges it, in one transaction. A package with enough
	 * credits pays for SMS, otherwise the wallet pays. If the balance is too low, nothing changes.
	 */
	accept(message: NewMessage): Acceptance;
	find(id: string): Message | undefined;
	/** The matching messages, newest first. */
	list(filter?: MessageFilter): Message[];
	/** Number of matching messages, without the limit. */
	count(filter?: MessageFilter): number;
	/** The newest messages to a number, oldest first. */
	listTo(recipient: string, limit: number): Message[];
	/** When the next status change is due, in milliseconds since 1970 UTC; undefined if none is planned. */
	nextDueAt(): number | undefined;
	/**
	 * Applies the status changes that are due, in one transaction. A failed message is refunded. A status never goes
	 * backwards and never leaves `delivered` or `failed`.
	 * @param now milliseconds since 1970 UTC
	 * @param limit maximum number of messages
	 * @returns whether there was any
	 */
	applyDue(now: number, limit?: number): boolean;
	/** Sets the next status of one message by hand, with the same effects. @param now milliseconds since 1970 UTC */
	moveOn(id: string, status: Transition['status'], now: number): void;
}

/** Statuses from which a message can reach each status. */
const FROM: Readonly<Record<Transition['status'], readonly Message['status'][]>> = {
	submitted: ['queued'],
	sent: ['queued', 'submitted'],
	delivered: ['queued', 'submitted', 'sent'],
	failed: ['queued', 'submitted', 'sent'],
};

/** Creates the messages part of the store. */
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
	// Prepared statements by the columns of the filter, so that SQLite can use an index.
	const selection = createSelection(database, 'messages', 'row');
	const to = database.prepare('SELECT * FROM messages WHERE recipient = ? ORDER BY row DESC LIMIT ?');

	function accept(message: NewMessage): Acceptance {
		const acceptance = group.join((): Acceptance => {
			const [share] = message.channel === 'sms' ? packages.take(1, message.segments) : [];
			const cost = share ? 0 : message.cost;
			const { id, channel, recipient, senderId, subject = null, text, segments, createdAt, transitions } = message;
			const description = `${TRANSACTION_LABELS[channel]} to ${recipient}`;
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

	/** Applies the side effects of a status change. */
	function follow(row: number, { status, dueAt: at }: Transition): void {
		// Reading the whole message takes longer than the status change, and most need nothing more.
		if (status !== 'failed' && !outbox.isOpen()) return;
		const message = { ...rows.at(row), status };
		if (status === 'failed') refund(message, at);
		outbox.messageStatus(message, at);
	}

	function refund({ id, cost, package_id, segments, channel, recipient }: Message, now: number): void {
		if (package_id !== null) packages.giveBack(package_id, segments);
		if (cost === 0) return;
		const description = `Refund: ${TRANSACTION_LABELS[channel]} to ${recipient} failed`;
		wallet.book({ type: 'refund', amount: cost, message_id: id, description, created_at: now });
	}

	function applyDue(now: number, limit = -1): boolean {
		if ((rows.nextDueAt() ?? Infinity) > now) return false;
		const moved = transaction(database, () =>
			rows.due(now, limit).flatMap(({ message, ahead }) => {
				// Applies all due changes at once, because a late receipt must not be sent before the next one is
				// known.
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

	/** Updates the counts after a status change and returns the message as it is now. */
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
		list: ({ limit = -1, offset = 0, ...filter } = {}) =>
			rows.parse(selection.list(toConditions(filter), limit, offset)),
		count: (filter = {}) => selection.count(toConditions(filter)),
		listTo: (recipient, limit) => rows.parse(to.all(recipient, limit)).reverse(),
		nextDueAt: () => rows.nextDueAt(),
		applyDue,
		moveOn,
	};
}

/** Returns the status changes that a message can reach one after the other. */
function takeInOrder(from: Message['status'], steps: readonly Transition[]): Transition[] {
	let status = from;
	return steps.filter((step) => {
		const can = FROM[step.status].includes(status);
		if (can) status = step.status;
		return can;
	});
}

/** An ID, or the beginning of one. */
const ID_START = /^(msg|bulk)_/i;

function toConditions(filter: MessageFilter) {
	const { to, channel, status, batchId, search } = filter;
	return [
		given('recipient = ?', to),
		given('channel = ?', channel),
		given('status = ?', status),
		given('batch_id = ?', batchId),
		given('instr(text, ?) > 0', filter.contains),
		search === undefined
			? undefined
			: anyOf([
					contains('text', search),
					contains('subject', search),
					contains('recipient', asAddress(search)),
					...(ID_START.test(search) ? [startsWith('id', search), startsWith('batch_id', search)] : []),
				]),
	];
}

/** Removes separators and the leading 0, because stored numbers have none: `020 123` is part of +23320123… */
function asAddress(words: string): string {
	return /^\+?[\d\s().-]+$/.test(words) ? words.replace(/[\s().-]/g, '').replace(/^0(?=\d)/, '') : words;
}
