import { closedPort } from '../support/closedPort';
import { eventually } from '../support/eventually';
import { fakeTimeouts } from '../support/fakeTimeouts';
import { NOTHING_SENT } from '../support/promises';
import { stubServer, type StubResponse } from '../support/stubServer';
import { untrustedServer } from '../support/untrustedServer';
import { useSandbox } from '../support/useSandbox';
import { useRelay } from '../support/zapier/useRelay';
import { driveApp, handler, methods, type Account } from '../support/zapier/zapierTestApp';

const { sandbox, control } = useSandbox();
const used = useRelay(() => ({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey }));

const test = async (more: Account) => await driveApp({ ...used.account(), ...more }).run(methods.test);
const failure = async (more: Account) => await driveApp({ ...used.account(), ...more }).failure(methods.test);
const callsOf = () => used.relay.received.map(({ call }) => call);

describe('connection with a relay', () => {
	it('asks the relay who the token is, after the service', async () => {
		expect(await test({})).toEqual(await test({ relay_url: '', relay_token: '' }));
		expect(callsOf()).toEqual(['GET /v1/me']);
		await failure({ api_key: 'sk_sandbox_other' });
		expect(callsOf()).toHaveLength(1);
	});

	it.each(['/', '/v1', '/v1/', '/v1/subscriptions', '/api/v1/', '/api/v1/sms/send', ' '])(
		'accepts “%s” behind the address',
		async (end) => {
			await test({ relay_url: ` ${used.relay.url}${end}`, relay_token: ` ${used.relay.token}\n` });
			expect(callsOf()).toEqual(['GET /v1/me']);
		},
	);

	it('keeps a path before /v1', async () => {
		await using server = await stubServer({ status: 404 });
		await failure({ relay_url: `${new URL(server.baseUrl).origin}/relay/` });
		expect(server.received.map(({ url }) => url)).toEqual(['/relay/v1/me']);
	});

	it.each<[string, Account, string]>([
		['no URL', { relay_url: '' }, 'Relay URL is missing'],
		['only spaces as URL', { relay_url: ' ' }, 'Relay URL is missing'],
		['no token', { relay_token: '' }, 'Relay Token is missing'],
		['a token with a line break', { relay_token: 'rly_a\nb' }, 'Relay Token contains'],
		['text that is not a URL', { relay_url: 'relay' }, 'Relay URL must look like https://'],
		['another protocol', { relay_url: 'ftp://relay.example' }, 'Relay URL must begin with https://'],
		['a user name', { relay_url: 'https://ama@relay.example' }, 'Relay URL must not contain a user name'],
		['a query', { relay_url: 'https://relay.example?token=1' }, 'Relay URL must not contain ?'],
		['the address for events', { relay_url: 'https://relay.example/in/abc' }, 'Relay URL is the address for events'],
		['plain http to a name', { relay_url: 'http://relay.example' }, 'Relay URL is plain http'],
		['plain http to a public address', { relay_url: 'http://203.0.113.7:4020' }, 'Relay URL is plain http'],
		['plain http to a public IPv6 address', { relay_url: 'http://[2001:db8::1]' }, 'Relay URL is plain http'],
		[
			'plain http to a name like an address',
			{ relay_url: 'http://127.0.0.1.relay.example' },
			'Relay URL is plain http',
		],
	])('names the wrong field without a request to the relay: %s', async (_, more, problem) => {
		const failed = await failure(more);
		expect(failed).toMatchObject({ name: 'AppError', code: 'InvalidConnection', status: 400 });
		expect(failed.message.startsWith(problem)).toBe(true);
		expect(failed.message).not.toContain(NOTHING_SENT);
		expect(used.relay.received).toEqual([]);
	});

	it.each([
		'http://localhost',
		'http://127.8.0.1',
		'http://[::1]',
		'http://10.0.0.1',
		'http://172.31.0.1',
		'http://192.168.0.1',
		'http://[fd00::1]',
		'http://[fe80::1]',
	])('lets plain http go to this machine or network: %s', async (relay_url) => {
		// The token is wrong too, so that no request leaves.
		const failed = await failure({ relay_url, relay_token: 'rly a' });
		expect(failed.message).toMatch(/^Relay Token /);
	});

	it.each<[string, StubResponse, string, object]>([
		['a website', { status: 200, body: '<h1>Hi</h1>' }, 'Relay URL responds, but not like a relay', { status: 200 }],
		['other JSON', { status: 200, body: '{"ok": true}' }, 'Relay URL responds, but not like a relay', { status: 200 }],
		['a missing page', { status: 404, body: 'Not found' }, 'Relay URL responds, but not like a relay', { status: 404 }],
		[
			'a redirect',
			{ status: 308, headers: { Location: 'https://www.relay.example/v1/me' } },
			'Relay URL redirects to https://www.relay.example: ',
			{ status: 308 },
		],
		['a redirect to nowhere', { status: 302 }, 'Relay URL redirects to another address: ', { status: 302 }],
		['a relay that starts', { status: 503, body: '' }, 'The relay is not available', { status: 503 }],
		['a rate limit', { status: 429, headers: { 'Retry-After': '9' } }, 'The relay is not available', { status: 429 }],
		['a cut connection', 'reset after reading', 'Relay URL could not be reached: ', { code: 'ECONNRESET' }],
	])('reports the response of the relay: %s', async (_, response, problem, facts) => {
		await using server = await stubServer(response);
		const failed = await failure({ relay_url: new URL(server.baseUrl).origin });
		expect(failed).toMatchObject({ name: 'AppError', ...facts });
		expect(failed.message.startsWith(problem)).toBe(true);
		expect(server.received).toHaveLength(1);
	});

	it('reports a relay that is off, and one without a trusted certificate', async () => {
		const off = await failure({ relay_url: `http://127.0.0.1:${await closedPort()}` });
		expect(off).toMatchObject({ name: 'AppError', code: 'ECONNREFUSED' });
		await using untrusted = await untrustedServer();
		const insecure = await failure({ relay_url: new URL(untrusted.baseUrl).origin });
		expect(insecure.message).toMatch(/^Relay URL could not be reached: its certificate is not trusted/);
	});

	it('reports a relay that does not respond, within the time of a step', async () => {
		await using silent = await stubServer('hang');
		fakeTimeouts();
		try {
			const failing = failure({ relay_url: new URL(silent.baseUrl).origin });
			await eventually('request', () => silent.received[0], 10_000);
			jest.advanceTimersByTime(25_000);
			expect(await failing).toMatchObject({
				name: 'AppError',
				code: 'TIMEOUT',
				message: expect.stringMatching(/^Relay URL could not be reached: it took longer than 2\d/) as string,
			});
		} finally {
			jest.useRealTimers();
		}
	});

	it('does not follow a redirect with the token', async () => {
		await using elsewhere = await stubServer({ status: 200, body: '{}' });
		await using moved = await stubServer({ status: 307, headers: { Location: elsewhere.baseUrl } });
		await failure({ relay_url: new URL(moved.baseUrl).origin });
		expect([moved.received.length, elsewhere.received.length]).toEqual([1, 0]);
	});

	it.each(['n8n', 'script', 'admin'])('rejects a Relay Token of another kind: %s', async (kind) => {
		const body = JSON.stringify({ token: { id: 'tok_1', name: 'Kofi', kind }, relay: { version: '1.0.0' } });
		await using relay = await stubServer({ status: 200, body });
		const failed = await failure({ relay_url: new URL(relay.baseUrl).origin });
		expect(failed).toMatchObject({ name: 'AppError', code: 'InvalidConnection', status: 400 });
		expect(failed.message).toBe(
			'Relay Token is not for Zapier: create one of the kind Zapier on the page of the relay',
		);
	});

	it('names the Relay Token if the relay does not know it', async () => {
		const failed = await failure({ relay_token: 'rly_other' });
		expect(failed).toMatchObject({ name: 'AppError', code: 'unauthorized', status: 401 });
		expect(failed.message).toMatch(/^Relay Token is not known to the relay/);
	});
});

describe('steps without a use for the relay', () => {
	const broken: Account[] = [
		{ relay_url: '', relay_token: '' },
		{ relay_url: 'nonsense', relay_token: '' },
		{ relay_url: '', relay_token: 'rly_1' },
		{ relay_url: 'http://127.0.0.1:1', relay_token: 'rly_1' },
	];

	it.each([...broken, {}])('send, search and poll the same with %j', async (more) => {
		const app = (account: Account) => driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey, ...account });
		const steps = [
			['sendSms', { to: '+233201234567', sender_id: 'KOFISHOP', message: 'Hi' }],
			['findWalletBalance', { threshold: 10 }],
			['newWalletTransaction', {}],
			['senderIds', {}],
		] as const;
		const results = async (account: Account) => {
			await control.reset();
			const found = [];
			for (const [method, inputs] of steps) found.push(await app(account).run(methods[method], inputs));
			return {
				found: withoutIds(found),
				requests: (await control.requests()).map(({ endpoint, status }) => [endpoint, status]),
			};
		};
		const account = 'relay_url' in more ? more : { relay_url: used.relay.url, relay_token: used.relay.token };
		const usual = await results({});
		expect(usual.requests.length).toBeGreaterThanOrEqual(steps.length);
		expect(await results(account)).toEqual(usual);
		expect(used.relay.received).toEqual([]);
	});

	it('leave the auth template of Zapier as it was', async () => {
		const template = await handler({ command: 'getAuthTemplate', bundle: {} });
		expect(template.results).toMatchObject({ template: { headers: { 'X-API-Key': '{{bundle.authData.api_key}}' } } });
		expect(JSON.stringify(template)).not.toContain('relay');
	});

	it('render no authentication for a request of Zapier to the relay', async () => {
		const url = `${used.relay.url}/v1/me`;
		const bundle = { authData: used.account(), targetRequest: { url, method: 'GET', headers: {} } };
		const rendered = JSON.stringify(await handler({ command: 'renderAuthTemplate', bundle }));
		for (const secret of [used.relay.token, sandbox.apiKey]) expect(rendered).not.toContain(secret);
		await handler({ command: 'request', bundle: { ...bundle, request: { url, skipThrowForStatus: true } } });
		const [{ headers } = { headers: {} }] = used.relay.received;
		for (const secret of [used.relay.token, sandbox.apiKey]) expect(JSON.stringify(headers)).not.toContain(secret);
	});
});

/** Replaces the parts of results that differ between two runs. */
function withoutIds(found: unknown): unknown {
	return JSON.parse(JSON.stringify(found).replace(/"(message_id|id|transaction_id)":"?[\w-]+"?/g, '"$1":0'));
}
