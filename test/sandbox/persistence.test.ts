import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import { type Sandbox, startSandbox } from '../../sandbox/server';
import { PHONE, run } from '../support/testSandbox';

describe('a data file', () => {
	const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
	afterAll(() => rmSync(folder, { recursive: true }));

	it('keeps everything over a restart, and does the work that became due meanwhile', async () => {
		const data = join(folder, 'state.db');
		let id: string;
		{
			await using sandbox = await run({ data });
			id = (await sandbox.sent({ to: '+233990000005' })).message_id;
			await sandbox.control('PUT', 'settings', { inbound_format: 'form', inbound_url: 'http://127.0.0.1:1/x' });
			await sandbox.control('POST', `phones/${PHONE}/texts`, { to: 'KOFISHOP', message: 'x' });
			await sandbox.thread(PHONE, (entries) => entries.some(({ status }) => status === 'failed'));
			await sandbox.advance(400);
		}
		{
			await using sandbox = await run({ data });
			expect(await sandbox.status(id)).toMatchObject({ status: 'sent' });
			expect((await sandbox.wallet()).balance).toBe(39.95);
			expect((await sandbox.control('GET', 'settings')).body).toMatchObject({
				inbound_format: 'form',
				inbound_url: 'http://127.0.0.1:1/x',
			});
			expect((await sandbox.control('GET', `phones/${PHONE}`)).body).toMatchObject({
				entries: [{ direction: 'sent', delivery: { problem: 'connection refused' } }],
			});
			await sandbox.sent({ to: '+233990000002' });
		}
		const database = new DatabaseSync(data);
		database.exec(`UPDATE settings SET value = '700000' WHERE name = 'clock_ahead'`);
		database.close();
		{
			await using sandbox = await run({ data, clock: 'running' });
			await sandbox.thread('+233990000005', ([entry]) => entry?.status === 'delivered');
			await sandbox.thread('+233990000002', ([entry]) => entry?.status === 'failed');
			expect(await sandbox.status(id)).toMatchObject({ status: 'delivered' });
			expect((await sandbox.wallet()).balance).toBe(39.95);
		}
	});

	it('keeps a frozen clock frozen, and lets a running one run', async () => {
		const data = join(folder, 'clock.db');
		const clock = z.object({ now: z.string(), running: z.boolean() });
		const read = async (sandbox: Sandbox) => clock.parse(await (await fetch(`${sandbox.url}/_sandbox/clock`)).json());
		const steer = async (sandbox: Sandbox, path: string, body?: string) =>
			await (await fetch(`${sandbox.url}/_sandbox/clock/${path}`, { method: 'POST', body: body ?? null })).text();

		const first = await startSandbox({ data });
		await steer(first, 'advance', '{"milliseconds":86400000}');
		await steer(first, 'freeze');
		const frozen = await read(first);
		await first.stop();

		const second = await startSandbox({ data });
		expect(await read(second)).toEqual(frozen);
		await steer(second, 'run');
		const going = Date.parse((await read(second)).now) - Date.parse(frozen.now);
		expect(going).toBeGreaterThanOrEqual(0);
		expect(going).toBeLessThan(2000);
		await second.stop();

		const third = await startSandbox({ data });
		expect((await read(third)).running).toBe(true);
		expect(Date.parse((await read(third)).now)).toBeGreaterThanOrEqual(Date.parse(frozen.now) + going);
		await steer(third, 'freeze');
		await fetch(`${third.url}/_sandbox/reset`, { method: 'POST' });
		await third.stop();

		const fourth = await startSandbox({ data });
		expect((await read(fourth)).running).toBe(false);
		await fourth.stop();
	});

	it('rejects a data file while another sandbox uses it, and accepts it afterwards', async () => {
		const data = join(folder, 'shared.db');
		{
			await using first = await run({ data });
			expect((await first.wallet()).balance).toBe(40);
			await expect(startSandbox({ data })).rejects.toThrow(`${data} as data file: another program`);
		}
		await using again = await run({ data });
		expect((await again.wallet()).balance).toBe(40);
	});

	it('rejects another kind of file as data file', async () => {
		const data = join(folder, 'letter.txt');
		writeFileSync(data, 'Dear database, '.repeat(100));
		await expect(startSandbox({ data })).rejects.toThrow(/letter\.txt .*not a database/);
		await expect(startSandbox({ data: join(folder, 'none', 'x.db') })).rejects.toThrow(/unable to open/);
	});
});

it('shares nothing between sandboxes', async () => {
	await using one = await run();
	await using other = await run();
	await one.sent();
	expect((await one.wallet()).balance).toBe(39.95);
	expect((await other.wallet()).balance).toBe(40);
});
