import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';

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

/** The fields of a message to keep. */
export type MessageFields = Omit<Message, 'row' | 'submitted_at' | 'sent_at' | 'delivered_at' | 'failed_at'>;

/** The rows of messages and of what lies ahead of them, for the parts of the store that make messages. */
export interface MessageRows {
	/** Keeps a message with its coming status changes, and gives it. The caller holds a transaction around it. */
	insert(message: MessageFields, transitions: readonly Transition[]): Message;
	find(id: string): Message | undefined;
	parse(rows: unknown): Message[];
}

/** Makes the access to the rows of messages. */
export function createMessageRows(database: DatabaseSync): MessageRows {
	const byId = database.prepare('SELECT * FROM messages WHERE id = ?');
	const insert = database.prepare(
		`INSERT INTO messages (id, channel, recipient, sender_id, subject, text, priority, segments, cost, batch_id,
			package_id, status, created_at, scheduled_at, submitted_at)
		 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	);
	// One statement for all that lies ahead of a message takes much less time than one for each.
	const schedule = [0, 1, 2, 3].map((more) =>
		database.prepare(
			`INSERT INTO transitions (message_id, status, due_at) VALUES (?, ?, ?)${', (?, ?, ?)'.repeat(more)}`,
		),
	);
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
			);
			const ahead = transitions.flatMap(({ status, dueAt }) => [message.id, status, dueAt]);
			schedule[transitions.length - 1]?.run(...ahead);
			const times = { submitted_at, sent_at: null, delivered_at: null, failed_at: null };
			return { ...message, row: Number(lastInsertRowid), ...times };
		},
		find: (id) => optionalMessageRow.parse(byId.get(id)),
		parse: (rows) => messageRows.parse(rows),
	};
}
