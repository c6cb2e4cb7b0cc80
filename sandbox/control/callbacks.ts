import { Hono } from 'hono';
import { z } from 'zod/v4';
import type { HonoEnv } from '../http/env';
import { parseInput } from '../http/parse';
import type { Callback, CallbackAttempt } from '../store/callbacks';
import { orNotFound, pageInput, searchText, sendPage, wholeNumber } from './input';
import type { ControlServices } from './services';

const filterInput = pageInput.extend({
	event: z.string().optional(),
	status: z.string().optional(),
	search: searchText,
});
const idInput = z.object({ id: wholeNumber });

/**
 * `GET callbacks?event&status&search&limit&offset`, newest first · `GET callbacks/:id` with every attempt · `POST
 * callbacks/:id/replay`.
 */
export function callbackRoutes({ store, clock }: ControlServices): Hono<HonoEnv> {
	const { callbacks } = store;
	const routes = new Hono<HonoEnv>();
	const toRow = (callback: Callback) => toCallback(callback, callbacks.lastAttempt(callback.id));
	routes.get('/callbacks', (c) => {
		const { limit, offset, ...filter } = parseInput(filterInput, c.req.query());
		return sendPage(c, callbacks.list(limit, offset, filter).map(toRow), callbacks.count(filter));
	});
	routes.get('/callbacks/:id', (c) => {
		const { id } = parseInput(idInput, c.req.param());
		const callback = orNotFound(callbacks.find(id), `callback ${id}`);
		const details: CallbackDetails = { ...toRow(callback), attempts: callbacks.attempts(id).map(toAttempt) };
		return c.json(details);
	});
	routes.post('/callbacks/:id/replay', (c) => {
		const { id } = parseInput(idInput, c.req.param());
		return c.json(toRow(orNotFound(callbacks.replay(id, clock.now()), `callback ${id}`)), 202);
	});
	return routes;
}

/** A callback as the control routes return it. */
export type CallbackRow = ReturnType<typeof toCallback>;

/** One attempt to deliver a callback. */
export type AttemptRow = ReturnType<typeof toAttempt>;

/** A callback with its attempts, oldest first. */
export interface CallbackDetails extends CallbackRow {
	readonly attempts: readonly AttemptRow[];
}

/** Converts a callback to the form of the control routes. @param last its newest attempt */
export function toCallback(callback: Callback, last: CallbackAttempt | undefined) {
	const { id, event, fact, message_id, url, status, attempts, due_at, created_at } = callback;
	return {
		id,
		event,
		fact,
		message_id,
		url,
		status,
		attempt_count: attempts,
		/** Status of the last response; null before it, and if there was none. */
		http_status: last?.http_status ?? null,
		next_attempt_at: due_at === null ? null : new Date(due_at).toISOString(),
		created_at: new Date(created_at).toISOString(),
	};
}

function toAttempt({
	id,
	url,
	content_type,
	body,
	http_status,
	answer,
	problem,
	started_at,
	duration,
}: CallbackAttempt) {
	return {
		id,
		at: new Date(started_at).toISOString(),
		request: { url, content_type, body },
		http_status,
		answer,
		problem,
		milliseconds: duration,
	};
}
