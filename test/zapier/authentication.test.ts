import { authentication } from '../../zapier/authentication';
import { closedPort } from '../support/closedPort';
import { NOTHING_SENT } from '../support/promises';
import { stubServer } from '../support/stubServer';
import { useSandbox } from '../support/useSandbox';
import { driveApp, methods, type Account } from '../support/zapier/zapierTestApp';

const { sandbox, control } = useSandbox();

const account = (more: Account = {}) =>
	driveApp({ base_url: sandbox.baseUrl, api_key: 'sk_sandbox_demo', header: 'X-API-Key', ...more });

describe('connection test', () => {
	it.each(['X-API-Key', 'Authorization', ''])(
		'accepts the header “%s”, with and without /api/v1/ in Base URL',
		async (header) => {
			for (const base_url of [sandbox.url, `${sandbox.url}/api/v1`, ` ${sandbox.baseUrl} `]) {
				expect(await account({ base_url, header }).run(methods.test)).toMatchObject({ balance: 40 });
			}
		},
	);

	it.each(['X-API-Key', 'Authorization'])('trims white space around the key, with %s', async (header) => {
		const pasted = account({ api_key: ' sk_sandbox_demo\n', header });
		expect(await pasted.run(methods.test)).toMatchObject({ balance: 40 });
		await pasted.run(methods.sendSms, { to: '+233990000010', sender_id: 'KOFISHOP', message: 'Hi' });
		expect(await control.messages()).toHaveLength(1);
	});

	it('labels the connection with host and currency, without secrets', async () => {
		expect(authentication.connectionLabel).toBe('{{account}}');
		const tested = await account().run(methods.test);
		expect(tested).toMatchObject({ account: `${new URL(sandbox.url).host} (GHS)` });
		expect(JSON.stringify(tested)).not.toContain('sk_');
	});

	it('labels the connection with its Account Name first', async () => {
		const named = await account({ account_name: ' Kofi Shop ' }).run(methods.test);
		expect(named).toMatchObject({ account: `Kofi Shop – ${new URL(sandbox.url).host} (GHS)` });
	});

	it('labels the connection with the host alone if the service names no currency', async () => {
		await using server = await stubServer({ status: 200, body: '{"data": {"balance": "7.50"}}' });
		const tested = await account({ base_url: server.baseUrl }).run(methods.test);
		expect(tested).toEqual({ account: new URL(server.baseUrl).host, balance: 7.5 });
	});

	it('succeeds with a note if the response has no readable balance', async () => {
		await using server = await stubServer({ status: 200, body: '{"success": true, "data": {"units": 12}}' });
		const tested = await account({ base_url: server.baseUrl }).run(methods.test);
		expect(tested).toEqual({
			account: new URL(server.baseUrl).host,
			note: expect.stringContaining('no readable balance') as string,
		});
	});

	it.each(['{"message": "Invalid API key"}', '{"success": false, "message": "Invalid API key"}'])(
		'fails if a 200 says that the key is unknown: %s',
		async (body) => {
			await using server = await stubServer({ status: 200, body });
			const failure = await account({ base_url: server.baseUrl }).failure(methods.test);
			expect(failure.message).toContain('Invalid API key');
		},
	);

	it("gives the service's message and advice for an unknown key", async () => {
		const failure = await account({ api_key: 'sk_sandbox_other' }).failure(methods.test);
		expect(failure).toMatchObject({ name: 'AppError', code: 'AuthenticationError', status: 401 });
		expect(failure.message).toMatch(/API key.*invalid_key.*401/);
	});

	it.each<[string, Account, string]>([
		['a key without sk_', { api_key: 'demo' }, 'API Key'],
		['no key', { api_key: '' }, 'API Key'],
		['a key with a line break', { api_key: 'sk_a\nb' }, 'API Key'],
		['no URL', { base_url: '' }, 'Base URL'],
		['text that is not a URL', { base_url: 'service' }, 'Base URL'],
		['plain http to a foreign host', { base_url: 'http://service.example', api_key: 'sk_1' }, 'Base URL'],
	])('names the wrong field without a request: %s', async (_, more, field) => {
		const failure = await account(more).failure(methods.test);
		expect(failure).toMatchObject({ name: 'AppError', code: 'InvalidConnection', status: 400 });
		expect(failure.message.startsWith(`${field} `)).toBe(true);
		expect(failure.message).not.toContain(NOTHING_SENT);
		expect(await control.requests()).toEqual([]);
	});

	it.each([
		['another path', () => `${sandbox.url}/nowhere/`],
		['a website', undefined],
	])('reports that Base URL is not the service: %s', async (_, base_url) => {
		await using website = await stubServer({ status: 200, body: '<h1>Hi</h1>' });
		const failure = await account({ base_url: base_url?.() ?? website.baseUrl }).failure(methods.test);
		expect(failure.message).toMatch(/^Base URL responds/);
		expect(failure.message.includes('/api/v1/')).toBe(base_url !== undefined);
	});

	it('reports that nothing listens at Base URL', async () => {
		const base_url = `http://127.0.0.1:${await closedPort()}`;
		const failure = await account({ base_url }).failure(methods.test);
		expect(failure).toMatchObject({ name: 'AppError', code: 'ECONNREFUSED' });
		expect(failure.message).toContain(new URL(base_url).host);
	});

	it.each([301, 307])('does not follow a %i redirect with the key', async (status) => {
		await using elsewhere = await stubServer({ status: 200, body: '{"balance": 1}' });
		await using moved = await stubServer({ status, headers: { Location: elsewhere.baseUrl } });
		const failure = await account({ base_url: moved.baseUrl }).failure(methods.test);
		expect(failure.message).toContain(`redirects to ${new URL(elsewhere.baseUrl).origin}`);
		expect([moved.received.length, elsewhere.received.length]).toEqual([1, 0]);
	});
});
