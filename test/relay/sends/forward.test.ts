import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { sendListSchema, type Send } from '../../../relay/sends/schema';
import { closedPort } from '../../support/closedPort';
import { eventually } from '../../support/eventually';
import { useDatabase } from '../../support/relay/databases';
import type { Relay } from '../../support/relay/relay';
import { callThrough, gatewayEnv, sendThrough, sms } from '../../support/relay/gateway';
import { accept, startService, type ScriptedService } from './service';

const TIMEOUT_SECONDS = 3;

describe('a call through the relay', () => {
	const database = useDatabase('folder');
	let relay: Relay;
	let service: ScriptedService;

	beforeAll(async () => {
		service = await startService();
		const env = gatewayEnv(service.baseUrl, { RELAY_SERVICE_TIMEOUT_SECONDS: String(TIMEOUT_SECONDS) });
		relay = await database().start({ env });
	});
	beforeEach(() => {
		service.received.length = 0;
		service.respond = (response) => accept(response);
	});
	afterAll(async () => await service.close());

	it('reaches the service unchanged: method, path, query, body and the header of the key', async () => {
		const body = '{ "to":"+233201234567",\n "sender_id":"KOFISHOP", "message":"Zoë\\u0021", "n":12345678901234567890 }';
		const credentials: ReadonlyArray<Record<string, string>> = [
			{ 'x-api-key': 'sk_sandbox_1' },
			{ 'x-api-key': '', authorization: 'Bearer sk_sandbox_1' },
		];
		for (const headers of credentials) {
			await callThrough(relay, 'POST', '/sms/send?copy=a%20b&copy=%2F', body, { headers });
			const [request] = service.received.splice(0);
			expect(request).toMatchObject({ method: 'POST', url: '/api/v1/sms/send?copy=a%20b&copy=%2F', body });
			expect(request?.headers).toMatchObject({ ...headers, 'content-type': 'application/json' });
			expect(request?.headers.host).toBe(new URL(service.baseUrl).host);
		}
	});

	it('shows the service neither cookies of the relay nor the idempotency key', async () => {
		await sendThrough(relay, sms(), {
			key: 'hidden-1',
			headers: { cookie: 'session=1', 'x-forwarded-for': '10.0.0.1' },
		});
		const names = Object.keys(service.received[0]?.headers ?? {});
		expect(names).not.toEqual(expect.arrayContaining([expect.stringMatching(/cookie|idempotency|forwarded/)]));
	});

	it.each([
		[undefined, /^1\.1 relay-[\w-]{22}$/],
		['1.0 proxy.example (a, b), 1.1 cache', /^1\.0 proxy\.example \(a, b\), 1\.1 cache, 1\.1 relay-[\w-]{22}$/],
	])('shows the service its way in Via, after the Via of the caller: %s', async (via, expected) => {
		await sendThrough(relay, sms(), { headers: { ...(via !== undefined && { via }) } });
		expect(service.received[0]?.headers.via).toMatch(expected);
	});

	it('is unknown after a 508 that does not come from a relay', async () => {
		service.respond = (response) =>
			response.writeHead(508).end('{"error":{"code":"relay_loop","message":"RELAY_SERVICE_URL"}}');
		expect((await sendThrough(relay)).outcome).toBe('unknown');
	});

	it('gets the response of the service unchanged: status, bytes and headers that matter', async () => {
		const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]);
		const headers = {
			'content-type': 'application/json; charset=utf-8',
			'x-ratelimit-remaining': '7',
			link: '<x>; rel=next',
		};
		service.respond = (response) =>
			response.writeHead(418, { ...headers, 'retry-after': '9', 'set-cookie': 'a=1' }).end(bytes);
		const response = await fetch(`${relay.url}/api/v1/contacts`, { headers: { 'x-api-key': 'sk_sandbox_1' } });
		expect(response.status).toBe(418);
		expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
		expect(Object.fromEntries(response.headers)).toMatchObject({ ...headers, 'retry-after': '9' });
		expect(response.headers.get('set-cookie')).toBeNull();
		expect(response.headers.get('relay-version')).toMatch(/^\d+\.\d+\.\d+$/);
		expect(response.headers.get('relay-outcome')).toBe('rejected');
	});

	it.each([
		['GET', '/later/path?x=1', 'accepted'],
		['POST', '/later/path', 'accepted'],
		['DELETE', '/contacts/7', 'unknown'],
	])('reaches a path that the contract does not have: %s %s', async (method, path, outcome) => {
		service.respond = (response) => response.writeHead(200).end(method === 'DELETE' ? 'gone' : '{"success":true}');
		const response = await callThrough(relay, method, path);
		expect(service.received.map((one) => [one.method, one.url])).toEqual([[method, `/api/v1${path}`]]);
		expect([response.status, response.outcome]).toEqual([200, outcome]);
	});

	it.each([
		'/..%2f..%2fadmin',
		'/../admin',
		'/%2e%2e/admin',
		'/sms/%2E./%2e%2e/admin',
		'/..%5cadmin',
		'/../%761/balance',
	])('does not leave the API of the service: %s', async (path) => {
		// Unlike fetch, this sends the path as it is.
		const request = get(`${relay.url}/`, { path: `/api/v1${path}`, headers: { 'x-api-key': 'sk_sandbox_1' } });
		const [response] = (await once(request, 'response')) as [IncomingMessage];
		response.resume();
		expect(response.statusCode).toBe(404);
		expect(service.received).toHaveLength(0);
	});

	it('is rejected above 2 MB', async () => {
		const large = { ...sms(), more: 'x'.repeat(2 * 1024 * 1024) };
		expect((await sendThrough(relay, large)).status).toBe(413);
		expect((await sendThrough(relay, { ...sms(), more: 'x'.repeat(1_000_000) })).status).toBe(200);
	});

	it('without a key leaves once, and is unknown if the connection is cut', async () => {
		service.respond = (response) => response.destroy();
		const { status, code, outcome, text } = await sendThrough(relay);
		expect([status, code, outcome]).toEqual([502, 'outcome_unknown', 'unknown']);
		expect(text).toContain('message history of the dashboard');
		expect(service.received).toHaveLength(1);
	});

	it('that only reads says so if the connection is cut', async () => {
		service.respond = (response) => response.destroy();
		const { status, code } = await callThrough(relay, 'GET', '/balance');
		expect([status, code]).toEqual([502, 'service_unreachable']);
	});

	it('ends with 504 if the service is slower than the limit', async () => {
		service.respond = () => undefined;
		const [send, read] = await Promise.all([sendThrough(relay), callThrough(relay, 'GET', '/balance')]);
		expect([send.status, send.code, send.outcome]).toEqual([504, 'outcome_unknown', 'unknown']);
		expect([read.status, read.code, read.outcome]).toEqual([504, 'service_timeout', 'rejected']);
	});

	it('waits here after a 429, and all other calls wait with it', async () => {
		let rejections = 0;
		let firstAt = 0;
		service.respond = (response) => {
			if (rejections > 0) {
				accept(response);
				return;
			}
			rejections += 1;
			firstAt = performance.now();
			response.writeHead(429, { 'retry-after': '1' }).end('{"message":"Too many requests"}');
		};
		const first = sendThrough(relay, sms('First'), { key: 'paused-1' });
		await service.waitFor(1);
		const others = await Promise.all([sendThrough(relay, sms('Other')), callThrough(relay, 'GET', '/balance'), first]);
		expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
		expect(service.received).toHaveLength(4);
		expect(performance.now() - firstAt).toBeGreaterThan(900);
	});

	it('gets the 429 of the service if it lasts longer than the call may take, and its key is free', async () => {
		service.respond = (response) =>
			response.writeHead(429, { 'retry-after': '60' }).end('{"message":"Too many requests"}');
		// Sandbox keys are not paused with it, so the next tests do not wait.
		const live = { key: 'paused-2', apiKey: 'sk_live_1' };
		const { status, outcome, headers, text } = await sendThrough(relay, sms(), live);
		expect([status, outcome, headers.get('retry-after')]).toEqual([429, 'rejected', '60']);
		expect(text).toBe('{"message":"Too many requests"}');
		const other = await sendThrough(relay, sms('Other words'), live);
		expect([other.status, other.code, other.outcome]).toEqual([429, 'rate_limited', 'rejected']);
		expect(service.received).toHaveLength(1);
	});

	it('does not leave if its caller left while it waited', async () => {
		service.respond = (response) => response.writeHead(429, { 'retry-after': '2' }).end('{}');
		const caller = new AbortController();
		const left = sendThrough(relay, sms(), { key: 'left-1', signal: caller.signal });
		await service.waitFor(1);
		service.respond = (response) => accept(response);
		caller.abort();
		await expect(left).rejects.toThrow(/abort/);
		await eventually('no call to be in flight', async () =>
			(await firstInFlight(relay)) === undefined ? true : undefined,
		);
		// The key is free for another content.
		const other = await sendThrough(relay, sms('Other words'), { key: 'left-1' });
		expect([other.status, other.isReplay]).toEqual([200, false]);
		expect(service.received.map(({ body }) => (JSON.parse(body) as { message: string }).message)).toEqual([
			'We are open',
			'Other words',
		]);
	});
});

describe('a relay that is suspended', () => {
	const database = useDatabase('folder');
	it('does not send a call whose time is over when it continues', async () => {
		const service = await startService();
		const limits = { RELAY_SERVICE_TIMEOUT_SECONDS: String(TIMEOUT_SECONDS), RELAY_SERVICE_RATE: '1' };
		const relay = await database().startProcess({ env: gatewayEnv(service.baseUrl, limits) });
		await sendThrough(relay, sms('First'));
		const second = sendThrough(relay, sms('Second'));
		// It waits two seconds for its turn, with its key claimed.
		const sent = sendThrough(relay, sms('Suspended'), { key: 'suspended-1' });
		await eventually('the call to be in flight', async () => await firstInFlight(relay));
		process.kill(relay.pid, 'SIGSTOP');
		await new Promise((resolve) => setTimeout(resolve, (TIMEOUT_SECONDS + 1) * 1_000));
		process.kill(relay.pid, 'SIGCONT');
		const { code, outcome } = await sent;
		expect([code, outcome]).toEqual(['not_forwarded', 'rejected']);
		await second;
		expect(service.received.filter(({ body }) => body.includes('Suspended'))).toEqual([]);
		await relay.stop();
		await service.close();
	});
});

describe('a relay without the service', () => {
	const database = useDatabase('folder');
	it('says which setting is missing', async () => {
		const relay = await database().start();
		const { status, code, text } = await sendThrough(relay, sms(), { key: 'no-service' });
		expect([status, code]).toEqual([503, 'service_not_set']);
		expect(text).toContain('RELAY_SERVICE_URL');
		await relay.stop();
	});

	it('rejects calls while the service is away, and sends them later with the same key', async () => {
		const port = await closedPort();
		const relay = await database().start({ env: gatewayEnv(`http://127.0.0.1:${port}/api/v1/`) });
		for (const key of ['away-1', undefined]) {
			const { status, code, outcome, text } = await sendThrough(relay, sms(), key === undefined ? {} : { key });
			expect([status, code, outcome]).toEqual([502, 'service_unreachable', 'rejected']);
			expect(text).toContain('Nothing was sent or charged.');
		}
		const service = await startService(port);
		const later = await sendThrough(relay, sms('Other words'), { key: 'away-1' });
		expect([later.status, later.outcome, later.isReplay]).toEqual([200, 'accepted', false]);
		await service.close();
		await relay.stop();
	});
});

async function firstInFlight(relay: Relay): Promise<Send | undefined> {
	const listed = await relay.api('GET', '/v1/sends?state=in_flight');
	return sendListSchema.parse(await listed.json()).data[0];
}
