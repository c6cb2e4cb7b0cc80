import { contract, createClient, type Outcome, type Transport } from '../../shared';
import { undiciTransport } from '../../shared/transports/undici';
import { closedPort } from '../support/closedPort';
import { stubServer, type StubResponse } from '../support/stubServer';

const accepted = contract.sms.send.example.output;
const ok = (body: unknown): StubResponse => ({ status: 200, body: JSON.stringify(body) });
const rejecting = (status: number, headers: Record<string, string> = {}): StubResponse => ({
	status,
	headers,
	body: JSON.stringify({ success: false, code: 'some_code', message: 'The words of the service' }),
});
const retry = { attempts: 3, baseMs: 1, longestWaitMs: 2_000, budgetMs: 10_000 };

const clientOf = (baseUrl: string, timeoutMs = 5_000) =>
	createClient({ baseUrl, apiKey: 'sk_test_1234567890', transport: undiciTransport(), timeoutMs, retry });

const send = async (baseUrl: string, timeoutMs?: number): Promise<Outcome<unknown>> =>
	await clientOf(baseUrl, timeoutMs).call(contract.sms.send, contract.sms.send.example.input);

const getBalance = async (baseUrl: string, timeoutMs?: number): Promise<Outcome<unknown>> =>
	await clientOf(baseUrl, timeoutMs).call(contract.wallet.getBalance, {});

type Reported = { outcome: string; error?: string; sent?: string; message?: string };

const reported = (outcome: Outcome<unknown>): Reported =>
	outcome.outcome === 'accepted'
		? { outcome: outcome.outcome }
		: { outcome: outcome.outcome, error: outcome.error.name, sent: outcome.error.sent };

describe('a call that may cost money', () => {
	const rejected = (error: string) => ({ outcome: 'rejected', error, sent: 'no' });
	const unknown = (error: string, sent = 'unknown') => ({ outcome: 'unknown', error, sent });
	const cases: Array<[name: string, script: StubResponse[], expected: Reported, requests: number]> = [
		['200', [ok(accepted)], { outcome: 'accepted' }, 1],
		['429, then 200', [rejecting(429), ok(accepted)], { outcome: 'accepted' }, 2],
		[
			'429 with Retry-After, then 200',
			[rejecting(429, { 'Retry-After': '1' }), ok(accepted)],
			{ outcome: 'accepted' },
			2,
		],
		['endless 429', [rejecting(429)], rejected('RateLimitError'), 3],
		['429 with a longer wait than allowed', [rejecting(429, { 'Retry-After': '3600' })], rejected('RateLimitError'), 1],
		['401', [rejecting(401)], rejected('AuthError'), 1],
		['403', [rejecting(403)], rejected('AuthError'), 1],
		['404', [rejecting(404)], rejected('ApiError'), 1],
		['422', [rejecting(422)], rejected('ApiError'), 1],
		['500', [rejecting(500), ok(accepted)], unknown('UnknownOutcomeError'), 1],
		['503', [rejecting(503), ok(accepted)], unknown('UnknownOutcomeError'), 1],
		['408', [rejecting(408), ok(accepted)], unknown('UnknownOutcomeError'), 1],
		['429, then 500', [rejecting(429), rejecting(500), ok(accepted)], unknown('UnknownOutcomeError'), 2],
		['a reset after reading', ['reset after reading', ok(accepted)], unknown('UnknownOutcomeError'), 1],
		['a reset before reading', ['reset before reading', ok(accepted)], unknown('UnknownOutcomeError'), 0],
		['a close after reading', ['close after reading', ok(accepted)], unknown('UnknownOutcomeError'), 1],
		['a truncated response', ['truncate', ok(accepted)], unknown('ContractError'), 1],
		['HTML with 200', [{ status: 200, body: '<h1>Welcome</h1>' }, ok(accepted)], unknown('ContractError'), 1],
		['an empty 200', [{ status: 200 }, ok(accepted)], unknown('ContractError'), 1],
		['200 without an id', [ok({ status: 'submitted' }), ok(accepted)], unknown('ContractError'), 1],
		['success without an id', [ok({ success: true }), ok(accepted)], unknown('ContractError', 'yes'), 1],
		['200 with success false', [ok({ success: false, message: 'no' }), ok(accepted)], rejected('ApiError'), 1],
		['a redirect', [{ status: 302, headers: { Location: '/elsewhere' } }, ok(accepted)], rejected('ApiError'), 1],
		['a permanent redirect', [{ status: 308, headers: { Location: '/x' } }, ok(accepted)], rejected('ApiError'), 1],
	];

	it.each(cases)(
		'gives the right outcome and number of requests for a paid call after %s',
		async (_, script, expected, requests) => {
			await using server = await stubServer(...script);
			expect(reported(await send(server.baseUrl))).toEqual(expected);
			expect(server.received).toHaveLength(requests);
		},
	);

	it('reports unknown for a response that never ends, and does not resend', async () => {
		await using server = await stubServer('trickle', ok(accepted));
		expect(reported(await send(server.baseUrl, 200))).toEqual(unknown('ContractError'));
		expect(server.received).toHaveLength(1);
	});

	it('reports unknown after a timeout, and does not resend', async () => {
		await using server = await stubServer('hang', ok(accepted));
		expect(reported(await send(server.baseUrl, 100))).toEqual(unknown('UnknownOutcomeError'));
		expect(server.received).toHaveLength(1);
	});

	it('reports a refused connection as certainly not sent', async () => {
		const outcome = await send(`http://127.0.0.1:${await closedPort()}`);
		expect(reported(outcome)).toEqual(rejected('ConnectionError'));
	});

	it('reports an unknown host as certainly not sent', async () => {
		const outcome = await send('https://no-such-host.invalid');
		expect(reported(outcome)).toEqual(rejected('ConnectionError'));
	});

	it('keeps the rejection of a response with a truncated body', async () => {
		await using server = await stubServer({ status: 422, headers: { 'Content-Length': '999' }, body: '{"mess' });
		expect(reported(await send(server.baseUrl, 300))).toEqual(rejected('ApiError'));
	});

	it('ends a wait when the call is canceled, and sends nothing', async () => {
		await using server = await stubServer(rejecting(429, { 'Retry-After': '2' }), ok(accepted));
		const controller = new AbortController();
		const real = undiciTransport();
		const transport: Transport = {
			send: (request) => real.send(request),
			sleep: async (milliseconds, signal) => {
				setImmediate(() => controller.abort());
				await real.sleep(milliseconds, signal);
			},
		};
		const client = createClient({ baseUrl: server.baseUrl, apiKey: 'sk_test_1', transport, retry });
		const { input } = contract.sms.send.example;
		const outcome = await client.call(contract.sms.send, input, { signal: controller.signal });
		expect(reported(outcome)).toEqual(rejected('CanceledError'));
		expect(server.received).toHaveLength(1);
	});

	it('reports unknown if the call is canceled in flight', async () => {
		await using server = await stubServer('hang');
		const controller = new AbortController();
		const calling = clientOf(server.baseUrl).call(contract.sms.send, contract.sms.send.example.input, {
			signal: controller.signal,
		});
		while (server.received.length === 0) await new Promise((resolve) => setImmediate(resolve));
		controller.abort();
		expect(reported(await calling)).toEqual(unknown('UnknownOutcomeError'));
	});
});

describe('a read-only call', () => {
	const balance = ok({ balance: 40, currency: 'GHS' });
	const cases: Array<[name: string, script: StubResponse[], expected: Reported, requests: number]> = [
		['200', [balance], { outcome: 'accepted' }, 1],
		['500, then 200', [rejecting(500), balance], { outcome: 'accepted' }, 2],
		['429, then 200', [rejecting(429), balance], { outcome: 'accepted' }, 2],
		['a reset, then 200', ['reset after reading', balance], { outcome: 'accepted' }, 2],
		['a truncated response, then 200', ['truncate', balance], { outcome: 'accepted' }, 2],
		['endless 500', [rejecting(500)], { outcome: 'rejected', error: 'ApiError', sent: 'no' }, 3],
		['401', [rejecting(401)], { outcome: 'rejected', error: 'AuthError', sent: 'no' }, 1],
		['endless HTML', [{ status: 200, body: '<p>' }], { outcome: 'rejected', error: 'ContractError', sent: 'no' }, 3],
	];

	it.each(cases)(
		'gives the right outcome and number of requests for a read-only call after %s',
		async (_, script, expected, requests) => {
			await using server = await stubServer(...script);
			expect(reported(await getBalance(server.baseUrl))).toEqual(expected);
			expect(server.received).toHaveLength(requests);
		},
	);

	it('retries a read-only call after a timeout', async () => {
		await using server = await stubServer('hang', balance);
		expect(reported(await getBalance(server.baseUrl, 100))).toEqual({ outcome: 'accepted' });
	});
});

describe('the request on the wire', () => {
	it('sends the input as JSON, with the API key in the chosen header', async () => {
		await using server = await stubServer(ok(accepted));
		const options = { baseUrl: server.baseUrl, apiKey: 'sk_test_1', transport: undiciTransport() };
		const input = { to: '+233201234567', sender_id: 'KOFISHOP', message: 'Akwaaba ₵5 {name}' };
		await createClient(options).sms.send(input);
		await createClient({ ...options, authHeader: 'Authorization' }).sms.send({ ...input, priority: true });
		const [first, second] = server.received;
		expect(first).toMatchObject({ method: 'POST', url: '/api/v1/sms/send', headers: { 'x-api-key': 'sk_test_1' } });
		expect(first?.headers.authorization).toBeUndefined();
		expect(JSON.parse(first?.body ?? '')).toEqual(input);
		expect(second?.headers).toMatchObject({ authorization: 'Bearer sk_test_1' });
		expect(second?.headers['x-api-key']).toBeUndefined();
		expect(JSON.parse(second?.body ?? '')).toEqual({ ...input, priority: true });
	});

	it('escapes an ID in the path', async () => {
		await using server = await stubServer(ok({ status: 'sent' }));
		await clientOf(server.baseUrl).sms.get({ id: 'a/b?c' });
		await clientOf(server.baseUrl).message.get({ id: 7 });
		expect(server.received.map(({ url }) => url)).toEqual(['/api/v1/sms/a%2Fb%3Fc', '/api/v1/messages/7']);
	});

	it.each([
		['to', { to: '0201234567' }],
		['to', { to: '' }],
		['sender_id', { sender_id: ' ' }],
		['message', { message: '' }],
		['message', { message: '€'.repeat(1601) }],
	])('sends nothing if %s is %j', async (field, wrong) => {
		await using server = await stubServer(ok(accepted));
		const input = { ...contract.sms.send.example.input, ...wrong };
		await expect(clientOf(server.baseUrl).sms.send(input)).rejects.toMatchObject({
			name: 'InputError',
			sent: 'no',
			issues: [{ field }],
		});
		expect(server.received).toHaveLength(0);
	});

	it('accepts 1,600 characters, counted as code points', async () => {
		await using server = await stubServer(ok(accepted));
		const input = { ...contract.sms.send.example.input, message: '😀'.repeat(1600) };
		await expect(clientOf(server.baseUrl).sms.send(input)).resolves.toMatchObject({ message_id: 'msg_0001' });
	});

	it.each(['', ' ', '.', '..', '\ud800'])('sends nothing if the ID is %j', async (id) => {
		await using server = await stubServer(ok({ status: 'sent' }));
		await expect(clientOf(server.baseUrl).sms.get({ id })).rejects.toMatchObject({ issues: [{ field: 'id' }] });
		expect(server.received).toHaveLength(0);
	});
});
