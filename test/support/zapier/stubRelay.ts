import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod/v4';

const TYPES = [
	'sms.inbound',
	'whatsapp.inbound',
	'message.status',
	'wallet.low_balance',
	'unrecognized',
	'relay.forward_failed',
] as const;
const list = z.string().transform((text) => text.split(','));

const filter = z.strictObject({
	statuses: z.array(z.string().min(1)).optional(),
	channels: z.array(z.string().min(1)).optional(),
	keywords: z.array(z.string().min(1)).optional(),
	from: z.array(z.string().min(1)).optional(),
	to: z.array(z.string().min(1)).optional(),
	opt_outs: z.enum(['include', 'exclude']).optional(),
});

/** Body of `POST /v1/subscriptions`, without what Zapier never uses. */
const newSubscription = z.strictObject({
	url: z.url(),
	types: z.array(z.enum(TYPES)).min(1),
	filter: filter.optional().default({}),
	label: z.string().min(1).max(100).optional(),
});

/** Query of `GET /v1/events`. */
const eventQuery = z.strictObject({
	type: list.pipe(z.array(z.enum(TYPES))).optional(),
	limit: z.coerce.number().int().min(1).max(100).optional().default(50),
	before: z.string().optional(),
	q: z.string().optional(),
	statuses: list.optional(),
	channels: list.optional(),
	from: list.optional(),
	keywords: list.optional(),
	to: list.optional(),
	opt_outs: z.enum(['include', 'exclude']).optional(),
});

/** The token as the relay shows it. */
const OWN = { id: 'tok_1', name: 'Zapier', kind: 'zapier' };

type Filter = z.output<typeof filter>;
type StoredSubscription = z.output<typeof newSubscription> & { readonly id: string; readonly secret: string };

/** An event of the relay's API. */
export interface StubEvent {
	readonly id: string;
	readonly type: string;
	readonly timestamp: string;
	readonly sequence: number;
	readonly data: Readonly<Record<string, unknown>>;
}

/** A request that the relay received. */
interface ReceivedCall {
	readonly call: string;
	readonly headers: IncomingMessage['headers'];
	readonly body: unknown;
}

/** A relay with the parts of its API that Zapier uses. */
export interface StubRelay extends AsyncDisposable {
	readonly url: string;
	/** Token of the kind `zapier`. */
	readonly token: string;
	readonly received: ReceivedCall[];
	readonly subscriptions: Map<string, StoredSubscription>;
	/** Stores an event, and sends it to its subscriptions. @returns the status of each delivery */
	readonly publish: (type: (typeof TYPES)[number], data: StubEvent['data'], id?: string) => Promise<number[]>;
	/** Sends a published event once more. @returns the status of each delivery */
	readonly repeat: (id: string) => Promise<number[]>;
}

class Failure extends Error {
	constructor(
		readonly status: number,
		readonly code: string,
		message: string,
	) {
		super(message);
	}
}

/**
 * Headers of a delivery, signed per Standard Webhooks.
 * @param at seconds since 1970
 */
export function signedHeaders(secret: string, id: string, content: string, at = Math.floor(Date.now() / 1000)) {
	const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
	const digest = createHmac('sha256', key).update(`${id}.${at}.${content}`).digest('base64');
	return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${digest}` };
}

/** Starts a relay on a free port of this machine. It rejects every request that its API does not describe. */
export async function stubRelay(): Promise<StubRelay> {
	const token = `rly_${randomBytes(12).toString('hex')}`;
	const received: ReceivedCall[] = [];
	const subscriptions = new Map<string, StoredSubscription>();
	const events: StubEvent[] = [];

	function subscribe(body: unknown): [number, unknown] {
		const wanted = newSubscription.parse(body);
		const identity = JSON.stringify([wanted.url, wanted.types, wanted.filter]);
		const same = [...subscriptions.values()].find(
			({ url, types, filter: own }) => JSON.stringify([url, types, own]) === identity,
		);
		if (same) return [200, same];
		const created = { id: `sub_${randomUUID()}`, secret: `whsec_${randomBytes(32).toString('base64')}`, ...wanted };
		subscriptions.set(created.id, created);
		return [201, { ...created, kind: 'zapier', state: 'active', token: OWN }];
	}

	function respond(request: IncomingMessage, body: string): [number, unknown] {
		const url = new URL(request.url ?? '/', 'http://relay');
		const call = `${request.method} ${url.pathname}`;
		received.push({
			call: `${call}${url.search}`,
			headers: request.headers,
			body: body === '' ? null : JSON.parse(body),
		});
		if (request.headers['x-api-key'] !== undefined)
			throw new Failure(422, 'invalid', 'The API key does not belong here');
		const given = request.headers.authorization?.replace(/^Bearer /, '');
		if (given !== token) throw new Failure(401, 'unauthorized', 'The token is not known');
		if (call === 'GET /v1/me') {
			return [200, { token: OWN, relay: { version: '0.1.0' }, service_url: null, last_event_at: null }];
		}
		if (call === 'GET /v1/events') {
			const { type, limit, ...query } = eventQuery.parse(Object.fromEntries(url.searchParams));
			const found = events.filter((event) => (!type || type.some((one) => one === event.type)) && passes(event, query));
			return [200, { data: found.slice(0, limit), has_more: found.length > limit }];
		}
		if (call === 'POST /v1/subscriptions') {
			if (request.headers['content-type'] !== 'application/json')
				throw new Failure(415, 'unsupported_media_type', 'JSON');
			return subscribe(JSON.parse(body));
		}
		const id = /^DELETE \/v1\/subscriptions\/(sub_[\w-]+)$/.exec(call)?.[1];
		if (id === undefined) throw new Failure(404, 'not_found', `${call} does not exist`);
		subscriptions.delete(id);
		return [204, undefined];
	}

	const server = createServer((request, response) => {
		let body = '';
		request.setEncoding('utf8').on('data', (part: string) => (body += part));
		request.on('end', () => {
			const [status, content] = withErrors(() => respond(request, body));
			response.writeHead(status, { 'Content-Type': 'application/json' });
			response.end(content === undefined ? '' : JSON.stringify(content));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;

	async function deliver(event: StubEvent): Promise<number[]> {
		const wanted = [...subscriptions.values()].filter(
			({ types, filter: own }) => types.some((type) => type === event.type) && passes(event, own),
		);
		const content = JSON.stringify(event);
		return await Promise.all(
			wanted.map(async ({ id, url, secret }) => {
				const headers = { 'Content-Type': 'application/json', ...signedHeaders(secret, event.id, content) };
				const { status } = await fetch(url, { method: 'POST', headers, body: content });
				if (status === 410) subscriptions.delete(id);
				return status;
			}),
		);
	}

	return {
		url: `http://127.0.0.1:${port}`,
		token,
		received,
		subscriptions,
		publish: async (type, data, id = `evt_${randomUUID()}`) => {
			const at = new Date(Date.UTC(2026, 10, 20, 9, 0, events.length)).toISOString();
			const event = { id, type, timestamp: at, sequence: events.length + 1, data: { event: type, ...data } };
			events.unshift(event);
			return await deliver(event);
		},
		repeat: async (id) => {
			const event = events.find((found) => found.id === id);
			if (!event) throw new Error(`No event ${id} was published`);
			return await deliver(event);
		},
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

function passes({ data }: StubEvent, { statuses, channels, keywords, to, opt_outs }: Filter): boolean {
	const isAmong = (value: unknown, wanted: readonly string[] | undefined) =>
		!wanted || wanted.some((one) => one.toLowerCase() === String(value).toLowerCase());
	const said = data.keyword ?? data.message;
	return (
		isAmong(data.status, statuses) &&
		isAmong(data.channel, channels) &&
		isAmong(data.to, to) &&
		isAmong(said, keywords) &&
		(opt_outs !== 'exclude' || data.keyword !== 'stop')
	);
}

function withErrors(work: () => [number, unknown]): [number, unknown] {
	try {
		return work();
	} catch (error) {
		if (error instanceof Failure) {
			return [error.status, { error: { code: error.code, message: error.message } }];
		}
		const message = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
		return [422, { error: { code: 'invalid', message } }];
	}
}
