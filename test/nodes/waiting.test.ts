import type { INode, INodeParameters } from 'n8n-workflow';
import { z } from 'zod/v4';
import { PAYER_STEPS } from '../../shared';
import { eventually } from '../support/eventually';
import { fakeTimeouts } from '../support/fakeTimeouts';
import { startEngine, type Engine, type NodeRun } from '../support/n8n/engine';
import { skipWaits } from '../support/skipWaits';
import { stubServer } from '../support/stubServer';
import { useSandbox } from '../support/useSandbox';

const { sandbox, control } = useSandbox();
let engine: Engine;

beforeAll(async () => {
	engine = await startEngine({
		messagingServiceApi: { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, authHeader: 'X-API-Key' },
	});
});
beforeEach(async () => {
	await control.settings({ requests_per_second: 10_000 });
});

const run = async (parameters: INodeParameters, more: Partial<NodeRun> = {}) => {
	const result = await engine.run({ parameters, ...more });
	return { ...result, rows: result.outputs[0]?.map(({ json }) => json) ?? [] };
};
const requests = async (endpoint: string) =>
	(await control.requests()).filter((request) => request.endpoint === endpoint);
const firstAsked = async (endpoint: string, count = 1) =>
	await eventually(`${count} calls of ${endpoint}`, async () =>
		(await requests(endpoint)).length >= count ? true : undefined,
	);

describe('Message > Wait for Delivery', () => {
	const waitFor = (messageId: string, timeLimit: INodeParameters[string] = 30): INodeParameters => ({
		resource: 'message',
		operation: 'waitForDelivery',
		messageId,
		timeLimit,
	});
	async function send(...recipients: string[]): Promise<string[]> {
		const { rows } = await run(
			{
				resource: 'sms',
				operation: 'send',
				senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
				to: '={{ $json.to }}',
				message: 'Hi',
			},
			{ items: recipients.map((to) => ({ to })) },
		);
		return rows.map(({ message_id }) => z.string().parse(message_id));
	}

	it('returns a final delivery status at once', async () => {
		const [delivered = '', failed = ''] = await send('+233201234567', '+233990000002');
		await control.advanceClock(60_000);
		const items = [{ id: delivered }, { id: failed }];
		const { rows, outputs } = await run(waitFor('={{ $json.id }}'), { items });
		expect(rows).toEqual([
			expect.objectContaining({ message_id: delivered, status: 'delivered', channel: 'sms', timed_out: false }),
			expect.objectContaining({ message_id: failed, status: 'failed', timed_out: false }),
		]);
		expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		expect(await requests('message.get')).toHaveLength(2);
	});

	it.each([
		{ status: 'success', data: { message: { id: 'm1', state: 'delivered' } } },
		{ status: 'ok', data: { id: 'm1', status: 'undelivered' } },
	])('ends at once on the status of the message, not of its envelope: %j', async (body) => {
		await using service = await stubServer(() => ({ status: 200, body: JSON.stringify(body) }));
		const other = await startEngine({
			messagingServiceApi: { baseUrl: service.baseUrl, apiKey: 'sk_test_1', authHeader: 'X-API-Key' },
		});
		const { outputs } = await other.run({ parameters: waitFor('m1', 0) });
		expect(outputs[0]?.map(({ json }) => json)).toEqual([
			expect.objectContaining({ status: /undelivered|delivered/.exec(JSON.stringify(body))?.[0], timed_out: false }),
		]);
	});

	it('waits until the message is delivered', async () => {
		const [id = ''] = await send('+233201234567');
		const waiting = run(waitFor(id));
		await firstAsked('message.get');
		await control.advanceClock(60_000);
		expect((await waiting).rows).toEqual([expect.objectContaining({ status: 'delivered', timed_out: false })]);
		expect(await requests('message.get')).toHaveLength(2);
	});

	it('returns timed_out if the message is not delivered at the time limit', async () => {
		const [id = ''] = await send('+233990000016');
		const { status, rows } = await run(waitFor(id, 0));
		expect(status).toBe('success');
		expect(rows).toEqual([expect.objectContaining({ message_id: id, status: 'submitted', timed_out: true })]);
	});

	it.each(['pending', 'accepted', 'scheduled', 'ENROUTE', 'in transit', 'success', 'a new status'])(
		'continues to wait at the delivery status %s',
		async (status) => {
			const body = { message_id: 'm1', status };
			await control.fault({ endpoint: 'message.get', kind: 'answer', status: 200, body });
			expect((await run(waitFor('m1', 0))).rows).toEqual([expect.objectContaining({ status, timed_out: true })]);
		},
	);

	it.each(['Delivered', 'DELIVRD', 'undelivered', 'UNDELIV', 'Rejected', 'expired', 'read'])(
		'stops at the delivery status %s',
		async (status) => {
			const body = { message_id: 'm1', status };
			await control.fault({ endpoint: 'message.get', kind: 'answer', status: 200, body });
			expect((await run(waitFor('m1', 0))).rows).toEqual([expect.objectContaining({ status, timed_out: false })]);
		},
	);

	it('continues from pending to delivered', async () => {
		using _ = skipWaits(1_000);
		const [id = ''] = await send('+233201234567');
		const body = { message_id: id, status: 'pending' };
		await control.fault({ endpoint: 'message.get', kind: 'answer', status: 200, body });
		await control.advanceClock(60_000);
		const { rows } = await run(waitFor(id));
		expect(rows).toEqual([expect.objectContaining({ status: 'delivered', timed_out: false })]);
	});

	it('waits for all items at the same time, even above the concurrency limit', async () => {
		const ids = await send(...Array.from({ length: 12 }, (_, index) => `+2332012345${String(index + 10)}`));
		const items = ids.map((id) => ({ id }));
		const waiting = run(waitFor('={{ $json.id }}'), { items });
		// If each item held its slot while it waits, the sixth would not be requested before the first ends.
		await firstAsked('message.get', 12);
		await control.advanceClock(60_000);
		expect((await waiting).rows.map(({ message_id, status }) => [message_id, status])).toEqual(
			ids.map((id) => [id, 'delivered']),
		);
		expect(await requests('message.get')).toHaveLength(24);
	});

	it('ends a pause when the execution is canceled', async () => {
		const [id = ''] = await send('+233201234567');
		let cancel = () => {};
		// No timer fires, so only the cancellation can end the pause.
		fakeTimeouts({ realPerformance: true });
		try {
			const ended = jest.fn();
			const waiting = run(waitFor(id, 3600), { onStart: (stop) => (cancel = stop) });
			void waiting.then(ended);
			await firstAsked('message.get');
			await eventually('the pause', () => (jest.getTimerCount() > 0 ? true : undefined));
			cancel();
			await eventually('the end of the run', () => (ended.mock.calls.length > 0 ? true : undefined), 10_000);
			expect((await waiting).status).toBe('canceled');
			expect(await requests('message.get')).toHaveLength(1);
		} finally {
			jest.useRealTimers();
		}
	});

	it("shows the service's own words for an unknown message, and ends the other waits", async () => {
		const [id = ''] = await send('+233990000016');
		const items = [{ id }, { id: 'msg_unknown' }];
		const { error } = await run(waitFor('={{ $json.id }}', 3600), { items });
		expect(error?.message).toContain('msg_unknown');
		expect(error?.message).toContain('(item 2 of 2)');
	});

	it('waits for the other items when the run continues on errors', async () => {
		const [id = ''] = await send('+233201234567');
		await control.advanceClock(60_000);
		const settings: Partial<INode> = { onError: 'continueRegularOutput' };
		const items = [{ id: 'msg_unknown' }, { id }];
		const { rows } = await run(waitFor('={{ $json.id }}'), { items, settings });
		expect(rows).toEqual([
			expect.objectContaining({ outcome: 'rejected', error: expect.stringContaining('msg_unknown') as string }),
			expect.objectContaining({ status: 'delivered' }),
		]);
	});

	it.each([3601, -1, 'soon', ''])('rejects a time limit of %j', async (timeLimit) => {
		const { error } = await run(waitFor('m', `={{ ${JSON.stringify(timeLimit)} }}`));
		expect(error?.message).toMatch(/^Time Limit \(Seconds\) .*\b3600\b/);
		expect(await control.requests()).toEqual([]);
	});
});

describe('Wallet > Wait for Top-Up', () => {
	const waitFor = (reference: string, timeLimit = 30): INodeParameters => ({
		resource: 'wallet',
		operation: 'waitForTopUp',
		reference,
		timeLimit,
	});
	const create = async (amount: number) => {
		const { rows } = await run({ resource: 'wallet', operation: 'createTopUp', amount });
		return z.string().parse(rows[0]?.reference);
	};

	it('waits until a top-up is paid, and returns the balance', async () => {
		const reference = await create(50);
		const waiting = run(waitFor(reference));
		await firstAsked('wallet.getTopUp');
		await control.checkOut(reference, 'pay');
		expect((await waiting).rows).toEqual([
			expect.objectContaining({ reference, status: 'completed', balance: 90, timed_out: false }),
		]);
	});

	it('stops at a failed payment, a status that the API does not document', async () => {
		const reference = await create(50);
		await control.checkOut(reference, 'decline');
		expect((await run(waitFor(reference))).rows).toEqual([
			expect.objectContaining({ status: 'failed', timed_out: false }),
		]);
	});

	it('returns timed_out if no one pays', async () => {
		const { rows } = await run(waitFor(await create(50), 0));
		expect(rows).toEqual([expect.objectContaining({ status: 'pending', timed_out: true })]);
	});

	it.each([
		['approve', 'yes'],
		['decline', 'no'],
	])('reports a prompt that never came as pending, until the payer chooses to %s', async (action, paid) => {
		const reference = await create(50.04);
		await control.checkOut(reference, 'pay', 'mobile_money');
		expect((await run(waitFor(reference, 0))).rows).toEqual([
			expect.objectContaining({ status: 'pending', paid: 'pending', payer_steps: PAYER_STEPS, timed_out: true }),
		]);
		await control.checkOut(reference, action);
		const { rows } = await run({ resource: 'wallet', operation: 'getTopUp', reference });
		expect(rows).toEqual([expect.objectContaining({ paid })]);
		expect(rows[0]).not.toHaveProperty('payer_steps');
	});

	it('does not trust the status in the return URL', async () => {
		const reference = await create(50);
		const { rows } = await run(waitFor(`https://shop.example/thanks?reference=${reference}&status=completed`, 0));
		expect(rows).toEqual([
			expect.objectContaining({ reference, status: 'pending', returned_status: 'completed', timed_out: true }),
		]);
	});

	it('asks once about a customer who returned without paying', async () => {
		const reference = await create(50);
		const { rows } = await run(waitFor('={{ $json.query }}', 3600), {
			items: [{ query: { reference, status: 'cancelled' } }],
		});
		expect(rows).toEqual([expect.objectContaining({ status: 'pending', returned_status: 'cancelled' })]);
		expect(await requests('wallet.getTopUp')).toHaveLength(1);
	});

	it.each([
		['the query in the form of a Webhook node', '={{ $json.query }}'],
		['the whole return URL', '=https://shop.example/thanks?status=pending&reference={{ $json.query.reference }}#top'],
		['the query as text', '=reference={{ $json.query.reference }}&status=pending'],
	])('Get Top-Up accepts %s', async (_, reference) => {
		const query = { reference: await create(50), status: 'pending' };
		const { rows } = await run({ resource: 'wallet', operation: 'getTopUp', reference }, { items: [{ query }] });
		expect(rows).toEqual([
			expect.objectContaining({ reference: query.reference, status: 'pending', returned_status: 'pending' }),
		]);
	});

	it.each(['getTopUp', 'waitForTopUp'])('%s rejects a missing reference', async (operation) => {
		const { error } = await run({ resource: 'wallet', operation, reference: '={{ $json.nothing }}' });
		expect(error?.message).toMatch(/^Reference /);
		expect(await control.requests()).toEqual([]);
	});
});

describe('Wallet > Create Top-Up', () => {
	it('shows fee and total in GHS beside the link', async () => {
		const { rows } = await run({ resource: 'wallet', operation: 'createTopUp', amount: 50 });
		expect(Object.keys(rows[0] ?? {}).slice(0, 5)).toEqual([
			'outcome',
			'checkout_url',
			'amount_credit',
			'fee',
			'total_charged_ghs',
		]);
		expect(rows[0]).toMatchObject({ amount_credit: 50, fee: 1, total_charged_ghs: 51, payer_steps: PAYER_STEPS });
	});
});
