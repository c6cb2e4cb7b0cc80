import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { events } from '../../shared/contract';
import { listen, PHONE, run, type TestSandbox } from '../support/testSandbox';

async function settled(sandbox: TestSandbox): Promise<void> {
	expect((await sandbox.control('POST', 'settle')).status).toBe(200);
}

async function delivered(sandbox: TestSandbox, to = PHONE): Promise<string> {
	const { message_id } = await sandbox.sent({ to });
	await sandbox.advance(300);
	await settled(sandbox);
	await sandbox.advance(700);
	await settled(sandbox);
	return message_id;
}

const field = (body: string, name: string): unknown => z.record(z.string(), z.unknown()).parse(JSON.parse(body))[name];

type Receiver = Awaited<ReturnType<typeof listen>>;

const statuses = ({ received }: Receiver) => received.map(({ body }) => field(body, 'status'));

async function toReceiver(sandbox: TestSandbox, { url }: Receiver, more: Record<string, unknown> = {}) {
	expect((await sandbox.control('PUT', 'settings', { callback_url: url, ...more })).status).toBe(200);
}

const callbackList = async (sandbox: TestSandbox) =>
	z
		.array(z.looseObject({ id: z.number(), status: z.string(), attempt_count: z.number(), event: z.string() }))
		.parse((await sandbox.control('GET', 'callbacks')).body);

describe('receipts', () => {
	it('delivers a callback for each status change, and stores every attempt with its response', async () => {
		await using sandbox = await run();
		await using receiver = await listen();
		await toReceiver(sandbox, receiver);
		const message_id = await delivered(sandbox);
		expect(statuses(receiver)).toEqual(['sent', 'delivered']);
		expect(JSON.parse(receiver.received[1]?.body ?? '')).toMatchObject({
			event: 'message.status',
			message_id,
			status: 'delivered',
			channel: 'sms',
			to: PHONE,
			cost: 0.05,
		});
		const [newest] = await callbackList(sandbox);
		expect((await sandbox.control('GET', `callbacks/${newest?.id}`)).body).toMatchObject({
			status: 'delivered',
			attempts: [
				{
					request: { url: receiver.url, content_type: 'application/json', body: receiver.received[1]?.body },
					http_status: 200,
					problem: null,
				},
			],
		});
		expect((await sandbox.control('GET', `messages/${message_id}`)).body).toMatchObject({
			timeline: [{ status: 'submitted' }, { status: 'sent' }, { status: 'delivered' }],
			callbacks: [{ status: 'delivered' }, { status: 'delivered' }],
		});
	});

	it('delivers no callback without a callback URL', async () => {
		await using sandbox = await run();
		await delivered(sandbox);
		expect(await callbackList(sandbox)).toEqual([]);
	});

	it.each(['flat', 'data', 'message', 'pascal'])(
		'can be read in the shape %s, as JSON and as a form',
		async (shape) => {
			await using sandbox = await run();
			await using receiver = await listen();
			await toReceiver(sandbox, receiver, { callback_shape: shape });
			const message_id = await delivered(sandbox);
			await sandbox.control('POST', 'wallet/adjust', { amount: -39 });
			await settled(sandbox);
			const [sent, , alert] = receiver.received.map(({ body }): unknown => JSON.parse(body));
			expect(events.deliveryReceipt.payload.parse(sent)).toMatchObject({ message_id, status: 'sent', to: PHONE });
			expect(events.lowBalance.payload.parse(alert)).toMatchObject({ balance: 0.95, threshold: 5, currency: 'GHS' });
			await sandbox.control('PUT', 'settings', { callback_format: 'form' });
			await delivered(sandbox);
			const form = receiver.received.at(-1);
			expect(form?.headers['content-type']).toBe('application/x-www-form-urlencoded');
			expect([...new URLSearchParams(form?.body).values()]).toContain('delivered');
		},
	);

	it('arrive twice, late or in another order if the settings say so', async () => {
		await using sandbox = await run();
		await using receiver = await listen();
		await toReceiver(sandbox, receiver, { callback_copies: 2, callback_reordered: true, callback_delay: 1000 });
		await delivered(sandbox);
		expect(statuses(receiver)).toEqual([]);
		await sandbox.advance(1000);
		await settled(sandbox);
		expect(statuses(receiver)).toEqual(['delivered', 'delivered']);
		await sandbox.advance(5000);
		await settled(sandbox);
		expect(statuses(receiver)).toEqual(['delivered', 'delivered', 'sent', 'sent']);
	});

	it.each([
		['+233990000011', ['delivered', 'sent']],
		['+233990000012', ['sent', 'sent', 'sent', 'delivered', 'delivered', 'delivered']],
		['+233990000013', []],
		['+233990000002', ['sent', 'failed']],
	])('delivers the callbacks of %s as the magic number says', async (to, expected) => {
		await using sandbox = await run();
		await using receiver = await listen();
		await toReceiver(sandbox, receiver);
		await delivered(sandbox, to);
		await sandbox.advance(6000);
		await settled(sandbox);
		expect(statuses(receiver)).toEqual(expected);
	});

	it('delivers the callbacks of one magic number before the response to the send', async () => {
		await using sandbox = await run();
		await using receiver = await listen();
		await toReceiver(sandbox, receiver);
		await sandbox.sent({ to: '+233990000010' });
		expect(statuses(receiver)).toEqual(['sent']);
	});
});

describe('delivery', () => {
	it('attempts a callback six times, by the sandbox’s clock, and replays it on request', async () => {
		await using sandbox = await run();
		await using receiver = await listen(503);
		await toReceiver(sandbox, receiver);
		await sandbox.sent();
		await sandbox.advance(300);
		await settled(sandbox);
		for (const [wait, count] of [
			[4999, 1],
			[1, 2],
			[30_000, 3],
			[120_000, 4],
			[600_000, 5],
			[3_600_000, 6],
			[86_400_000, 6],
		] as const) {
			await sandbox.advance(wait);
			await settled(sandbox);
			expect(statuses(receiver).filter((status) => status === 'sent')).toHaveLength(count);
		}
		const oldest = (await callbackList(sandbox)).at(-1);
		expect(oldest).toMatchObject({ status: 'given_up', attempt_count: 6 });
		await using good = await listen();
		expect((await sandbox.control('POST', `callbacks/${oldest?.id}/replay`)).status).toBe(202);
		await settled(sandbox);
		expect(statuses(receiver).filter((status) => status === 'sent')).toHaveLength(7);
		expect(good.received).toEqual([]);
		expect((await sandbox.control('GET', `callbacks/${oldest?.id}`)).body).toMatchObject({
			status: 'waiting',
			attempts: Array.from({ length: 7 }, () => ({ http_status: 503, problem: 'responded with 503' })),
		});
		expect((await sandbox.control('POST', 'callbacks/999/replay')).status).toBe(404);
	});

	it('stops after a 410, and the URL is removed', async () => {
		await using sandbox = await run();
		await using receiver = await listen(410);
		await toReceiver(sandbox, receiver);
		await sandbox.sent();
		await sandbox.advance(300);
		await settled(sandbox);
		expect(await callbackList(sandbox)).toMatchObject([{ status: 'given_up', attempt_count: 1 }]);
		expect((await sandbox.control('GET', 'settings')).body).toMatchObject({ callback_url: null });
		await sandbox.advance(10_000);
		await settled(sandbox);
		expect(receiver.received).toHaveLength(1);
	});

	it('sends callbacks only to this machine unless allowed', async () => {
		await using sandbox = await run();
		await sandbox.control('PUT', 'settings', {
			callback_url: 'http://192.0.2.1/hook',
			inbound_url: 'http://192.0.2.1/hook',
		});
		await sandbox.sent();
		await sandbox.advance(300);
		await settled(sandbox);
		const [callback] = await callbackList(sandbox);
		expect((await sandbox.control('GET', `callbacks/${callback?.id}`)).body).toMatchObject({
			attempts: [{ http_status: null, problem: expect.stringMatching(/^not sent: .*allow_outside_urls/) as unknown }],
		});
		await sandbox.control('POST', `phones/${PHONE}/texts`, { to: 'KOFISHOP', message: 'x' });
		await sandbox.thread(PHONE, (entries) =>
			entries.some(({ delivery }) => delivery?.problem?.startsWith('not sent') ?? false),
		);
	});

	it('delays neither a send nor the stop of the sandbox by a callback to a dead receiver', async () => {
		const sandbox = await run();
		await using hanging = await listen('hang');
		await toReceiver(sandbox, hanging);
		for (let sent = 0; sent < 40; sent += 1) await sandbox.sent();
		await sandbox.advance(1000);
		await hanging.next;
		await sandbox.sent();
		// All are in flight or waiting. If a send had waited for one, that one would have failed by now.
		const counts = (await callbackList(sandbox)).map(({ attempt_count }) => attempt_count);
		expect(new Set(counts)).toEqual(new Set([0]));
		await sandbox.sandbox.stop();
	});

	it('delivers the pending callbacks after a restart', async () => {
		const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
		const data = join(folder, 'state.db');
		await using receiver = await listen('hang');
		{
			await using sandbox = await run({ data });
			await toReceiver(sandbox, receiver);
			await sandbox.sent();
			await sandbox.control('POST', 'clock/advance', { milliseconds: 300 });
			await receiver.next;
		}
		receiver.answer(200);
		{
			await using sandbox = await run({ data });
			await settled(sandbox);
			expect(statuses(receiver)).toEqual(['sent', 'sent']);
			expect(await callbackList(sandbox)).toMatchObject([{ status: 'delivered', attempt_count: 1 }]);
		}
		rmSync(folder, { recursive: true });
	});

	it('ends with a reset of the sandbox', async () => {
		await using sandbox = await run();
		await using receiver = await listen(500);
		await toReceiver(sandbox, receiver);
		await sandbox.sent();
		await sandbox.control('PUT', 'snapshots/before');
		await sandbox.advance(300);
		await settled(sandbox);
		expect(receiver.received).toHaveLength(1);
		await sandbox.control('POST', 'snapshots/before/restore');
		expect(await callbackList(sandbox)).toEqual([]);
	});
});

describe('low-balance alert', () => {
	const alerts = async (sandbox: TestSandbox) =>
		(await callbackList(sandbox)).filter(({ event }) => event === 'wallet.low_balance').length;
	const adjust = async (sandbox: TestSandbox, amount: number) =>
		expect((await sandbox.control('POST', 'wallet/adjust', { amount })).status).toBe(200);

	it('sends a low-balance alert once when the balance falls below the threshold, and again only after it was well above', async () => {
		await using sandbox = await run();
		await using receiver = await listen();
		await toReceiver(sandbox, receiver, { low_balance_threshold: 10 });
		await adjust(sandbox, -30);
		expect(await alerts(sandbox)).toBe(0);
		await sandbox.sent();
		expect(await alerts(sandbox)).toBe(1);
		await adjust(sandbox, 0.5);
		await adjust(sandbox, -1);
		expect(await alerts(sandbox)).toBe(1);
		await adjust(sandbox, 2);
		await adjust(sandbox, -5);
		expect(await alerts(sandbox)).toBe(2);
		await settled(sandbox);
		expect(receiver.received.map(({ body }) => field(body, 'balance'))).toEqual([9.95, 6.45]);
	});

	it('sends no low-balance alert without a threshold', async () => {
		await using sandbox = await run();
		await using receiver = await listen();
		await toReceiver(sandbox, receiver, { low_balance_threshold: null });
		await adjust(sandbox, -40);
		expect(await alerts(sandbox)).toBe(0);
	});
});
