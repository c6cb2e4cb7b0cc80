import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { wantsEarlyReceipt } from './behaviour/earlyReceipt';
import type { AnswerFault, Faults } from './behaviour/faults';
import { findMagicFault } from './behaviour/magicFault';
import type { RateLimit } from './behaviour/rateLimit';
import { handlers } from './handlers';
import type { Handler } from './handlers/handler';
import { authenticate } from './http/authenticate';
import type { Exchange } from './http/exchange';
import { readInput } from './http/input';
import type { Journal, JournalEntry } from './http/journal';
import { playFault } from './http/playFault';
import { Refusal } from './http/refusal';
import { failureReply, type Reply, sendReply, successReply, toResponse } from './http/reply';
import { routePath } from './http/route';
import type { Services } from './services';

/** What the API needs beside what its handlers need. */
export interface ApiServices extends Services {
	readonly faults: Faults;
	readonly rateLimit: RateLimit;
	readonly journal: Journal;
	/** Resolves when nothing is due and nothing is being posted. */
	readonly settle: () => Promise<void>;
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

function refuse(c: Context<Exchange>, { journal, clock, store }: ApiServices, refusal: Refusal): Response {
	const entry = journal.open({ ...request(c), endpoint: null, at: new Date(clock.now()).toISOString() });
	entry.status = refusal.status;
	store.changes.tell('requests');
	return toResponse(failureReply(refusal, store.settings.read().error_shape));
}

async function serve(c: Context<Exchange>, services: ApiServices, handler: Handler): Promise<Response> {
	const { journal, clock, store } = services;
	const { id } = handler.endpoint;
	const entry = journal.open({ ...request(c), endpoint: id, at: new Date(clock.now()).toISOString() });
	let reply: Reply | undefined;
	try {
		admit(c, services);
		reply = await respond(c, services, handler, entry);
	} catch (error) {
		reply = failureReply(error, store.settings.read().error_shape);
	}
	entry.status = reply?.status ?? null;
	store.changes.tell('requests');
	return reply ? sendReply(reply, c.env.outgoing) : RESPONSE_ALREADY_SENT;
}

function request(c: Context<Exchange>): { method: string; path: string } {
	return { method: c.req.method, path: c.req.path };
}

function admit(c: Context<Exchange>, { store, rateLimit }: ApiServices): void {
	const wait = rateLimit.take(String(authenticate(c.req.raw.headers, store.keys).id));
	if (wait === undefined) return;
	throw new Refusal(429, 'rate_limited', `Too many requests: try again in ${wait} s.`, { 'retry-after': String(wait) });
}

async function respond(
	c: Context<Exchange>,
	services: ApiServices,
	{ endpoint, answer }: Handler,
	entry: JournalEntry,
): Promise<Reply | undefined> {
	const { faults, store, stopping } = services;
	const handle = async (read: () => Record<string, unknown> | Promise<Record<string, unknown>>) => {
		try {
			const input = await read();
			const output = await answer(input, services);
			if (wantsEarlyReceipt(input)) await services.settle();
			return successReply(endpoint, output, store.settings.read());
		} catch (error) {
			return failureReply(error, store.settings.read().error_shape);
		}
	};
	const play = async (fault: AnswerFault, handled: () => Promise<Reply>) => {
		entry.fault = fault.kind;
		return await playFault(fault, c.env.outgoing, handled, stopping);
	};
	const asked = faults.take(endpoint.id);
	if (asked) store.changes.tell('faults');
	if (asked) return await play(asked, async () => await handle(async () => await readInput(c, endpoint)));
	const input = await readInput(c, endpoint);
	const magic = findMagicFault(input);
	return magic ? await play(magic, async () => await handle(() => input)) : await handle(() => input);
}
