import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import { jsonColumn } from './json';

const messageRow = z.object({
	row: z.number(),
	id: z.string(),
	channel: z.enum(['sms', 'whatsapp', 'email', 'voice']),
	recipient: z.string(),
	sender_id: z.string(),
	subject: z.string().nullable(),
	text: z.string(),
	priority: z.number(),
	segments: z.number(),
	cost: z.number(),
	batch_id: z.string().nullable(),
	package_id: z.number().nullable(),
	status: z.enum(['queued', 'submitted', 'sent', 'delivered', 'failed']),
	created_at: z.number(),
	scheduled_at: z.number().nullable(),
	submitted_at: z.number().nullable(),
	sent_at: z.number().nullable(),
	delivered_at: z.number().nullable(),
	failed_at: z.number().nullable(),
});
const optionalMessageRow = messageRow.optional();
const messageRows = z.array(messageRow);

/**
 * One outbound message; `cost` is what the wallet paid, in 1/10000 of the currency, 0 where a package did; times in
 * milliseconds since 1970 UTC.
 */
export type Message = z.output<typeof messageRow>;

/** A status that a message takes when its time comes; `dueAt` in milliseconds since 1970 UTC. */
export interface Transition {
	readonly status: 'submitted' | 'sent' | 'delivered' | 'failed';
	readonly dueAt: number;
}

const waitingRow = messageRow.extend({
	ahead: jsonColumn(z.array(z.tuple([z.enum(['submitted', 'sent', 'delivered', 'failed']), z.number()]))),
});
const waitingRows = z.array(waitingRow);

/** A message with what lies ahead of it, in order of time: at least one status change. */
export interface WaitingMessage {
	readonly message: Message;
	readonly ahead: readonly Transition[];
}

/** The fields of a message to keep. */
export type MessageFields = Omit<Message, 'row' | 'submitted_at' | 'sent_at' | 'delivered_at' | 'failed_at'>;

/** The rows of messages with what lies ahead of them, for the parts of the store that make and move messages. */
export interface MessageRows {
	/** Keeps a message with its coming status changes, in order of time, and gives it. */
	insert(message: MessageFields, transitions: readonly Transition[]): Message;
	find(id: string): Message | undefined;
	/** Those whose next status change is due by then, in milliseconds since 1970 UTC, in order of its time. */
	due(now: number, limit: number): WaitingMessage[];
	/** When the next status change is due, in milliseconds since 1970 UTC; undefined where none is ahead. */
	nextDueAt(): number | undefined;
	/** Keeps the status and its times. */
	saveStatus(message: Message): void;
	/** Keeps the status and its times, and what lies ahead from now on. */
	saveStep(message: Message, later: readonly Transition[]): void;
	parse(rows: unknown): Message[];
}

const dueRow = z.object({ due_at: z.number().nullable() });

/** Makes the access to the rows of messages. */
export function createMessageRows(database: DatabaseSync): MessageRows {
	const byId = database.prepare('SELECT * FROM messages WHERE id = ?');
	const insert = database.prepare(
		`INSERT INTO messages (id, channel, recipient, sender_id, subject, text, priority, segments, cost, batch_id,
			package_id, status, created_at, scheduled_at, submitted_at, ahead, due_at)
		 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	);
	const due = database.prepare('SELECT * FROM messages WHERE due_at <= ? ORDER BY due_at, row LIMIT ?');
	const nextDue = database.prepare('SELECT min(due_at) AS due_at FROM messages WHERE due_at IS NOT NULL');
	const times = 'status = ?, submitted_at = ?, sent_at = ?, delivered_at = ?, failed_at = ?';
	const saveStatus = database.prepare(`UPDATE messages SET ${times} WHERE row = ?`);
	const saveStep = database.prepare(`UPDATE messages SET ${times}, ahead = ?, due_at = ? WHERE row = ?`);
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
				aheadColumn(transitions),
				transitions[0]?.dueAt ?? null,
			);
			const times = { submitted_at, sent_at: null, delivered_at: null, failed_at: null };
			return { ...message, row: Number(lastInsertRowid), ...times };
		},
		find: (id) => optionalMessageRow.parse(byId.get(id)),
		due: (now, limit) => waitingRows.parse(due.all(now, limit)).map(toWaiting),
		nextDueAt: () => dueRow.parse(nextDue.get()).due_at ?? undefined,
		saveStatus: ({ row, status, submitted_at, sent_at, delivered_at, failed_at }) =>
			void saveStatus.run(status, submitted_at, sent_at, delivered_at, failed_at, row),
		saveStep: ({ row, status, submitted_at, sent_at, delivered_at, failed_at }, later) =>
			void saveStep.run(
				status,
				submitted_at,
				sent_at,
				delivered_at,
				failed_at,
				aheadColumn(later),
				later[0]?.dueAt ?? null,
				row,
			),
		parse: (rows) => messageRows.parse(rows),
	};
}

function aheadColumn(transitions: readonly Transition[]): string {
	return JSON.stringify(transitions.map(({ status, dueAt }) => [status, dueAt]));
}

function toWaiting({ ahead, ...message }: z.output<typeof waitingRow>): WaitingMessage {
	return { message, ahead: ahead.map(([status, dueAt]) => ({ status, dueAt })) };
}
