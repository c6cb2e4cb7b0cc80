import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import { transaction } from '../performance';
import type { Changes } from './changes';
import { jsonColumn } from './json';
import { anyOf, contains, createSelection, given, startsWith } from './search';

const fact = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));

const callbackRow = z.object({
	id: z.number(),
	event: z.enum(['message.status', 'wallet.low_balance', 'sms.inbound', 'whatsapp.inbound']),
	fact: jsonColumn(fact),
	message_id: z.string().nullable(),
	text_post_id: z.number().nullable(),
	url: z.string(),
	status: z.enum(['waiting', 'delivered', 'given_up']),
	attempts: z.number(),
	due_at: z.number().nullable(),
	created_at: z.number(),
});
const optionalCallbackRow = callbackRow.optional();
const callbackRows = z.array(callbackRow);

/**
 * A webhook to deliver: a receipt or alert to the account's callback URL, or a phone message to an inbound URL. For a
 * phone message `text_post_id` is its first delivery. `fact` describes the event in the sandbox's own format. `due_at`
 * (next attempt) and `created_at` are in milliseconds since 1970 UTC.
 */
export type Callback = z.output<typeof callbackRow>;

const attemptRow = z.object({
	id: z.number(),
	callback_id: z.number(),
	url: z.string(),
	content_type: z.string(),
	body: z.string(),
	http_status: z.number().nullable(),
	answer: z.string().nullable(),
	problem: z.string().nullable(),
	started_at: z.number(),
	duration: z.number(),
});
const attemptRows = z.array(attemptRow);

/**
 * One attempt to deliver a callback, with the response. `problem` says why it failed, in words for users. Times are in
 * milliseconds.
 */
export type CallbackAttempt = z.output<typeof attemptRow>;

/** Number of finished callbacks that are kept. */
export const KEPT_CALLBACKS = 20_000;

/** Number of additional ones before the oldest are deleted. Small, so that deleting blocks no request. */
const PRUNE_EVERY = 100;

/** Result of a delivery attempt. `dueAt` is the time of the next one, in milliseconds since 1970 UTC. */
export type DeliveryResult =
	| { readonly status: 'delivered' | 'given_up' }
	| { readonly status: 'waiting'; readonly dueAt: number };

/** Which callbacks to return. */
export interface CallbackFilter {
	readonly event?: string | undefined;
	readonly status?: string | undefined;
	/** Part of the event's values or the URL, or the beginning of the ID of a message. Ignores case. */
	readonly search?: string | undefined;
}

/** The callbacks and all delivery attempts (docs/api.md#callback-url). */
export interface Callbacks {
	/** Stores a callback to deliver. The caller emits the change. @returns its ID */
	add(
		callback: Pick<Callback, 'event' | 'fact' | 'message_id' | 'url' | 'created_at'> &
			Partial<Pick<Callback, 'text_post_id'>> & { due_at: number },
	): number;
	find(id: number): Callback | undefined;
	/** Newest first. */
	list(limit: number, offset: number, filter?: CallbackFilter): Callback[];
	/** Number of callbacks. */
	count(filter?: CallbackFilter): number;
	/** The newest attempt; undefined before the first. */
	lastAttempt(callbackId: number): CallbackAttempt | undefined;
	/** Oldest first. */
	listOf(messageId: string): Callback[];
	/** Oldest first. */
	attempts(callbackId: number): CallbackAttempt[];
	/** Due callbacks that are not in flight, oldest due time first. */
	due(now: number, limit: number, except: ReadonlySet<number>): Callback[];
	/** When the next one is due, in milliseconds since 1970 UTC; undefined if none is waiting. */
	nextDueAt(except: ReadonlySet<number>): number | undefined;
	/**
	 * Stores an attempt and its result in one transaction. Of the finished callbacks, the newest 20,000 are kept with
	 * their attempts, so that a URL that stays in the settings for days cannot fill the disk.
	 */
	finish(attempt: Omit<CallbackAttempt, 'id'>, result: DeliveryResult): void;
	/** Changes when it is delivered, in milliseconds since 1970 UTC. The caller emits the change. */
	postpone(id: number, dueAt: number): void;
	/**
	 * Delivers it again, starting at the first attempt. @returns the callback as it is now; undefined if there is none
	 */
	replay(id: number, now: number): Callback | undefined;
}

/** Creates the callbacks part of the store. */
export function createCallbacks(database: DatabaseSync, changes: Changes): Callbacks {
	const insert = database.prepare(
		`INSERT INTO callbacks (event, fact, message_id, text_post_id, url, status, attempts, due_at, created_at)
		 VALUES (?, ?, ?, ?, ?, 'waiting', 0, ?, ?)`,
	);
	const byId = database.prepare('SELECT * FROM callbacks WHERE id = ?');
	const selection = createSelection(database, 'callbacks', 'id');
	const newestOf = database.prepare('SELECT * FROM callback_attempts WHERE callback_id = ? ORDER BY id DESC LIMIT 1');
	const ofMessage = database.prepare('SELECT * FROM callbacks WHERE message_id = ? ORDER BY id');
	const ofCallback = database.prepare('SELECT * FROM callback_attempts WHERE callback_id = ? ORDER BY id');
	const due = database.prepare(
		`SELECT * FROM callbacks WHERE due_at <= ? AND id NOT IN (SELECT value FROM json_each(?))
		 ORDER BY due_at, id LIMIT ?`,
	);
	const nextDue = database.prepare(
		`SELECT min(due_at) AS due_at FROM callbacks
		 WHERE due_at IS NOT NULL AND id NOT IN (SELECT value FROM json_each(?))`,
	);
	const insertAttempt = database.prepare(
		`INSERT INTO callback_attempts (callback_id, url, content_type, body, http_status, answer, problem, started_at,
			duration) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	);
	const update = database.prepare('UPDATE callbacks SET status = ?, due_at = ?, attempts = attempts + 1 WHERE id = ?');
	const dropAttempts = database.prepare(
		'DELETE FROM callback_attempts WHERE callback_id IN (SELECT id FROM callbacks WHERE id <= ? AND due_at IS NULL)',
	);
	const dropCallbacks = database.prepare('DELETE FROM callbacks WHERE id <= ? AND due_at IS NULL');
	const postpone = database.prepare('UPDATE callbacks SET due_at = ? WHERE id = ?');
	const again = database.prepare(
		`UPDATE callbacks SET status = 'waiting', due_at = ?, attempts = 0 WHERE id = ? RETURNING *`,
	);
	const dueRow = z.object({ due_at: z.number().nullable() });
	const ids = (except: ReadonlySet<number>) => JSON.stringify([...except]);

	function prune(newest: number): void {
		dropAttempts.run(newest);
		dropCallbacks.run(newest);
	}

	function find(id: number): Callback | undefined {
		return optionalCallbackRow.parse(byId.get(id));
	}

	return {
		add: ({ event, fact: happened, message_id, text_post_id = null, url, due_at, created_at }) => {
			const values = [event, JSON.stringify(happened), message_id, text_post_id, url, due_at, created_at];
			return Number(insert.run(...values).lastInsertRowid);
		},
		find,
		count: (filter = {}) => selection.count(toConditions(filter)),
		list: (limit, offset, filter = {}) => callbackRows.parse(selection.list(toConditions(filter), limit, offset)),
		lastAttempt: (callbackId) => attemptRow.optional().parse(newestOf.get(callbackId)),
		listOf: (messageId) => callbackRows.parse(ofMessage.all(messageId)),
		attempts: (callbackId) => attemptRows.parse(ofCallback.all(callbackId)),
		due: (now, limit, except) => callbackRows.parse(due.all(now, ids(except), limit)),
		nextDueAt: (except) => dueRow.parse(nextDue.get(ids(except))).due_at ?? undefined,
		finish: (attempt, result) => {
			const { callback_id, url, content_type, body, http_status, answer, problem, started_at, duration } = attempt;
			// A reset may have emptied the store while the request was in flight.
			if (!find(callback_id)) return;
			transaction(database, () => {
				insertAttempt.run(callback_id, url, content_type, body, http_status, answer, problem, started_at, duration);
				update.run(result.status, result.status === 'waiting' ? result.dueAt : null, callback_id);
				if (callback_id % PRUNE_EVERY === 0) prune(callback_id - KEPT_CALLBACKS);
			});
			changes.emit('callbacks');
		},
		postpone: (id, dueAt) => void postpone.run(dueAt, id),
		replay: (id, now) => {
			const row = optionalCallbackRow.parse(again.get(now, id));
			if (row) {
				changes.emit('callbacks');
				changes.due();
			}
			return row;
		},
	};
}

function toConditions({ event, status, search }: CallbackFilter) {
	return [
		given('event = ?', event),
		given('status = ?', status),
		search === undefined
			? undefined
			: anyOf([
					// The values only, so that the names of the fields match nothing.
					{
						sql: `EXISTS (SELECT 1 FROM json_each(fact) WHERE ${contains('value', search).sql})`,
						values: contains('value', search).values,
					},
					contains('url', search),
					startsWith('message_id', search),
				]),
	];
}
