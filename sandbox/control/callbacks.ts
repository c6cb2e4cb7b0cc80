import { Hono } from 'hono';
import { z } from 'zod/v4';
import type { HonoEnv } from '../http/env';
import { parseInput } from '../http/parse';
import type { Callback, CallbackAttempt } from '../store/callbacks';
import { orNotFound, pageInput, sendPage, wholeNumber } from './input';
import type { ControlServices } from './services';

const idInput = z.object({ id: wholeNumber });

/** `GET callbacks?limit&offset`, newest first · `GET callbacks/:id` with every attempt · `POST callbacks/:id/replay`. */
export function callbackRoutes({ store, clock }: ControlServices): Hono<HonoEnv> {
	const { callbacks } = store;
	const routes = new Hono<HonoEnv>();
	routes.get('/callbacks', (c) => {
		const { limit, offset } = parseInput(pageInput, c.req.query());
		return sendPage(c, callbacks.list(limit, offset).map(toCallback), callbacks.count());
	});
	routes.get('/callbacks/:id', (c) => {
		const { id } = parseInput(idInput, c.req.param());
		const callback = orNotFound(callbacks.find(id), `callback ${id}`);
		return c.json({ ...toCallback(callback), attempts: callbacks.attempts(id).map(toAttempt) });
	});
	routes.post('/callbacks/:id/replay', (c) => {
		const { id } = parseInput(idInput, c.req.param());
		return c.json(toCallback(orNotFound(callbacks.replay(id, clock.now()), `callback ${id}`)), 202);
	});
	return routes;
}

/** Converts a callback to the form of the control routes. */
export function toCallback({ id, event, fact, message_id, url, status, attempts, due_at, created_at }: Callback) {
	return {
		id,
		event,
		fact,
		message_id,
		url,
		status,
		attempt_count: attempts,
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
