import type { DatabaseSync } from 'node:sqlite';
import { number, nullableNumber, nullableText, oneOf, type Row, text } from '../performance';

const CHANNELS = ['sms', 'whatsapp', 'email', 'voice'] as const;
const LATER_STATUSES = ['submitted', 'sent', 'delivered', 'failed'] as const;
const STATUSES = ['queued', ...LATER_STATUSES] as const;

/** One outbound message; times in milliseconds since 1970 UTC. */
export interface Message {
	/** Increases with each new message. */
	readonly row: number;
	readonly id: string;
	readonly channel: (typeof CHANNELS)[number];
	readonly recipient: string;
	readonly sender_id: string;
	readonly subject: string | null;
	readonly text: string;
	/** 1 for the priority route. */
	readonly priority: number;
	readonly segments: number;
	/** Amount paid by the wallet, in 1/10000 of the currency; 0 if a package paid. */
	readonly cost: number;
	readonly batch_id: string | null;
	readonly package_id: number | null;
	readonly status: (typeof STATUSES)[number];
	readonly created_at: number;
	readonly scheduled_at: number | null;
	readonly submitted_at: number | null;
	readonly sent_at: number | null;
	readonly delivered_at: number | null;
	readonly failed_at: number | null;
}

/** A planned status change. `dueAt` is in milliseconds since 1970 UTC. */
export interface Transition {
	readonly status: (typeof LATER_STATUSES)[number];
	readonly dueAt: number;
}

/** Fields of a message that each status change needs. */
export type MovingMessage = Pick<Message, 'row' | 'channel' | 'recipient' | 'sender_id' | 'status' | 'created_at'>;

/** A message with its planned status changes, oldest first, at least one. */
export interface WaitingMessage {
	readonly message: MovingMessage;
	readonly ahead: readonly Transition[];
}

/** Fields of a message to store. */
export type MessageFields = Omit<Message, 'row' | 'submitted_at' | 'sent_at' | 'delivered_at' | 'failed_at'>;

/** Rows of messages with their planned status changes, for the parts of the store that create and move messages. */
export interface MessageRows {
	/** Stores a message with its planned status changes, oldest first, and returns it. */
	insert(message: MessageFields, transitions: readonly Transition[]): Message;
	find(id: string): Message | undefined;
	/** Returns the message in a row. @throws Error if there is none */
	at(row: number): Message;
	/** Messages whose next status change is due at that time, in milliseconds since 1970 UTC, oldest due time first. */
	due(now: number, limit: number): WaitingMessage[];
	/** When the next status change is due, in milliseconds since 1970 UTC; undefined if none is planned. */
	nextDueAt(): number | undefined;
	/** Stores a status that a message reached, and when. */
	saveStatus(row: number, status: Transition['status'], at: number): void;
	/** Stores the planned statuses that a message reached, and when the next one is due, if any. */
	saveSteps(row: number, taken: readonly Transition[], nextDueAt: number | undefined): void;
	parse(rows: readonly Row[]): Message[];
}

/** Creates the access to the rows of messages. */
export function createMessageRows(database: DatabaseSync): MessageRows {
	const byId = database.prepare('SELECT * FROM messages WHERE id = ?');
	const insert = database.prepare(
		`INSERT INTO messages (id, channel, recipient, sender_id, subject, text, priority, segments, cost, batch_id,
			package_id, status, created_at, scheduled_at, submitted_at, plan, due_at)
		 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	);
	const byRow = database.prepare('SELECT * FROM messages WHERE row = ?');
	const due = database.prepare(
		`SELECT row, channel, recipient, sender_id, status, created_at, plan, due_at FROM messages
		 WHERE due_at <= ? ORDER BY due_at, row LIMIT ?`,
	);
	const nextDue = database.prepare('SELECT min(due_at) AS due_at FROM messages WHERE due_at IS NOT NULL');
	const saveDue = database.prepare('UPDATE messages SET due_at = ? WHERE row = ?');
	// One statement per status: writing fewer columns is faster.
	const saveTo = (status: Transition['status']) => ({
		status: database.prepare(`UPDATE messages SET status = '${status}', ${status}_at = ? WHERE row = ?`),
		step: database.prepare(`UPDATE messages SET status = '${status}', ${status}_at = ?, due_at = ? WHERE row = ?`),
	});
	const save = {
		submitted: saveTo('submitted'),
		sent: saveTo('sent'),
		delivered: saveTo('delivered'),
		failed: saveTo('failed'),
	};
	return {
		insert: (message, transitions) => {
			const submitted_at = message.status === 'submitted' ? message.created_at : null;
			const { lastInsertRowid } = insert.run(
				message.id,
				message.channel,
				message.recipient,
				message.sender_id,
				message.subject,
				message.text,
				message.priority,
				message.segments,
				message.cost,
				message.batch_id,
				message.package_id,
				message.status,
				message.created_at,
				message.scheduled_at,
				submitted_at,
				planColumn(transitions),
				transitions[0]?.dueAt ?? null,
			);
			const times = { submitted_at, sent_at: null, delivered_at: null, failed_at: null };
			return { ...message, row: Number(lastInsertRowid), ...times };
		},
		find: (id) => {
			const row = byId.get(id);
			return row && toMessage(row);
		},
		at: (row) => {
			const found = byRow.get(row);
			if (!found) throw new Error(`there is no message in row ${row}`);
			return toMessage(found);
		},
		due: (now, limit) => due.all(now, limit).map(toWaiting),
		nextDueAt: () => nullableNumber(nextDue.get() ?? { due_at: null }, 'due_at') ?? undefined,
		saveStatus: (row, status, at) => void save[status].status.run(at, row),
		saveSteps: (row, taken, nextDueAt) => {
			for (const { status, dueAt } of taken.slice(0, -1)) save[status].status.run(dueAt, row);
			const last = taken.at(-1);
			if (last) save[last.status].step.run(last.dueAt, nextDueAt ?? null, row);
			else saveDue.run(nextDueAt ?? null, row);
		},
		parse: (rows) => rows.map(toMessage),
	};
}

function planColumn(transitions: readonly Transition[]): string {
	return `[${transitions.map(({ status, dueAt }) => `["${status}",${dueAt}]`).join(',')}]`;
}

function toWaiting(row: Row): WaitingMessage {
	const dueAt = number(row, 'due_at');
	return {
		message: {
			row: number(row, 'row'),
			channel: oneOf(CHANNELS, row.channel, 'channel'),
			recipient: text(row, 'recipient'),
			sender_id: text(row, 'sender_id'),
			status: oneOf(STATUSES, row.status, 'status'),
			created_at: number(row, 'created_at'),
		},
		ahead: toTransitions(text(row, 'plan')).filter((step) => step.dueAt >= dueAt),
	};
}

function toTransitions(plan: string): Transition[] {
	const steps: unknown = JSON.parse(plan);
	if (!Array.isArray(steps)) throw new Error(`the column plan holds ${plan}`);
	return steps.map((step: unknown) => {
		const [status, dueAt] = Array.isArray(step) ? Array.from<unknown>(step) : [];
		if (typeof dueAt !== 'number') throw new Error(`the column plan holds ${plan}`);
		return { status: oneOf(LATER_STATUSES, status, 'plan'), dueAt };
	});
}

function toMessage(row: Row): Message {
	return {
		row: number(row, 'row'),
		id: text(row, 'id'),
		channel: oneOf(CHANNELS, row.channel, 'channel'),
		recipient: text(row, 'recipient'),
		sender_id: text(row, 'sender_id'),
		subject: nullableText(row, 'subject'),
		text: text(row, 'text'),
		priority: number(row, 'priority'),
		segments: number(row, 'segments'),
		cost: number(row, 'cost'),
		batch_id: nullableText(row, 'batch_id'),
		package_id: nullableNumber(row, 'package_id'),
		status: oneOf(STATUSES, row.status, 'status'),
		created_at: number(row, 'created_at'),
		scheduled_at: nullableNumber(row, 'scheduled_at'),
		submitted_at: nullableNumber(row, 'submitted_at'),
		sent_at: nullableNumber(row, 'sent_at'),
		delivered_at: nullableNumber(row, 'delivered_at'),
		failed_at: nullableNumber(row, 'failed_at'),
	};
}
