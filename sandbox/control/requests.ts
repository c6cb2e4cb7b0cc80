import { Hono } from 'hono';
import { z } from 'zod/v4';
import type { HonoEnv } from '../http/env';
import { parseInput } from '../http/parse';
import { KEPT_BODY, type RequestLogEntry } from '../http/requestLog';
import { listInput, orNotFound, searchText, sendPage, wholeNumber } from './input';
import type { ControlServices } from './services';

const idInput = z.object({ id: wholeNumber });
const filterInput = listInput.extend({
	/** Only requests without a 2xx, and those with a reason. */
	failed: z.enum(['true', 'false'], 'is neither true nor false').default('false'),
	/** ID of an endpoint; `none` for a path that has none. */
	endpoint: z.string().optional(),
	search: searchText,
});
type Filter = z.output<typeof filterInput>;

/** An ID of a message, a bulk send or a top-up. */
const RECORD_ID = /\b(?:msg|bulk|top)_\w+/g;
const MAX_RECORDS = 20;

/**
 * `GET requests?failed&endpoint&search&limit&offset`: the API log, newest first. `search` matches a part of the path, the
 * reason, the key or a body · `GET requests/:id` with headers and bodies.
 */
export function requestRoutes({ requestLog }: ControlServices): Hono<HonoEnv> {
	const routes = new Hono<HonoEnv>();
	routes.get('/requests', (c) => {
		const filter = parseInput(filterInput, c.req.query());
		const found = requestLog.list().filter((entry) => isWanted(entry, filter));
		return sendPage(c, found.slice(filter.offset, filter.offset + filter.limit).map(toRequest), found.length);
	});
	routes.get('/requests/:id', (c) => {
		const { id } = parseInput(idInput, c.req.param());
		return c.json(toDetails(orNotFound(requestLog.find(id), `request ${id} in the log of the last 1,000`)));
	});
	return routes;
}

/** An API request as the control routes return it. */
export type RequestRow = ReturnType<typeof toRequest>;

/** An API request with its headers and bodies. */
export type RequestDetails = ReturnType<typeof toDetails>;

function isWanted(entry: RequestLogEntry, { failed, endpoint, search = '' }: Filter): boolean {
	if (failed === 'true' && !isFailed(entry)) return false;
	if (endpoint !== undefined && (entry.endpoint ?? 'none') !== endpoint) return false;
	if (search === '') return true;
	const { method, path, query, reason, key, requestBody, responseBody } = entry;
	const texts = [
		`${method} ${path}${query}`,
		reason ?? '',
		key?.name ?? '',
		key?.hint ?? '',
		requestBody,
		responseBody,
	];
	const wanted = search.toLowerCase();
	return texts.some((text) => text.toLowerCase().includes(wanted));
}

/** Whether the program did not get what it asked for. A request without a response has failed once it has ended. */
function isFailed({ status, reason, duration }: RequestLogEntry): boolean {
	if (status === null) return duration !== null;
	return status >= 300 || reason !== null;
}

function toRequest(entry: RequestLogEntry) {
	const { id, method, path, query, endpoint, at, status, reason, fault, duration, key } = entry;
	return {
		id,
		method,
		path,
		query,
		endpoint,
		at: new Date(at).toISOString(),
		status,
		failed: isFailed(entry),
		reason,
		fault,
		milliseconds: duration === null ? null : Math.round(duration * 10) / 10,
		key: key ? { id: key.id, name: key.name, hint: `…${key.hint}` } : null,
	};
}

function toDetails(entry: RequestLogEntry) {
	const { path, query, userAgent, contentType, keyHeader, key, requestBody, responseHeaders, responseBody } = entry;
	return {
		...toRequest(entry),
		request: {
			headers: {
				...(contentType !== undefined && { 'content-type': contentType }),
				...(userAgent !== undefined && { 'user-agent': userAgent }),
				...(keyHeader && { [keyHeader.toLowerCase()]: key ? `…${key.hint}` : 'not a valid key' }),
			},
			body: requestBody,
			cut: requestBody.length >= KEPT_BODY,
		},
		response: { headers: responseHeaders, body: responseBody, cut: responseBody.length >= KEPT_BODY },
		/** IDs of the messages, bulk sends and top-ups in the path and the bodies. */
		records: [...new Set(`${path}${query} ${responseBody}`.match(RECORD_ID) ?? [])].slice(0, MAX_RECORDS),
	};
}
