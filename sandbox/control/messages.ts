import { setImmediate as nextTurn } from 'node:timers/promises';
import { Hono } from 'hono';
import { z } from 'zod/v4';
import type { HonoEnv } from '../http/env';
import { parseInput } from '../http/parse';
import { toTimestamp } from '../http/timestamp';
import type { Batch } from '../store/batches';
import type { Message } from '../store/messageRows';
import type { MessageFilter } from '../store/messages';
import { toCurrency } from '../store/money';
import { type CallbackRow, toCallback } from './callbacks';
import { orNotFound, listInput, readBodyAs, searchText, sendPage, wholeNumber } from './input';
import type { ControlServices } from './services';

const filterInput = listInput.extend({
	to: z.string().optional(),
	channel: z.string().optional(),
	status: z.string().optional(),
	batch_id: z.string().optional(),
	contains: z.string().optional(),
	search: searchText,
	wait: wholeNumber.default(0),
});

const statusInput = z.strictObject({
	status: z.enum(['submitted', 'sent', 'delivered', 'failed'], 'is not one of submitted, sent, delivered, failed'),
});

/** Longest wait for a message, in milliseconds. */
const LONGEST_WAIT_MS = 30_000;

/**
 * `GET messages?to&channel&status&batch_id&contains&search&limit&offset&wait`, newest first. `wait` is the maximum time
 * to wait for the first match, in milliseconds · `GET messages/:id` with its timeline and callbacks · `POST
 * messages/:id/status {status}` sets the next status by hand · `GET batches`.
 */
export function messageRoutes({ store, clock }: ControlServices): Hono<HonoEnv> {
	const routes = new Hono<HonoEnv>();
	routes.get('/messages', async (c) => {
		const { batch_id, wait, ...filter } = parseInput(filterInput, c.req.query());
		const wanted: MessageFilter = { ...filter, batchId: batch_id };
		const list = () => store.messages.list(wanted);
		if (wait > 0 && list().length === 0) await changed(() => list().length > 0, wait, c.req.raw.signal);
		const page = list().map(toMessage);
		// A search in many messages takes long, so let other requests run between list and count.
		await nextTurn();
		return sendPage(c, page, store.messages.count(wanted));
	});
	routes.get('/messages/:id', (c) => {
		const id = c.req.param('id');
		const message = orNotFound(store.messages.find(id), `message ${id}`);
		const callbacks = store.callbacks
			.listOf(id)
			.map((callback) => toCallback(callback, store.callbacks.lastAttempt(callback.id)));
		const details: MessageDetails = { ...toMessage(message), timeline: timeline(message), callbacks };
		return c.json(details);
	});
	routes.post('/messages/:id/status', async (c) => {
		const { status } = await readBodyAs(c, statusInput);
		const id = c.req.param('id');
		orNotFound(store.messages.find(id), `message ${id}`);
		store.messages.moveOn(id, status, clock.now());
		return c.json(toMessage(orNotFound(store.messages.find(id), `message ${id}`)));
	});
	routes.get('/batches', (c) => c.json(store.batches.list().map(toBatch)));

	/** Resolves when a change makes the condition true, the time is up or the client disconnects. */
	async function changed(holds: () => boolean, milliseconds: number, gone: AbortSignal): Promise<void> {
		const over = AbortSignal.any([gone, AbortSignal.timeout(Math.min(milliseconds, LONGEST_WAIT_MS))]);
		await new Promise<void>((resolve) => {
			const unsubscribe = store.changes.onChange((kinds) => {
				if (kinds.includes('messages') && holds()) end();
			});
			const end = () => {
				unsubscribe();
				resolve();
			};
			over.addEventListener('abort', end, { once: true });
		});
	}
	return routes;
}

/** A message as the control routes return it. */
export type MessageRow = ReturnType<typeof toMessage>;

/** A message with the times of its statuses and its callbacks. */
export interface MessageDetails extends MessageRow {
	readonly timeline: ReturnType<typeof timeline>;
	readonly callbacks: readonly CallbackRow[];
}

/** A bulk send as the control routes return it. */
export type BatchRow = ReturnType<typeof toBatch>;

function toBatch({ id, sender_id, text, total, made, cost, created_at, scheduled_at, ...batch }: Batch) {
	return {
		batch_id: id,
		sender_id,
		message: text,
		priority: batch.priority === 1,
		total,
		made,
		cost_each: toCurrency(cost),
		paid_by_packages: batch.paid_by_packages.reduce((sum, { count }) => sum + count, 0),
		created_at: toTimestamp(created_at),
		scheduled_at: scheduled_at === null ? null : toTimestamp(scheduled_at),
	};
}

function toMessage(message: Message) {
	const { id, channel, recipient, sender_id, subject, text, priority, segments, batch_id, package_id } = message;
	return {
		message_id: id,
		channel,
		to: recipient,
		sender_id,
		...(subject !== null && { subject }),
		message: text,
		priority: priority === 1,
		status: message.status,
		cost: toCurrency(message.cost),
		billed_via: package_id === null ? 'wallet' : 'package',
		segments,
		batch_id,
		created_at: toTimestamp(message.created_at),
	};
}

function timeline(message: Message) {
	const { created_at, scheduled_at, submitted_at, sent_at, delivered_at, failed_at, batch_id } = message;
	const steps = [
		{ status: 'queued', at: batch_id === null ? null : created_at },
		{ status: 'scheduled', at: scheduled_at },
		{ status: 'submitted', at: submitted_at },
		{ status: 'sent', at: sent_at },
		{ status: 'delivered', at: delivered_at },
		{ status: 'failed', at: failed_at },
	];
	return steps.flatMap(({ status, at }) => (at === null ? [] : [{ status, at: new Date(at).toISOString() }]));
}
