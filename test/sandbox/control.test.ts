import { request } from 'undici';
import { createHostCheck } from '../../sandbox/http/guard';
import { defaultSettings } from '../../sandbox/store/settings';
import { anyString, matching, PHONE, run } from '../support/testSandbox';

describe('settings', () => {
	it('change in part and keep the rest', async () => {
		await using sandbox = await run();
		const own = `${sandbox.sandbox.url}/webhooks/inbound/sms`;
		const start = { ...defaultSettings, inbound_url: own };
		expect((await sandbox.control('GET', 'settings')).body).toEqual(start);
		const changed = await sandbox.control('PUT', 'settings', { inbound_url: 'https://example.com/x' });
		expect(changed.body).toEqual({ ...start, inbound_url: 'https://example.com/x' });
		expect((await sandbox.control('PUT', 'settings', { inbound_url: null })).body).toEqual(start);
	});

	it.each([
		[{ inbound_url: 'ftp://example.com' }, /^inbound_url is not an http or https URL/],
		[{ inbound_url: 'example.com/hook' }, /^inbound_url is not an http or https URL/],
		[{ inbound_url: 'javascript:alert(1)' }, /^inbound_url/],
		[{ inbound_format: 'xml' }, /^inbound_format is neither json nor form/],
		[{ requests_per_second: 0 }, /^requests_per_second is not above zero/],
		[{ requests_per_second: '5' }, /^requests_per_second is not a number/],
		[{ colour: 'green' }, /unknown fields: colour/],
		[[], /expected object/],
	])('reject %j and change nothing', async (body, message) => {
		await using sandbox = await run();
		const before = await sandbox.control('GET', 'settings');
		expect(await sandbox.control('PUT', 'settings', body)).toMatchObject({
			status: 422,
			body: { success: false, code: 'validation', message: matching(message) },
		});
		expect((await sandbox.control('GET', 'settings')).body).toEqual(before.body);
	});
});

describe('request log', () => {
	it('lists the last 1,000 API requests, newest first, without any key', async () => {
		await using sandbox = await run();
		await sandbox.control('PUT', 'settings', { requests_per_second: 100_000 });
		await sandbox.api('GET', 'balance', undefined, { 'x-api-key': 'sk_live_secret' });
		await sandbox.send({ to: 'bad' });
		const { body } = await sandbox.control('GET', 'requests');
		expect(body).toMatchObject([
			{ method: 'POST', path: '/api/v1/sms/send', endpoint: 'sms.send', status: 422, at: anyString },
			{ method: 'GET', path: '/api/v1/balance', endpoint: 'wallet.getBalance', status: 401 },
		]);
		expect(JSON.stringify(body)).not.toMatch(/sk_/);
		for (let batch = 0; batch < 20; batch += 1) {
			await Promise.all(Array.from({ length: 51 }, async () => await sandbox.api('GET', 'nothing')));
		}
		expect((await sandbox.control('GET', 'requests')).body).toHaveLength(1000);
	});
});

describe('reset', () => {
	it('restores the account of a new sandbox', async () => {
		await using sandbox = await run();
		await sandbox.sent();
		await sandbox.advance(5000);
		await sandbox.control('PUT', 'settings', { inbound_format: 'form' });
		await sandbox.control('POST', 'faults', { endpoint: '*', kind: 'hang' });
		await sandbox.control('POST', `phones/${PHONE}/texts`, { to: 'KOFISHOP', message: 'STOP' });
		await sandbox.thread(PHONE, (entries) => entries.some(({ status }) => status === 'posted'));
		const emptied = sandbox.thread(PHONE, (entries) => entries.length === 0);
		expect((await sandbox.control('POST', 'reset')).status).toBe(200);
		await emptied;
		expect(await sandbox.wallet()).toMatchObject({ balance: 40, transactions: [{ type: 'topup', amount: 40 }] });
		for (const path of ['messages', 'inbox', 'opt-outs', 'requests', 'faults']) {
			expect((await sandbox.control('GET', path)).body).toEqual([]);
		}
		expect((await sandbox.control('GET', 'settings')).body).toMatchObject({ inbound_format: 'json' });
		expect((await sandbox.control('GET', 'clock')).body).toMatchObject({ ahead_milliseconds: 0 });
		expect((await sandbox.send()).status).toBe(200);
	});
});

describe('protection from foreign pages', () => {
	const get = async (url: string, headers: Record<string, string>, method: 'GET' | 'POST' = 'GET') => {
		const response = await request(url, { method, headers });
		await response.body.dump();
		return response.statusCode;
	};

	it('accepts only host names that always mean this machine', async () => {
		await using sandbox = await run();
		const { url } = sandbox.sandbox;
		const key = { 'x-api-key': 'sk_sandbox_demo' };
		const pages = ['/', '/phone', '/ui/phone.js', '/_sandbox/messages', `/_sandbox/phones/${PHONE}/events`];
		for (const path of [...pages, '/api/v1/balance', '/webhooks/inbound/sms']) {
			for (const host of ['evil.example', '127.0.0.1.evil.example', 'evil.internal']) {
				expect(await get(url + path, { ...key, host })).toBe(403);
			}
		}
		for (const host of ['localhost:4010', '127.0.0.1', '[::1]:80', 'sandbox.localhost', 'host.docker.internal:4010']) {
			expect(await get(`${url}/_sandbox/messages`, { host })).toBe(200);
			expect(await get(`${url}/api/v1/balance`, { ...key, host })).toBe(200);
		}
	});

	it.each(['0.0.0.0', '0'])('accepts every host name if it listens on %s', async (host) => {
		await using sandbox = await run({ host });
		expect(await get(`${sandbox.sandbox.url}/_sandbox/messages`, { host: 'sandbox.example' })).toBe(200);
	});

	it('accepts its own address in any notation', async () => {
		await using sandbox = await run({ host: 'LOCALHOST' });
		const { url } = sandbox.sandbox;
		expect(await get(`${url}/api/v1/balance`, { 'x-api-key': 'sk_sandbox_demo' })).toBe(200);
		expect(await get(`${url}/api/v1/balance`, { host: 'evil.example' })).toBe(403);
	});

	// A machine may have no IPv6 to listen on.
	it.each(['::', '::0'])('accepts every host name on %s, and with another IPv6 address only that one', (host) => {
		expect(() => createHostCheck(host)('sandbox.example')).not.toThrow();
		const check = createHostCheck('FD00::0001');
		expect(() => check('[fd00::1]:4010')).not.toThrow();
		expect(() => check('[fd00::2]:4010')).toThrow('Use [fd00::1]');
	});

	it('rejects a wrong host name in the configured error shape, and on the dashboard', async () => {
		await using sandbox = await run();
		await sandbox.control('PUT', 'settings', { error_shape: 'nested' });
		const response = await request(`${sandbox.sandbox.url}/api/v1/balance`, { headers: { host: 'evil.example' } });
		expect(await response.body.json()).toEqual({
			success: false,
			error: { code: 'forbidden', message: expect.stringMatching(/evil\.example.*127\.0\.0\.1/) as string },
		});
		expect((await sandbox.control('GET', 'requests')).body).toMatchObject([{ path: '/api/v1/balance', status: 403 }]);
	});

	it('rejects changes from another origin', async () => {
		await using sandbox = await run();
		const { url } = sandbox.sandbox;
		expect(await get(`${url}/_sandbox/reset`, { origin: 'http://evil.example' }, 'POST')).toBe(403);
		expect(await get(`${url}/_sandbox/reset`, { origin: 'null' }, 'POST')).toBe(403);
		expect(await get(`${url}/_sandbox/reset`, { origin: url }, 'POST')).toBe(200);
		expect(await get(`${url}/webhooks/inbound/sms`, { origin: 'http://evil.example' }, 'POST')).toBe(403);
	});
});

describe('pages', () => {
	it('show how to connect, under a strict policy', async () => {
		await using sandbox = await run({ apiKey: 'sk_sandbox_<b>' });
		const response = await fetch(sandbox.sandbox.url);
		const text = await response.text();
		expect(text).toContain(sandbox.sandbox.baseUrl);
		expect(text).toContain('sk_sandbox_&lt;b&gt;');
		expect(text).toContain('href="/phone"');
		expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self'/);
	});

	it('serve every file that they name, and no file from elsewhere', async () => {
		await using sandbox = await run();
		const { url } = sandbox.sandbox;
		const pages = { '/': 'dashboard', '/phone?number=%2B233201234567&to=KOFISHOP': 'phone' };
		for (const [address, page] of Object.entries(pages)) {
			const text = await (await fetch(url + address)).text();
			const named = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path = '']) => path);
			expect(named).toContain(`/ui/${page}.css`);
			for (const path of named) {
				expect(path).toMatch(/^\//);
				expect((await fetch(url + path)).status).toBe(200);
			}
		}
		expect((await fetch(`${url}/ui/homePage.ts`)).status).toBe(404);
	});
});
