import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod/v4';

const creation = z.strictObject({
	url: z.url(),
	types: z.array(z.string()).min(1),
	filter: z.record(z.string(), z.array(z.string())).optional(),
	reference: z.string(),
	label: z.string().max(100),
	batch: z.strictObject({ max: z.number(), wait_ms: z.number() }).nullable(),
	secret: z.string().regex(/^whsec_[A-Za-z0-9+/]{43}=$/),
});

/** A subscription of the stub. */
export type StubSubscription = z.infer<typeof creation> & { readonly id: string; state: string };

/** An event as the relay delivers it. */
export interface StubEvent {
	readonly id: string;
	readonly type: string;
	readonly timestamp: string;
	readonly sequence: number;
	readonly data: object;
}

/** Deviations from a correct delivery. */
export interface DeliveryOptions {
	/** Number of the replay. */
	readonly replay?: number;
	/** Age of the signature, in seconds. */
	readonly ageSeconds?: number;
	/** Headers that replace those of the delivery. Undefined removes one. */
	readonly headers?: Readonly<Record<string, string | undefined>>;
	/** Default: the URL of the subscription. */
	readonly url?: string;
	/** Disconnects before the response. */
	readonly signal?: AbortSignal;
}

/** A signed request. */
export interface SignedDelivery {
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

/** The relay's API for subscriptions, on a free port of this machine. It delivers what the test gives it. */
export interface StubRelay extends AsyncDisposable {
	readonly url: string;
	/** By reference. */
	readonly subscriptions: Map<string, StubSubscription>;
	/** Method and path of each call. */
	readonly calls: string[];
	/** The response to all further calls, instead of the API's own. Undefined: the API's own. */
	fault: { readonly status: number; readonly body: unknown } | undefined;
	/** Signs an event, or a batch. */
	sign(
		subscription: StubSubscription,
		events: StubEvent | readonly StubEvent[],
		options?: DeliveryOptions,
	): SignedDelivery;
	/** Signs and delivers an event, or a batch, once. */
	deliver(
		subscription: StubSubscription | undefined,
		events: StubEvent | readonly StubEvent[],
		options?: DeliveryOptions,
	): Promise<{ readonly status: number; readonly body: unknown }>;
}

/** Starts the stub. @param token the only one that it knows */
export async function stubRelay(token: string): Promise<StubRelay> {
	const subscriptions: StubRelay['subscriptions'] = new Map();
	const calls: string[] = [];
	const server = createServer((request, response) => void handle(request, response));

	async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
		calls.push(`${request.method} ${request.url}`);
		const { status, body } =
			stub.fault ??
			answer(request, Buffer.concat(chunks).toString(), { subscriptions, isKnown: isKnown(request, token) });
		if (body === undefined) response.writeHead(status).end();
		else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
	}

	await once(server.listen(0, '127.0.0.1'), 'listening');
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('no TCP port');
	const stub: StubRelay = {
		url: `http://127.0.0.1:${address.port}`,
		subscriptions,
		calls,
		fault: undefined,
		sign,
		deliver: async (subscription, events, options) => {
			if (!subscription) throw new Error('The trigger is not registered');
			return await deliver(subscription, events, options);
		},
		[Symbol.asyncDispose]: async () => {
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
	return stub;
}

function isKnown({ headers }: IncomingMessage, token: string): boolean {
	return headers.authorization === `Bearer ${token}`;
}

function answer(
	{ method = '', url = '' }: IncomingMessage,
	body: string,
	{ subscriptions, isKnown }: Pick<StubRelay, 'subscriptions'> & { readonly isKnown: boolean },
): { status: number; body?: unknown } {
	if (!isKnown) return problem(401, 'unauthorized', 'The token in the header Authorization is not known.');
	const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
	if (pathname === '/v1/me') {
		return { status: 200, body: { token: { id: 'tok_1', name: 'my n8n', kind: 'n8n' }, relay: { version: '1' } } };
	}
	if (pathname === '/v1/subscriptions' && method === 'GET') {
		const found = subscriptions.get(searchParams.get('reference') ?? '');
		return { status: 200, body: { data: found ? [described(found)] : [] } };
	}
	if (pathname === '/v1/subscriptions' && method === 'POST') {
		const parsed = creation.safeParse(JSON.parse(body));
		if (!parsed.success) return problem(422, 'invalid', z.prettifyError(parsed.error));
		const known = subscriptions.get(parsed.data.reference);
		const made = { id: known?.id ?? `sub_${randomUUID()}`, state: 'active', ...parsed.data };
		subscriptions.set(made.reference, made);
		return { status: known ? 200 : 201, body: { ...described(made), secret: made.secret } };
	}
	if (pathname.startsWith('/v1/subscriptions/') && method === 'DELETE') {
		for (const [reference, { id }] of subscriptions) if (pathname.endsWith(`/${id}`)) subscriptions.delete(reference);
		return { status: 204 };
	}
	return problem(404, 'not_found', 'There is no such address.');
}

/** A subscription as the API shows it: without the secret. */
function described({ id, url, types, filter = {}, reference, label, batch, state }: StubSubscription) {
	return { id, url, types, filter, reference, label, batch, state, kind: 'n8n', reason: null };
}

function problem(status: number, code: string, message: string) {
	return { status, body: { error: { code, message } } };
}

/** Signs a delivery per Standard Webhooks. */
function sign(
	{ secret }: StubSubscription,
	events: StubEvent | readonly StubEvent[],
	{ replay, ageSeconds = 0 }: DeliveryOptions = {},
): SignedDelivery {
	const body = JSON.stringify(events);
	const id = 'id' in events ? events.id : `bat_${events.map((event) => event.id).join('_')}`;
	const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
	const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
	const headers = {
		'content-type': 'application/json',
		'webhook-id': id,
		'webhook-timestamp': timestamp,
		'webhook-signature': `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
		...(replay !== undefined && { 'webhook-replay': String(replay) }),
	};
	return { headers, body };
}

async function deliver(
	subscription: StubSubscription,
	events: StubEvent | readonly StubEvent[],
	options: DeliveryOptions = {},
) {
	const { headers, body } = sign(subscription, events, options);
	const given = Object.entries({ ...headers, ...options.headers }).flatMap(([name, value]): Array<[string, string]> => {
		return value === undefined ? [] : [[name, value]];
	});
	const { url = subscription.url, signal } = options;
	const response = await fetch(url, { method: 'POST', headers: given, body, ...(signal && { signal }) });
	const received: unknown = await response.json();
	return { status: response.status, body: received };
}
