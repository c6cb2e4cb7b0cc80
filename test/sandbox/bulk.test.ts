import { z } from 'zod/v4';
import { createClock } from '../../sandbox/simulation/clock';
import { sms } from '../../sandbox/handlers/sms';
import { openStore } from '../../sandbox/store/store';
import { anyString, matching, PHONE, run, type TestSandbox } from '../support/testSandbox';

const OTHER = '+233241234567';
const bulkBody = z.looseObject({
	batch_id: z.string(),
	cost: z.number(),
	balance: z.number(),
	billed_via: z.string(),
	results: z.array(z.object({ to: z.string(), message_id: z.string().nullable(), status: z.string() })).optional(),
});

const bulk = async (sandbox: TestSandbox, input: Record<string, unknown> = {}) =>
	await sandbox.api('POST', 'sms/bulk', { to: [PHONE, OTHER], sender_id: 'KOFISHOP', message: 'Hello', ...input });

async function accepted(sandbox: TestSandbox, input?: Record<string, unknown>) {
	const { status, body } = await bulk(sandbox, input);
	expect({ status, body }).toMatchObject({ status: 200 });
	return bulkBody.parse(body);
}

const numbers = (count: number) =>
	Array.from({ length: count }, (_none, index) => `+23320${String(index).padStart(7, '0')}`);

const messageItem = z.looseObject({
	status: z.string(),
	to: z.string(),
	message_id: z.string(),
	billed_via: z.string(),
});

const listed = async (sandbox: TestSandbox, query = '') => await sandbox.every(`messages${query}`, messageItem);

describe('sms.sendBulk', () => {
	it('charges once when queued, and moves the messages from queued to delivered', async () => {
		await using sandbox = await run();
		const response = await accepted(sandbox);
		expect(response).toMatchObject({
			success: true,
			status: 'queued',
			total: 2,
			queued: 2,
			skipped: 0,
			cost: 0.1,
			billed_via: 'wallet',
			balance: 39.9,
			results: [
				{ to: PHONE, message_id: anyString, status: 'queued' },
				{ to: OTHER, message_id: anyString, status: 'queued' },
			],
		});
		const [first] = response.results ?? [];
		expect(await sandbox.status(first?.message_id ?? '')).toMatchObject({ status: 'queued', cost: 0.05 });
		await sandbox.advance(200);
		expect(await sandbox.status(first?.message_id ?? '')).toMatchObject({ status: 'submitted' });
		await sandbox.advance(2000);
		expect((await listed(sandbox)).map(({ status }) => status)).toEqual(['delivered', 'delivered']);
		expect(await sandbox.wallet()).toMatchObject({
			balance: 39.9,
			transactions: [{ type: 'debit', amount: -0.1, reference: response.batch_id }, { type: 'topup' }],
		});
	});

	it('refunds each failed message of a bulk send separately', async () => {
		await using sandbox = await run();
		await accepted(sandbox, { to: [PHONE, '+233990000002'], message: 'a'.repeat(161) });
		await sandbox.advance(2000);
		expect(await sandbox.wallet()).toMatchObject({
			balance: 39.9,
			transactions: [{ type: 'refund', amount: 0.1 }, { type: 'debit', amount: -0.2 }, { type: 'topup' }],
		});
	});

	it('uses packages first, and returns the credits of failed messages', async () => {
		await using sandbox = await run();
		await sandbox.control('POST', 'packages', { credits: 3 });
		const response = await accepted(sandbox, { to: ['+233990000002', ...numbers(3)] });
		expect(response).toMatchObject({ cost: 0.05, billed_via: 'mixed', balance: 39.95 });
		expect((await sandbox.control('GET', 'packages')).body).toMatchObject([{ credits: 3, credits_left: 0 }]);
		await sandbox.advance(2000);
		expect((await sandbox.control('GET', 'packages')).body).toMatchObject([{ credits: 3, credits_left: 1 }]);
		expect((await sandbox.wallet()).balance).toBe(39.95);
		expect((await listed(sandbox)).map(({ billed_via }) => billed_via).sort()).toEqual([
			'package',
			'package',
			'package',
			'wallet',
		]);
	});

	it('never splits a message between a package and the wallet', async () => {
		await using sandbox = await run();
		await sandbox.control('POST', 'packages', { credits: 1 });
		expect((await sandbox.send({ message: 'a'.repeat(161) })).body).toMatchObject({ billed_via: 'wallet', cost: 0.1 });
		expect((await sandbox.send()).body).toMatchObject({ billed_via: 'package', cost: 0, balance: 39.9 });
		expect((await sandbox.send()).body).toMatchObject({ billed_via: 'wallet', cost: 0.05, balance: 39.85 });
	});

	it('rejects a bulk send that neither packages nor balance can pay, and returns the credits', async () => {
		await using sandbox = await run();
		await sandbox.control('POST', 'packages', { credits: 5 });
		await sandbox.control('POST', 'wallet/adjust', { amount: -39.9 });
		expect(await bulk(sandbox, { to: numbers(8) })).toMatchObject({
			status: 422,
			body: { code: 'insufficient_balance', message: matching(/GHS 0\.15.*GHS 0\.10/) },
		});
		expect((await sandbox.control('GET', 'packages')).body).toMatchObject([{ credits_left: 5 }]);
		expect((await sandbox.wallet()).balance).toBe(0.1);
		expect(await listed(sandbox)).toEqual([]);
		expect(await accepted(sandbox, { to: numbers(7) })).toMatchObject({ balance: 0 });
	});

	it('rejects a bulk send with an opted-out number, or skips the number if the setting says so', async () => {
		await using sandbox = await run();
		await sandbox.control('POST', 'opt-outs', { number: PHONE });
		expect(await bulk(sandbox)).toMatchObject({
			status: 422,
			body: { code: 'opted_out', message: matching(/^\+233201234567 /) },
		});
		expect((await sandbox.wallet()).balance).toBe(40);
		await sandbox.control('PUT', 'settings', { bulk_opt_outs: 'skip' });
		expect(await accepted(sandbox)).toMatchObject({
			total: 2,
			queued: 1,
			skipped: 1,
			cost: 0.05,
			results: [{ to: OTHER }, { to: PHONE, message_id: null, status: 'skipped' }],
		});
		expect((await bulk(sandbox, { to: [PHONE] })).status).toBe(422);
	});

	it.each([
		['no numbers', { to: [] }, 'validation', /^to is empty/],
		['an invalid number', { to: [PHONE, '0201234567'] }, 'validation', /^to\.1 is not an E\.164/],
		['a pending sender ID', { sender_id: 'PENDINGCO' }, 'sender_not_approved', /still waiting/],
		['a rejected sender ID', { sender_id: 'REFUSEDCO' }, 'sender_not_approved', /REFUSEDCO is rejected/],
		['a time in the past', { schedule_at: '2020-01-01 00:00:00' }, 'validation', /^schedule_at .* is in the past/],
		['an invalid time', { schedule_at: '2030-02-30 00:00:00' }, 'validation', /^schedule_at is not a date/],
	])('rejects %s and charges nothing', async (_name, input, code, message) => {
		await using sandbox = await run();
		expect(await bulk(sandbox, input)).toMatchObject({ status: 422, body: { code, message: matching(message) } });
		expect((await sandbox.wallet()).balance).toBe(40);
		expect((await sandbox.control('GET', 'batches')).body).toEqual([]);
	});

	it('charges a scheduled bulk send at once and sends it at its time', async () => {
		await using sandbox = await run();
		const { body } = await sandbox.control('GET', 'clock');
		const now = Date.parse(z.object({ now: z.string() }).parse(body).now);
		const at = new Date(Math.ceil(now / 1000) * 1000 + 3_600_000);
		await accepted(sandbox, { schedule_at: at.toISOString().slice(0, 19).replace('T', ' ') });
		expect((await sandbox.wallet()).balance).toBe(39.9);
		await sandbox.advance(at.getTime() - now - 1);
		expect((await listed(sandbox)).map(({ status }) => status)).toEqual(['queued', 'queued']);
		await sandbox.advance(1);
		expect((await listed(sandbox, '?status=submitted')).length).toBe(1);
		await sandbox.advance(2000);
		expect((await listed(sandbox)).map(({ status }) => status)).toEqual(['delivered', 'delivered']);
	});

	it('names an invalid number by its position in a long list, and stores nothing', async () => {
		await using sandbox = await run();
		const to: unknown[] = numbers(2000);
		to[1700] = '0201234567';
		to[1701] = 5;
		expect(await bulk(sandbox, { to })).toMatchObject({
			status: 422,
			body: { code: 'validation', message: matching(/^to\.1700 .*; to\.1701/) },
		});
		expect(await bulk(sandbox, { to: numbers(100_001) })).toMatchObject({
			status: 422,
			body: { message: matching(/^to .*\b100001\b.*\b100000\b/) },
		});
		expect((await sandbox.wallet()).balance).toBe(40);
	});

	it('skips opted-out numbers anywhere in a long list', async () => {
		await using sandbox = await run();
		await sandbox.control('POST', 'wallet/adjust', { amount: 100 });
		await sandbox.control('PUT', 'settings', { bulk_opt_outs: 'skip' });
		const to = numbers(1201);
		for (const place of [0, 600, 1200]) await sandbox.control('POST', 'opt-outs', { number: to[place] });
		expect(await accepted(sandbox, { to })).toMatchObject({ queued: 1198, skipped: 3, cost: 59.9 });
		await sandbox.advance(10_000);
		const reached = (await listed(sandbox, '?status=delivered')).map((message) => message.to);
		expect(reached.sort()).toEqual(to.filter((_number, place) => place % 600 !== 0));
	});

	it('creates short bulk sends at once and long ones step by step', async () => {
		await using sandbox = await run();
		await sandbox.control('POST', 'wallet/adjust', { amount: 10_000 });
		const long = await accepted(sandbox, { to: numbers(50_000) });
		const short = await accepted(sandbox);
		const made = z
			.array(z.looseObject({ batch_id: z.string(), made: z.number() }))
			.parse((await sandbox.control('GET', 'batches')).body);
		expect(made.find(({ batch_id }) => batch_id === short.batch_id)?.made).toBe(2);
		expect(made.find(({ batch_id }) => batch_id === long.batch_id)?.made ?? 0).toBeLessThan(50_000);
	});

	it('handles other requests while a long list arrives', async () => {
		const store = openStore(':memory:');
		store.seed(0);
		store.wallet.adjust(100_000_000, 'x', 0);
		const clock = createClock({ ahead: 0, stoppedAt: 0 });
		const services = { store, clock, url: 'http://127.0.0.1', stopping: new AbortController().signal };
		let turns = 0;
		const timer = setInterval(() => (turns += 1));
		const input = { to: numbers(100_000), sender_id: 'KOFISHOP', message: 'Hello' };
		expect(await sms.sendBulk.handle(input, services)).toMatchObject({ queued: 100_000, cost: 5000 });
		clearInterval(timer);
		expect(turns).toBeGreaterThan(3);
		store.close();
	});

	it('discards a bulk send if the sandbox stops while the list arrives', async () => {
		const store = openStore(':memory:');
		store.seed(0);
		const stopping = new AbortController();
		const clock = createClock({ ahead: 0, stoppedAt: 0 });
		const services = { store, clock, url: 'http://127.0.0.1', stopping: stopping.signal };
		const response = sms.sendBulk.handle({ to: numbers(100_000), sender_id: 'KOFISHOP', message: 'Hello' }, services);
		stopping.abort();
		await expect(response).rejects.toThrow('stopping');
		expect(store.batches.list()).toEqual([]);
		store.close();
	});

	it('accepts 10,000 recipients, and the priority route is five times as fast', async () => {
		await using sandbox = await run();
		await sandbox.control('POST', 'wallet/adjust', { amount: 2000 });
		for (const [priority, perSecond] of [
			[false, 500],
			[true, 2500],
		] as const) {
			const response = await accepted(sandbox, { to: numbers(10_000), priority });
			expect(response.cost).toBe(500);
			expect(response.results).toBeUndefined();
			await sandbox.advance(1199);
			const query = `?batch_id=${response.batch_id}&status=queued`;
			expect(await listed(sandbox, query)).toHaveLength(10_000 - perSecond);
			await sandbox.advance(30_000);
			expect(await listed(sandbox, `?batch_id=${response.batch_id}&status=delivered`)).toHaveLength(10_000);
		}
		expect((await sandbox.wallet()).balance).toBe(1040);
	}, 60_000);
});
