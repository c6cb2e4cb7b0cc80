import { closedPort } from '../../support/closedPort';
import { NOTHING_SENT } from '../../support/promises';
import { startRelay } from '../../support/relay/relay';
import { stubServer } from '../../support/stubServer';
import { useSandbox } from '../../support/useSandbox';
import { lossyProxy } from '../../support/lossyProxy';
import { useSendingRelay } from '../../support/zapier/sendingRelay';
import { driveApp, handler, methods, type Account } from '../../support/zapier/zapierTestApp';

/** The switch of a connection that its base URL is a relay's. */
const used = useSendingRelay();
const { control } = used;
const bare = useSandbox();

const sms = { to: '+233201234567', sender_id: 'KOFISHOP', message: 'Your order is ready.' };
const app = (more: Account = {}) => driveApp({ ...used.account(), ...more });

describe('test of a connection whose Base URL is a relay', () => {
	it.each(['true', 'yes', true])('succeeds with the switch %j', async (base_url_is_relay) => {
		expect(await app({ base_url_is_relay }).run(methods.test)).toMatchObject({ balance: 40, currency: 'GHS' });
	});

	it('asks for the balance first, and shows the API key only below the base URL', async () => {
		await using proxy = await lossyProxy(used.relay.url);
		await app({ base_url: proxy.url }).run(methods.test);
		expect(proxy.requests.map(({ path }) => path)).toEqual(['/api/v1/balance', '/v1/me']);
		expect(proxy.requests.map(({ headers }) => headers['x-api-key'])).toEqual([used.sandbox.apiKey, undefined]);
		expect(proxy.requests[1]?.headers.authorization).toBeUndefined();
	});

	it('finds a relay below a path', async () => {
		await using proxy = await lossyProxy(used.relay.url, '/relay');
		const base_url = `${proxy.url}/api/v1/`;
		expect(await app({ base_url }).run(methods.test)).toMatchObject({ balance: 40 });
		expect(await app({ base_url }).run(methods.sendSms, sms)).toMatchObject({ already_sent: false });
		expect(proxy.requests.map(({ path }) => path)).toContain('/relay/v1/me');
		expect(proxy.requests.map(({ headers }) => headers['relay-attempt'])).toContain('0');
	});

	it('names Base URL and the switch if the address is that of the service', async () => {
		const failed = await app({ base_url: bare.sandbox.baseUrl }).failure(methods.test);
		expect(failed).toMatchObject({ name: 'AppError', code: 'InvalidConnection', status: 400 });
		expect(failed.message).toMatch(/^Base URL is not the address of a relay/);
		expect(failed.message).toContain('Base URL Is a Relay');
		expect(failed.message).not.toContain(NOTHING_SENT);
	});

	it('rejects an unknown key in the words of the service', async () => {
		const failed = await app({ api_key: 'sk_sandbox_other' }).failure(methods.test);
		expect(failed).toMatchObject({ name: 'AppError', code: 'AuthenticationError', status: 401 });
	});

	it('says that a relay has no service', async () => {
		const empty = await startRelay();
		const failed = await app({ base_url: `${empty.url}/api/v1/` }).failure(methods.test);
		expect(failed).toMatchObject({ name: 'AppError', code: 'service_not_set', status: 503 });
		expect(failed.message).toContain('RELAY_SERVICE_URL');
		const step = await app({ base_url: `${empty.url}/api/v1/` }).failure(methods.sendSms, sms);
		expect(step).toMatchObject({ name: 'AppError', code: 'service_not_set', status: 503 });
		expect(step.message).toContain(NOTHING_SENT);
		await empty.stop();
	}, 60_000);

	it('reports that the relay is off', async () => {
		const base_url = `http://127.0.0.1:${await closedPort()}`;
		const failed = await app({ base_url }).failure(methods.test);
		expect(failed).toMatchObject({ name: 'AppError', code: 'ECONNREFUSED' });
	});
});

describe('step of a connection whose Base URL is not a relay', () => {
	it.each(['sendSms', 'sendBulkSms'] as const)('sends nothing if the switch is on by mistake: %s', async (name) => {
		const inputs = { ...sms, recipients_from: 'list', send_once_key: 'order 7' };
		const failed = await app({ base_url: bare.sandbox.baseUrl }).failure(methods[name], inputs);
		expect(failed).toMatchObject({ name: 'AppError', code: 'InvalidConnection' });
		expect(failed.message).toMatch(/^Base URL is not the address of a relay/);
		expect(failed.message).toContain('Base URL Is a Relay');
		expect(failed.message).toContain(NOTHING_SENT);
		expect(await bare.control.messages()).toEqual([]);
	});

	it('allows a replay if the relay is away', async () => {
		const base_url = `http://127.0.0.1:${await closedPort()}`;
		const failed = await app({ base_url }).failure(methods.sendSms, { ...sms, send_once_key: 'order 8' });
		expect(failed).toMatchObject({ name: 'AppError', code: 'ECONNREFUSED' });
		expect(failed.message).toContain(NOTHING_SENT);
	});

	it.each([undefined, '', 'false', false, 'no'])('adds nothing to its requests with the switch %j', async (off) => {
		await using service = await stubServer({ status: 200, body: '{"success": true, "message_id": "m1"}' });
		const more = { base_url: service.baseUrl, base_url_is_relay: off };
		await app(more).run(methods.sendSms, sms);
		await app(more).run(methods.sendBulkSms, { ...sms, recipients_from: 'list' });
		expect(service.received.map(({ url }) => url)).toEqual(['/api/v1/sms/send', '/api/v1/sms/bulk']);
		for (const { headers, body } of service.received) {
			expect(Object.keys(headers)).not.toContain('idempotency-key');
			expect(body).not.toContain('idempotency');
		}
	});
});

describe('requests of Zapier itself, with a relay as Base URL', () => {
	const ask = async (command: string, bundle: object) => (await handler({ command, bundle })).results;
	const authData = () => used.account();

	it('carry the API key below the base URL', async () => {
		const targetRequest = { url: `${used.relay.url}/api/v1/senderids`, method: 'GET', headers: {} };
		const headers = { 'X-API-Key': used.sandbox.apiKey };
		const rendered = { template: { headers } };
		expect(await ask('renderAuthTemplate', { authData: authData(), targetRequest })).toMatchObject(rendered);
		expect(await ask('renderAuthTemplate', { authData: authData() })).toMatchObject(rendered);
	});

	it.each(['/v1/me', '/v1/subscriptions', '/', '/api/v1/../../v1/me', '/api/v10/balance'])(
		'carry no API key to %s of the relay',
		async (path) => {
			const url = `${used.relay.url}${path}`;
			const rendered = await ask('renderAuthTemplate', { authData: authData(), targetRequest: { url, method: 'GET' } });
			expect(JSON.stringify(rendered)).not.toContain(used.sandbox.apiKey);
			await using proxy = await lossyProxy(used.relay.url);
			const request = { url: `${proxy.url}${path}`, skipThrowForStatus: true };
			await ask('request', { authData: { ...authData(), base_url: `${proxy.url}/api/v1/` }, request });
			expect(JSON.stringify(proxy.requests[0]?.headers)).not.toContain(used.sandbox.apiKey);
		},
	);
});

it('reads through the relay as it does from the service', async () => {
	const [through, direct] = [app(), app({ base_url: used.sandbox.baseUrl, base_url_is_relay: '' })];
	for (const [name, inputs] of [
		['findWalletBalance', { threshold: '10' }],
		['findContact', { phone: sms.to }],
		['senderIds', {}],
	] as const) {
		await control.reset();
		const expected = await direct.run(methods[name], inputs);
		await control.reset();
		expect(await through.run(methods[name], inputs)).toEqual(expected);
	}
});
