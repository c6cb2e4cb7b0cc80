import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type { Faults } from './behaviour/faults';
import type { RateLimit } from './behaviour/rateLimit';
import { handlers } from './handlers';
import type { Handler } from './handlers/handler';
import { authenticate } from './http/authenticate';
import { readJson } from './http/body';
import type { Exchange } from './http/exchange';
import type { Journal } from './http/journal';
import { playFault } from './http/playFault';
import { Refusal } from './http/refusal';
import { failureReply, type Reply, successReply, toResponse } from './http/reply';
import { routePath } from './http/route';
import type { Services } from './services';

/** What the API needs beside what its handlers need. */
export interface ApiServices extends Services {
	readonly apiKey: string;
	readonly faults: Faults;
	readonly rateLimit: RateLimit;
	readonly journal: Journal;
	/** Aborted when the sandbox stops. */
	readonly stopping: AbortSignal;
}

/**
 * The service's API below `/api/v1` (service.md, Endpoints): every request is routed, authenticated, counted, parsed
 * by the contract, handled, checked against the contract and answered; faults step in once it is known whose it is.
 */
export function createApi(services: ApiServices): Hono<Exchange> {
	const api = new Hono<Exchange>();
	for (const handler of handlers) {
		const { method } = handler.endpoint;
		api.on(method, routePath(handler.endpoint), (c) => serve(c, services, handler));
	}
	for (const path of new Set(handlers.map(({ endpoint }) => routePath(endpoint)))) {
		const allow = handlers
			.filter(({ endpoint }) => routePath(endpoint) === path)
			.map(({ endpoint }) => endpoint.method);
		api.all(path, (c) => {
			const message = `${c.req.path} takes ${allow.join(' or ')}, not ${c.req.method}.`;
			return refuse(c, services, new Refusal(405, 'method_not_allowed', message, { allow: allow.join(', ') }));
		});
	}
	api.all('*', (c) => {
		const message = `The service has no ${c.req.method} ${c.req.path}, or the sandbox does not play it yet.`;
		return refuse(c, services, new Refusal(404, 'not_found', message));
	});
	return api;
}

function refuse(c: Context<Exchange>, { journal, clock }: ApiServices, refusal: Refusal): Response {
	const entry = journal.open({ ...request(c), endpoint: null, at: new Date(clock.now()).toISOString() });
	entry.status = refusal.status;
	return toResponse(failureReply(refusal));
}

async function serve(c: Context<Exchange>, services: ApiServices, handler: Handler): Promise<Response> {
	const { journal, clock, faults } = services;
	const { id } = handler.endpoint;
	const entry = journal.open({ ...request(c), endpoint: id, at: new Date(clock.now()).toISOString() });
	let reply: Reply | undefined;
	try {
		admit(c, services);
		const fault = faults.take(id);
		entry.fault = fault?.kind ?? null;
		const handled = () => produce(c, services, handler);
		reply = fault ? await playFault(fault, c.env.outgoing, handled, services.stopping) : await handled();
	} catch (error) {
		reply = failureReply(error);
	}
	entry.status = reply?.status ?? null;
	return reply ? toResponse(reply) : RESPONSE_ALREADY_SENT;
}

function request(c: Context<Exchange>): { method: string; path: string } {
	return { method: c.req.method, path: c.req.path };
}

function admit(c: Context<Exchange>, { apiKey, rateLimit }: ApiServices): void {
	const wait = rateLimit.take(authenticate(c.req.raw.headers, apiKey));
	if (wait === undefined) return;
	throw new Refusal(429, 'rate_limited', `Too many requests: try again in ${wait} s.`, { 'retry-after': String(wait) });
}

async function produce(c: Context<Exchange>, services: Services, handler: Handler): Promise<Reply> {
	try {
		return successReply(handler.endpoint, handler.answer(await readInput(c, handler), services));
	} catch (error) {
		return failureReply(error);
	}
}

async function readInput(c: Context<Exchange>, { endpoint }: Handler): Promise<unknown> {
	if (endpoint.method === 'GET') return { ...c.req.query(), ...c.req.param() };
	const body = await readJson(c.req.raw);
	if (typeof body !== 'object' || body === null || Array.isArray(body)) {
		throw new Refusal(422, 'validation', 'The body is not a JSON object.');
	}
	return { ...body, ...c.req.param() };
}
