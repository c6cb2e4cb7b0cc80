import { z } from 'zod/v4';
import { startSandbox } from '../../sandbox/server';
import { matching, run, type TestSandbox } from '../support/testSandbox';

const newKey = z.object({ id: z.number(), name: z.string(), api_key: z.string() });

const balanceWith = async (sandbox: TestSandbox, key: string) =>
	(await sandbox.api('GET', 'balance', undefined, { 'x-api-key': key })).status;

describe('keys', () => {
	it('creates an API key, shows it once and accepts it at once', async () => {
		await using sandbox = await run();
		const made = newKey.parse((await sandbox.control('POST', 'keys', { name: 'Till' })).body);
		expect(made).toMatchObject({ name: 'Till', api_key: matching(/^sk_sandbox_.{20,}$/) });
		expect(await balanceWith(sandbox, made.api_key)).toBe(200);
		const { body } = await sandbox.control('GET', 'keys');
		expect(body).toMatchObject([
			{ name: 'First key', revoked_at: null },
			{ name: 'Till', hint: `…${made.api_key.slice(-4)}` },
		]);
		expect(JSON.stringify(body)).not.toContain(made.api_key);
	});

	it('rejects an API key from the moment it is revoked, also in the middle of a run', async () => {
		await using sandbox = await run();
		expect((await sandbox.send()).status).toBe(200);
		expect((await sandbox.control('POST', 'keys/1/revoke')).status).toBe(200);
		expect(await sandbox.send()).toMatchObject({ status: 401, body: { code: 'invalid_key' } });
		expect((await sandbox.wallet()).balance).toBe(39.95);
		await sandbox.control('POST', 'reset');
		expect((await sandbox.send()).status).toBe(200);
	});

	it('rotates an API key: accepts the new one, rejects the old one', async () => {
		await using sandbox = await run();
		const rotated = newKey.parse((await sandbox.control('POST', 'keys/1/rotate')).body);
		expect(await balanceWith(sandbox, sandbox.sandbox.apiKey)).toBe(401);
		expect(await balanceWith(sandbox, rotated.api_key)).toBe(200);
		expect((await sandbox.control('POST', 'keys/1/rotate')).status).toBe(404);
		expect((await sandbox.control('POST', 'keys/9/revoke')).status).toBe(404);
	});

	it('share the account, and each has its own rate limit', async () => {
		await using sandbox = await run();
		const { api_key } = newKey.parse((await sandbox.control('POST', 'keys', { name: 'Till' })).body);
		await sandbox.control('PUT', 'settings', { requests_per_second: 1 });
		expect(await balanceWith(sandbox, sandbox.sandbox.apiKey)).toBe(200);
		expect(await balanceWith(sandbox, sandbox.sandbox.apiKey)).toBe(429);
		expect(await balanceWith(sandbox, api_key)).toBe(200);
	});

	it('does not start with an API key without the sandbox’s prefix', async () => {
		await expect(startSandbox({ apiKey: 'sk_live_1' })).rejects.toThrow(/sk_sandbox_/);
	});
});
