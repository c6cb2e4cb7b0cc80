import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type { Endpoint } from '../shared/contract/endpoint';
import type { RecordedShapes } from '../shared/shapes/recordedShapes';
import type { ResponseFault, Faults } from './simulation/faults';
import { findMagicFault, wantsEarlyReceipt } from './simulation/magicFault';
import type { RateLimit } from './simulation/rateLimit';
import { handlers } from './handlers';
import type { Handler } from './handlers/handler';
import { toErrorInfo } from './errorInfo';
import { authenticate } from './http/authenticate';
import type { HonoEnv } from './http/env';
import type { HostCheck } from './http/guard';
import { readInput } from './http/input';
import { keptPart, type RequestLog, type RequestLogEntry } from './http/requestLog';
import { applyFault } from './http/applyFault';
import { HttpError } from './http/httpError';
import { failureReply, rejectionReply, type Reply, sendReply, successReply, toResponse } from './http/reply';
import type { ShapeRequest } from './http/shape';
import type { Services } from './services';

/** Services that the API needs in addition to those of its handlers. */
export interface ApiServices extends Services {
	readonly checkHost: HostCheck;
	readonly faults: Faults;
	readonly rateLimit: RateLimit;
	readonly requestLog: RequestLog;
	/** Resolves when nothing is due and no webhook is in flight. */
	readonly settle: () => Promise<void>;
	/** Shapes of responses that the doctor recorded; undefined without `--shapes`. */
	readonly recorded: RecordedShapes | undefined;
}

/** Path of the API. Every request below it gets the API's error bodies. */
const API_PATH = '/api/v1';

/**
 * Creates the service's API below `/api/v1` (docs/api.md). Each request is routed, authenticated, rate limited, parsed
 * by the contract and handled. The response is checked against the contract. Faults apply after authentication, so a
 * request without a valid key does not use one up.
 */
export function createApi(services: ApiServices): Hono<HonoEnv> {
	const api = new Hono<HonoEnv>();
	for (const handler of handlers) {
		api.on(handler.endpoint.method, API_PATH + routePath(handler.endpoint), (c) => serve(c, services, handler));
	}
	api.all(`${API_PATH}/*`, (c) => {
		const allow = handlers.map(({ endpoint }) => endpoint).filter((endpoint) => isAt(endpoint, c.req.path));
		const methods = allow.map(({ method }) => method);
		if (methods.length === 0) {
			const message = `The API has no ${c.req.method} ${c.req.path}, or the sandbox does not support it yet.`;
			return reject(c, services, new HttpError(404, 'not_found', message));
		}
		const message = `${c.req.path} accepts ${methods.join(' or ')}, not ${c.req.method}.`;
		return reject(c, services, new HttpError(405, 'method_not_allowed', message, { allow: methods.join(', ') }));
	});
	return api;
}

/** Converts an endpoint's path to Hono's syntax: `/sms/{id}` becomes `/sms/:id`. */
function routePath({ path }: Endpoint): string {
	return path.replace(/\{(\w+)\}/g, ':$1');
}

function isAt(endpoint: Endpoint, path: string): boolean {
	const pattern = routePath(endpoint).replace(/:\w+/g, '[^/]+');
	return new RegExp(`^${API_PATH}${pattern}$`).test(path);
}

function reject(c: Context<HonoEnv>, { requestLog, clock, store }: ApiServices, httpError: HttpError): Response {
	const request = { method: c.req.method, path: c.req.path, endpoint: null, at: clock.now() };
	const entry = requestLog.open(request, c.env.incoming);
	const reply = failureReply(httpError, store.settings.read().error_shape);
	entry.reason = httpError.message;
	complete(entry, reply);
	store.changes.emit('requests');
	return toResponse(reply);
}

function complete(entry: RequestLogEntry, reply: Reply | undefined): void {
	entry.duration = performance.now() - entry.startedAt;
	if (!reply) return;
	entry.status = reply.status;
	entry.responseHeaders = reply.headers;
	entry.responseBody = keptPart(reply.body);
}

/** A request to an endpoint, while it is handled. */
interface Call {
	readonly services: ApiServices;
	readonly handler: Handler;
	readonly entry: RequestLogEntry;
}

async function serve(c: Context<HonoEnv>, services: ApiServices, handler: Handler): Promise<Response> {
	const { requestLog, clock, store } = services;
	const { id, method } = handler.endpoint;
	const entry = requestLog.open({ method, path: c.req.path, endpoint: id, at: clock.now() }, c.env.incoming);
	let reply: Reply | undefined;
	try {
		admit(c, services, entry);
		reply = await respond(c, { services, handler, entry });
	} catch (error) {
		entry.reason = toErrorInfo(error).message;
		reply = admissionReply(handler.endpoint, error, services);
	}
	complete(entry, reply);
	store.changes.emit('requests');
	return reply ? sendReply(reply, c.env.outgoing) : RESPONSE_ALREADY_SENT;
}

/** Creates the response for a request that was not admitted, such as one with a wrong key. It always has its own status. */
function admissionReply(endpoint: Endpoint, error: unknown, { store, recorded }: ApiServices): Reply {
	const settings = { ...store.settings.read(), rejection_shape: 'status' } as const;
	return rejectionReply(endpoint, error, { settings, recorded });
}

function admit(c: Context<HonoEnv>, { checkHost, store, rateLimit }: ApiServices, entry: RequestLogEntry): void {
	const { headers } = c.env.incoming;
	checkHost(headers.host);
	entry.key = authenticate(headers, store.keys);
	const wait = rateLimit.take(entry.key.id);
	if (wait === undefined) return;
	throw new HttpError(429, 'rate_limited', `Too many requests. Try again in ${wait} s.`, {
		'retry-after': String(wait),
	});
}

async function respond(c: Context<HonoEnv>, call: Call): Promise<Reply | undefined> {
	const { services, handler, entry } = call;
	const { faults, store } = services;
	const fault = faults.take(handler.endpoint.id);
	if (fault) return await respondWithFault(fault, () => readInput(c, handler.endpoint, entry));
	const input = await readInput(c, handler.endpoint, entry);
	const magic = findMagicFault(input);
	const address = `http://${c.env.incoming.headers.host}${c.req.path}`;
	return magic ? await respondWithFault(magic, () => Promise.resolve(input)) : await handle({ input, address }, call);

	async function respondWithFault(
		fault: ResponseFault,
		read: () => ReturnType<typeof readInput>,
	): Promise<Reply | undefined> {
		entry.fault = fault.kind;
		// Its response may come late or never.
		store.changes.emit('faults', 'requests');
		const handled = async () => await handle({ input: await read(), address: '' }, call);
		return await applyFault(fault, c.env.outgoing, handled, services.stopping);
	}
}

/** Handles a request. The response is made once all its changes are committed. */
async function handle(request: ShapeRequest, { services, handler, entry }: Call): Promise<Reply> {
	const { store, recorded } = services;
	const { input } = request;
	return await store.group.together(async () => {
		try {
			const output = await handler.handle(input, services);
			if (wantsEarlyReceipt(input)) await services.settle();
			return successReply(handler.endpoint, output, { settings: store.settings.read(), recorded }, request);
		} catch (error) {
			entry.reason = toErrorInfo(error).message;
			return rejectionReply(handler.endpoint, error, { settings: store.settings.read(), recorded });
		}
	});
}
