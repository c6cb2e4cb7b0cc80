import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { endpoints } from '../../shared/contract';
import { PHONE, run } from '../support/testSandbox';

const values = z.array(z.object({ kind: z.string(), value: z.string(), effect: z.string() }));

describe('magic numbers', () => {
	it.each([
		['+233990000000', 200, {}],
		['+233990000001', 422, { code: 'failed_send' }],
		['+233990000003', 422, { code: 'insufficient_balance' }],
		['+233990000004', 429, { code: 'rate_limited' }],
		['+233990000006', 500, { code: 'server_error' }],
		['+233990000009', 422, { code: 'opted_out' }],
		['+233990000014', 200, { success: false, code: 'failed_send' }],
	])('%s returns %i, and charges nothing unless accepted', async (to, status, body) => {
		await using sandbox = await run();
		const response = await sandbox.send({ to });
		expect(response).toMatchObject({ status, body });
		expect(response.headers.get('retry-after')).toBe(status === 429 ? '1' : null);
		const accepted = to === '+233990000000';
		expect((await sandbox.wallet()).balance).toBe(accepted ? 39.95 : 40);
	});

	const withNumber = endpoints.filter(({ example }) => Object.values(example.input).includes(PHONE));
	it.each(withNumber.map(({ id, path, example }) => [id, path, example.input] as const))(
		'fail in the same way in %s',
		async (_, path, input) => {
			const body = (number: string) => JSON.stringify(input).replace(PHONE, number);
			await using sandbox = await run();
			expect((await sandbox.api('POST', path.slice(1), body('+233990000004'))).status).toBe(429);
			expect((await sandbox.api('POST', path.slice(1), body('+233990000006'))).status).toBe(500);
			expect((await sandbox.wallet()).balance).toBe(40);
		},
	);

	it.each([
		['+233990000001', 'failed_send'],
		['+233990000003', 'insufficient_balance'],
		['+233990000009', 'opted_out'],
	])('%s rejects a whole bulk send with %s', async (to, code) => {
		await using sandbox = await run();
		const bulk = { to: ['+233201234567', to], sender_id: 'KOFISHOP', message: 'x' };
		expect(await sandbox.api('POST', 'sms/bulk', bulk)).toMatchObject({ status: 422, body: { code } });
		expect((await sandbox.wallet()).balance).toBe(40);
	});

	it('…07 is charged once and the connection closes', async () => {
		await using sandbox = await run();
		await expect(sandbox.send({ to: '+233990000007' })).rejects.toThrow();
		expect((await sandbox.wallet()).balance).toBe(39.95);
	});

	it('…15 returns an HTML page', async () => {
		await using sandbox = await run();
		const response = await fetch(`${sandbox.sandbox.baseUrl}sms/send`, {
			method: 'POST',
			headers: { 'x-api-key': sandbox.sandbox.apiKey },
			body: JSON.stringify({ to: '+233990000015', sender_id: 'KOFISHOP', message: 'x' }),
		});
		expect(response.headers.get('content-type')).toBe('text/html');
		expect(await response.text()).toMatch(/^<!doctype html>/);
		expect((await sandbox.wallet()).balance).toBe(40);
	});

	it('…05 is late and …16 stays submitted', async () => {
		await using sandbox = await run();
		const late = await sandbox.sent({ to: '+233990000005' });
		const stuck = await sandbox.sent({ to: '+233990000016' });
		await sandbox.advance(599_999);
		expect(await sandbox.status(late.message_id)).toMatchObject({ status: 'sent' });
		await sandbox.advance(1);
		expect(await sandbox.status(late.message_id)).toMatchObject({ status: 'delivered' });
		expect(await sandbox.status(stuck.message_id)).toMatchObject({ status: 'submitted' });
	});

	it('…08 replies', async () => {
		await using sandbox = await run();
		await sandbox.sent({ to: '+233990000008' });
		await sandbox.advance(1000);
		await sandbox.control('POST', 'settle');
		expect((await sandbox.control('GET', 'inbox')).body).toMatchObject([
			{ from: '+233990000008', to: 'KOFISHOP', message: 'Thank you!' },
		]);
	});
});

it('lists the served magic values in the documentation', async () => {
	await using sandbox = await run();
	const served = values.parse((await sandbox.control('GET', 'magic-values')).body);
	expect(served.length).toBeGreaterThan(20);
	const page = readFileSync(join(__dirname, '../../docs/magic-values.md'), 'utf8');
	const rows = page
		.split('\n')
		.filter((line) => line.startsWith('| `'))
		.map((line) => line.split('|').map((cell) => cell.trim().replace(/^`|`$/g, '')));
	expect(rows.map(([, value, kind, effect]) => ({ kind, value, effect }))).toEqual(served);
});
