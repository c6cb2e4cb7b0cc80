import { z } from 'zod/v4';
import { ROUTES } from '../../relay/http/routes';
import { accept, eventWhere, readSubscription, subscribe } from '../support/relay/api';
import { useDatabase } from '../support/relay/databases';
import { startReceiver, type Receiver } from '../support/relay/receiver';
import { INGEST_SECRET, RELAY_TOKEN, type Relay } from '../support/relay/relay';
import { inbound, receipt } from '../support/relay/requests';

const KINDS = ['n8n', 'zapier', 'script', 'admin'] as const;

interface Target {
	/** A subscription of the token. */
	readonly own: string;
	/** A subscription of another token. */
	readonly other: string;
	/** An event that both got. */
	readonly event: string;
	readonly url: string;
}

interface Row {
	/** As `ROUTES` has it. */
	readonly route: string;
	readonly path: (target: Target) => string;
	readonly body?: (target: Target) => object;
	/** The status for a token of a client. */
	readonly client: number;
	readonly admin: number;
}

/** Each route of the API with each owner of its target. */
const ROWS: readonly Row[] = [
	{ route: 'get /v1/me', path: () => '/v1/me', client: 200, admin: 200 },
	{ route: 'get /v1/subscriptions', path: () => '/v1/subscriptions', client: 200, admin: 200 },
	{
		route: 'post /v1/subscriptions',
		path: () => '/v1/subscriptions',
		body: ({ url }) => ({ url: `${url}?new`, types: ['wallet.low_balance'] }),
		client: 201,
		admin: 201,
	},
	{ route: 'get /v1/subscriptions/{id}', path: ({ own }) => `/v1/subscriptions/${own}`, client: 200, admin: 200 },
	{ route: 'get /v1/subscriptions/{id}', path: ({ other }) => `/v1/subscriptions/${other}`, client: 404, admin: 200 },
	{ route: 'get /v1/subscriptions/{id}', path: () => '/v1/subscriptions/sub_none', client: 404, admin: 404 },
	...(['own', 'other'] as const).map((owner) => ({
		route: 'patch /v1/subscriptions/{id}',
		path: (target: Target) => `/v1/subscriptions/${target[owner]}`,
		body: () => ({ label: 'Changed' }),
		client: owner === 'own' ? 200 : 404,
		admin: 200,
	})),
	...(['own', 'other'] as const).map((owner) => ({
		route: 'post /v1/subscriptions/{id}/test',
		path: (target: Target) => `/v1/subscriptions/${target[owner]}/test`,
		client: owner === 'own' ? 202 : 404,
		admin: 202,
	})),
	{
		route: 'post /v1/subscriptions/{id}/replay-failed',
		path: ({ own }) => `/v1/subscriptions/${own}/replay-failed`,
		client: 403,
		admin: 202,
	},
	{ route: 'get /v1/events', path: () => '/v1/events', client: 200, admin: 200 },
	{ route: 'get /v1/events/{id}', path: ({ event }) => `/v1/events/${event}`, client: 200, admin: 200 },
	{ route: 'get /v1/events/{id}', path: () => '/v1/events/evt_none', client: 404, admin: 404 },
	{
		route: 'post /v1/events/{id}/replay',
		path: ({ event }) => `/v1/events/${event}/replay`,
		body: ({ own }) => ({ subscription: own }),
		client: 403,
		admin: 202,
	},
	// Both are delivered already, so only an admin may repeat them.
	...(['own', 'other'] as const).map((owner) => ({
		route: 'post /v1/deliveries/{id}/retry',
		path: (target: Target) => `/v1/deliveries/${target[owner]}:${target.event}/retry`,
		client: owner === 'own' ? 403 : 404,
		admin: 202,
	})),
	{ route: 'delete /v1/events', path: () => '/v1/events?number=%2B233200000000', client: 403, admin: 200 },
	{ route: 'get /v1/sends', path: () => '/v1/sends', client: 403, admin: 200 },
	{ route: 'get /v1/sends/{id}', path: () => '/v1/sends/snd_none', client: 403, admin: 404 },
	{
		route: 'post /v1/sends/{id}/settle',
		path: () => '/v1/sends/snd_none/settle',
		body: () => ({ outcome: 'arrived' }),
		client: 403,
		admin: 404,
	},
	{ route: 'get /v1/status', path: () => '/v1/status', client: 403, admin: 200 },
	{ route: 'get /v1/stream', path: () => '/v1/stream', client: 403, admin: 200 },
	{ route: 'get /v1/tokens', path: () => '/v1/tokens', client: 403, admin: 200 },
	{
		route: 'post /v1/tokens',
		path: () => '/v1/tokens',
		body: () => ({ name: 'Script of Ama', kind: 'script' }),
		client: 403,
		admin: 201,
	},
	{ route: 'delete /v1/tokens/{id}', path: () => '/v1/tokens/tok_none', client: 403, admin: 404 },
	{ route: 'get /metrics', path: () => '/metrics', client: 200, admin: 200 },
	// Last, because they end the subscriptions. A client learns nothing about a subscription of another token.
	{
		route: 'delete /v1/subscriptions/{id}',
		path: ({ other }) => `/v1/subscriptions/${other}`,
		client: 204,
		admin: 204,
	},
	{ route: 'delete /v1/subscriptions/{id}', path: ({ own }) => `/v1/subscriptions/${own}`, client: 204, admin: 204 },
];

const newToken = z.object({ id: z.string(), token: z.string() });

describe('access to the relay', () => {
	const database = useDatabase('folder');
	let relay: Relay;
	let receiver: Receiver;

	beforeAll(async () => {
		relay = await database().start();
		receiver = await startReceiver();
	});
	afterAll(async () => await receiver.close());

	const createToken = async (kind: string) =>
		newToken.parse(await (await relay.api('POST', '/v1/tokens', { name: `${kind} of Kofi`, kind })).json());

	async function call(row: Row, target: Target, token: string | undefined) {
		const body = row.body?.(target);
		const end = new AbortController();
		const response = await fetch(`${relay.url}${row.path(target)}`, {
			method: row.route.split(' ')[0]?.toUpperCase() ?? '',
			headers: {
				...(token !== undefined && { authorization: `Bearer ${token}` }),
				...(body && { 'content-type': 'application/json' }),
			},
			...(body && { body: JSON.stringify(body) }),
			signal: end.signal,
		});
		// A stream does not end by itself.
		const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
		const text = isJson ? await response.text() : '';
		end.abort();
		return { status: response.status, text };
	}

	it('the table has every route that needs a token', () => {
		const needed = ROUTES.filter(({ access }) => access !== 'public').map(({ method, path }) => `${method} ${path}`);
		expect([...new Set(ROWS.map(({ route }) => route))].sort()).toEqual(needed.sort());
	});

	it.each(KINDS)('a token of the kind %s may call each route as the table says', async (kind) => {
		const { token } = await createToken(kind);
		const { token: foreign } = await createToken('script');
		const [own, other] = await Promise.all([
			subscribe(relay, { url: `${receiver.url}?own-${kind}`, types: ['message.status'] }, token),
			subscribe(relay, { url: `${receiver.url}?other-${kind}`, types: ['message.status'] }, foreign),
		]);
		const { id: event } = await accept(relay, receipt(`access-${kind}`, 'sent'));
		const target = { own: own.id, other: other.id, event: event ?? '', url: receiver.url };
		await eventWhere(relay, target.event, ({ deliveries }) =>
			[own, other].every(({ id }) => deliveries.some((one) => one.subscription.id === id && one.state === 'delivered')),
		);
		for (const row of ROWS) {
			const { status, text } = await call(row, target, token);
			expect([row.path(target), status]).toEqual([row.path(target), kind === 'admin' ? row.admin : row.client]);
			const route = ROUTES.find(({ method, path }) => `${method} ${path}` === row.route);
			expect([status, ...(route?.errors ?? []), 401, 403, 503]).toContain(status);
			const described = route?.responses[status];
			if (described?.schema && text !== '') expect(described.schema.safeParse(JSON.parse(text)).error).toBeUndefined();
			// The subscription of another token shows nowhere, not even its address or its ID.
			if (kind !== 'admin') expect(text).not.toMatch(new RegExp(`${other.id}|other-`));
		}
		// Only the admin has deleted the other one.
		expect((await readSubscription(relay, other.id)) === undefined).toBe(kind === 'admin');
	});

	it.each([
		['no token', undefined],
		['a wrong token', 'rly_wrong_token_0000000000000000000'],
		['the ingest secret', INGEST_SECRET],
		['the admin token in capitals', RELAY_TOKEN.toUpperCase()],
		['the beginning of the admin token', RELAY_TOKEN.slice(0, -1)],
	])('%s gets 401 on every route', async (_name, token) => {
		const target = { own: 'sub_none', other: 'sub_none', event: 'evt_none', url: receiver.url };
		for (const row of ROWS) {
			const { status, text } = await call(row, target, token);
			expect([row.route, status]).toEqual([row.route, 401]);
			if (token !== undefined) expect(text).not.toContain(token);
			// n8n gives up on an error that has this word.
			expect(text.toLowerCase()).not.toContain('authorization');
		}
	});

	it('a revoked token gets 401, and its subscriptions get no more events', async () => {
		const { id, token } = await createToken('n8n');
		const { id: own } = await subscribe(relay, { url: `${receiver.url}?revoked`, types: ['message.status'] }, token);
		expect((await relay.api('DELETE', `/v1/tokens/${id}`)).status).toBe(204);
		for (const row of ROWS) {
			const { status } = await call(row, { own, other: own, event: 'evt_none', url: receiver.url }, token);
			expect([row.route, status]).toEqual([row.route, 401]);
		}
		expect(await readSubscription(relay, own)).toBeUndefined();
		const { id: event } = await accept(relay, receipt('after-revocation', 'sent'));
		const { deliveries } = await eventWhere(relay, event ?? '', () => true);
		expect(deliveries.map(({ subscription }) => subscription.id)).not.toContain(own);
	});
});

describe('two admins of a relay', () => {
	const database = useDatabase('folder');
	it('cannot revoke each other at once, so one of them can still log in', async () => {
		const relay = await database().start();
		const admin = z.object({ id: z.string(), token: z.string() });
		const list = z.object({ data: z.array(z.object({ id: z.string() })) });
		const [first] = list.parse(await (await relay.api('GET', '/v1/tokens')).json()).data;
		const second = admin.parse(await (await relay.api('POST', '/v1/tokens', { name: 'Second', kind: 'admin' })).json());
		const responses = await Promise.all([
			relay.api('DELETE', `/v1/tokens/${second.id}`, undefined, RELAY_TOKEN),
			relay.api('DELETE', `/v1/tokens/${first?.id}`, undefined, second.token),
		]);
		expect(responses.filter(({ status }) => status === 204)).toHaveLength(1);
		const logins = await Promise.all(
			[RELAY_TOKEN, second.token].map(async (token) => await relay.api('GET', '/v1/status', undefined, token)),
		);
		expect(logins.map(({ status }) => status).sort()).toEqual([200, 401]);
	});
});

describe('forged and replayed requests', () => {
	const database = useDatabase('folder');
	let relay: Relay;
	let receiver: Receiver;

	beforeAll(async () => {
		relay = await database().start();
		receiver = await startReceiver();
		await subscribe(relay, { url: receiver.url });
	});
	afterAll(async () => await receiver.close());

	it.each([
		['no secret', 'POST', '', 404],
		['another secret', 'POST', '/ingest-secret-for-tests-only-0002', 404],
		['the beginning of the secret', 'POST', `/${INGEST_SECRET.slice(0, -1)}`, 404],
		['a longer secret', 'POST', `/${INGEST_SECRET}0`, 404],
		['capitals', 'POST', `/${INGEST_SECRET.toUpperCase()}`, 404],
		['the admin token', 'POST', `/${RELAY_TOKEN}`, 404],
		['a path below', 'POST', `/${INGEST_SECRET}/sms/more`, 404],
		['an unknown channel', 'POST', `/${INGEST_SECRET}/fax`, 404],
		['NUL behind the secret', 'POST', `/${INGEST_SECRET}%00`, 404],
		['GET with another secret', 'GET', '/ingest-secret-for-tests-only-0002', 404],
		['GET without fields', 'GET', `/${INGEST_SECRET}`, 200],
		['PUT', 'PUT', `/${INGEST_SECRET}`, 405],
	])(
		'%s (%s) at the ingest URL stores nothing, and the response does not have the secret',
		async (_name, method, path, status) => {
			const body = method === 'GET' ? {} : { body: JSON.stringify(receipt('forged', 'delivered')) };
			const response = await fetch(`${relay.url}/in${path}`, {
				method,
				headers: { 'content-type': 'application/json', authorization: `Bearer ${RELAY_TOKEN}` },
				...body,
			});
			expect(response.status).toBe(status);
			expect(await response.text()).not.toMatch(/ingest-secret|rly_admin/i);
			const events: unknown = await (await relay.api('GET', '/v1/events?q=forged')).json();
			expect(events).toEqual({ data: [], has_more: false });
		},
	);

	it('a replayed request is a duplicate and reaches no subscriber again', async () => {
		const bodies = [
			receipt('replayed', 'delivered'),
			inbound({ message: 'Replayed', message_id: 'in-1' }),
			{ color: 'blue' },
		];
		for (const body of bodies) {
			const first = await accept(relay, body, { path: '/sms' });
			expect(first.duplicate).toBe(false);
			const again = await Promise.all(
				Array.from({ length: 10 }, async () => await accept(relay, body, { path: '/sms' })),
			);
			expect(again.map(({ duplicate }) => duplicate)).toEqual(again.map(() => true));
		}
		// Deliveries of one message keep their order, so a second one would arrive before this.
		await accept(relay, receipt('replayed', 'read'));
		const events = await receiver.waitFor(3);
		expect(events.map(({ data }) => data.status ?? data.message).sort()).toEqual(['Replayed', 'delivered', 'read']);
	});
});

describe('the size of a body', () => {
	const database = useDatabase('folder');
	let relay: Relay;

	beforeAll(async () => {
		relay = await database().start();
	});

	/** Sends a body without Content-Length, in pieces. */
	async function sendChunked(path: string, body: string): Promise<number> {
		const pieces = body.match(/[^]{1,50000}/g) ?? [];
		const stream = new ReadableStream<Uint8Array>({
			pull(controller) {
				const piece = pieces.shift();
				if (piece === undefined) controller.close();
				else controller.enqueue(Buffer.from(piece));
			},
		});
		const init: RequestInit & { duplex: 'half' } = {
			method: 'POST',
			headers: { 'content-type': 'application/json', authorization: `Bearer ${RELAY_TOKEN}` },
			body: stream,
			duplex: 'half',
		};
		return (await fetch(`${relay.url}${path}`, init)).status;
	}

	it.each([
		['the ingest URL', `/in/${INGEST_SECRET}`, receipt('chunked', 'sent'), 200],
		['the API', '/v1/tokens', { name: 'Script of Ama', kind: 'script' }, 201],
	])('is limited on %s, with and without Content-Length', async (_name, path, body, accepted) => {
		const small = JSON.stringify(body);
		expect(await sendChunked(path, small)).toBe(accepted);
		for (const size of [256 * 1024 + 1, 1_000_000]) {
			const large = small + ' '.repeat(size - small.length);
			const known = await relay.api('POST', path, { ...body, more: large });
			expect([size, known.status, await sendChunked(path, large)]).toEqual([size, 413, 413]);
		}
	});
});
