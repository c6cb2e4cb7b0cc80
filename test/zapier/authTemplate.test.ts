import { z } from 'zod/v4';
import { startSandbox, type Sandbox } from '../../sandbox/server';
import { sandboxControl } from '../support/sandboxControl';
import { stubServer } from '../support/stubServer';
import { handler, methods, driveApp, type Account } from '../support/zapier/zapierTestApp';

/** The auth template, from which Zapier authenticates its own requests (such as its API Request step). */
const api_key = 'sk_live_1';
const ok = { status: 200, body: '{"balance": 1}' };

const ask = async (command: string, bundle: object) => (await handler({ command, bundle })).results;
const headersOf = (received: ReadonlyArray<{ readonly headers: object }>) => JSON.stringify(received[0]?.headers ?? {});

describe('auth template for Zapier', () => {
	it('maps the API key field to its header', async () => {
		expect(await ask('getAuthTemplate', {})).toMatchObject({
			supported: true,
			authType: 'custom',
			template: { headers: { 'X-API-Key': '{{bundle.authData.api_key}}' } },
		});
	});

	it.each([
		['X-API-Key', { 'X-API-Key': api_key }],
		['Authorization', { Authorization: `Bearer ${api_key}` }],
	])('renders the key of an account as %s', async (header, headers) => {
		const authData = { base_url: 'https://service.example/api/v1/', api_key, header };
		const targetRequest = { url: 'https://service.example/api/v1/senderids', method: 'GET', headers: {} };
		expect(await ask('renderAuthTemplate', { authData, targetRequest })).toMatchObject({ template: { headers } });
		expect(await ask('renderAuthTemplate', { authData })).toMatchObject({ template: { headers } });
	});

	it('omits the key for a request to another origin', async () => {
		const authData = { base_url: 'https://service.example/api/v1/', api_key };
		for (const url of [
			'https://other.example/',
			'http://service.example/',
			'https://service.example:444/',
			'nowhere',
		]) {
			const rendered = await ask('renderAuthTemplate', { authData, targetRequest: { url, method: 'GET' } });
			expect(JSON.stringify(rendered)).not.toContain(api_key);
		}
	});
});

describe('request that Zapier makes by itself', () => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startSandbox({ clock: 'stopped' });
	});
	afterAll(() => sandbox.stop());

	it.each(['X-API-Key', 'Authorization'])('authenticates at the service with %s', async (header) => {
		const authData: Account = { base_url: sandbox.url, api_key: sandbox.apiKey, header };
		const response = await ask('request', { authData, request: { url: `${sandbox.baseUrl}balance` } });
		expect(z.object({ status: z.number() }).parse(response)).toEqual({ status: 200 });
		expect(await sandboxControl(sandbox).requests()).not.toEqual([]);
	});

	it('carries no key to another origin', async () => {
		await using elsewhere = await stubServer(ok);
		await ask('request', { authData: { base_url: sandbox.url, api_key }, request: { url: elsewhere.baseUrl } });
		expect(elsewhere.received).toHaveLength(1);
		expect(headersOf(elsewhere.received)).not.toContain(api_key);
	});

	it.each(['', 'nowhere', 'http://service.example'])('carries no key with the base URL %j', async (base_url) => {
		await using elsewhere = await stubServer(ok);
		await ask('request', { authData: { base_url, api_key }, request: { url: elsewhere.baseUrl } });
		expect(headersOf(elsewhere.received)).not.toContain(api_key);
	});

	it.each([301, 302, 307, 308])('does not follow a %i redirect with the key', async (status) => {
		await using elsewhere = await stubServer(ok);
		await using moved = await stubServer({ status, headers: { Location: elsewhere.baseUrl } });
		const request = { url: moved.baseUrl, skipThrowForStatus: true };
		await ask('request', { authData: { base_url: moved.baseUrl, api_key }, request });
		expect(headersOf(moved.received)).toContain(api_key);
		expect(elsewhere.received).toEqual([]);
	});

	it.each([301, 307])('does not follow a %i redirect with the key and message of a send', async (status) => {
		await using elsewhere = await stubServer(ok);
		await using moved = await stubServer({ status, headers: { Location: elsewhere.baseUrl } });
		const account = driveApp({ base_url: moved.baseUrl, api_key });
		await account.failure(methods.sendSms, { to: '+233201234567', sender_id: 'KOFISHOP', message: 'Hi' });
		expect([moved.received.length, elsewhere.received.length]).toEqual([1, 0]);
	});
});
