import type { INodeParameters } from 'n8n-workflow';
import { closedPort } from '../support/closedPort';
import { endRetryWaits } from '../support/endRetryWaits';
import { jsonServer } from '../support/jsonServer';
import { run, type TestSandbox } from '../support/testSandbox';
import { startWalletEngine } from '../support/n8n/walletEngine';

endRetryWaits();

let service: TestSandbox;
beforeAll(async () => {
	service = await run();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(async () => {
	await service.control('POST', 'reset');
	await service.control('PUT', 'settings', { requests_per_second: 100_000 });
});

const walletTrigger = (
	parameters: INodeParameters,
	baseUrl = service.sandbox.baseUrl,
	apiKey = service.sandbox.apiKey,
) => startWalletEngine({ messagingServiceApi: { baseUrl, apiKey, authHeader: 'X-API-Key' } }, parameters);
const adjust = async (amount: number) =>
	expect((await service.control('POST', 'wallet/adjust', { amount })).status).toBe(200);
const book = async (count: number, amount = -0.01) => {
	for (let booked = 0; booked < count; booked += 1) await adjust(amount);
};
const fault = async (going: object) =>
	expect((await service.control('POST', 'faults', going)).status).toBeLessThan(300);
const amounts = (items: ReadonlyArray<Record<string, unknown>> | null) => items?.map(({ amount }) => amount) ?? null;

describe('Low Balance of the wallet trigger', () => {
	const below = (threshold: number): INodeParameters => ({
		triggerOn: ['lowBalance'],
		thresholdUnit: 'currency',
		threshold,
	});
	const moves: Array<[string, number, boolean]> = [
		['far above', 30, false],
		['at the threshold', 10, false],
		['just below', 9.99, true],
		['lower', 2, false],
		['above, but not by a tenth', 10.99, false],
		['below again', 9, false],
		['above by a tenth', 11, false],
		['below once more', 9.5, true],
	];

	it('fires once for each drop below the threshold, and not for small moves around it', async () => {
		const trigger = await walletTrigger(below(10));
		let balance = 40;
		for (const [what, to, fires] of moves) {
			await adjust(Number((to - balance).toFixed(2)));
			balance = to;
			const items = await trigger.poll();
			expect([what, items?.map((item) => item.balance) ?? null]).toEqual([what, fires ? [to] : null]);
		}
	});

	it("returns the same keys as the service's low-balance alert, and more", async () => {
		await adjust(-36);
		expect(await (await walletTrigger(below(5))).poll()).toEqual([
			{
				event: 'wallet.low_balance',
				balance: 4,
				threshold: 5,
				currency: 'GHS',
				messages_left: null,
				low: true,
			},
		]);
	});

	it('fires once at activation if the balance is already low', async () => {
		await adjust(-39);
		const trigger = await walletTrigger(below(10));
		expect(await trigger.poll()).toHaveLength(1);
		expect(await trigger.poll()).toBeNull();
	});

	it('accepts a threshold in messages', async () => {
		const trigger = await walletTrigger({
			triggerOn: ['lowBalance'],
			thresholdUnit: 'messages',
			messagesLeft: 100,
			pricePerSegment: 0.05,
		});
		await adjust(-35);
		expect(await trigger.poll()).toBeNull();
		await adjust(-0.05);
		expect(await trigger.poll()).toEqual([expect.objectContaining({ balance: 4.95, messages_left: 99, threshold: 5 })]);
	});

	it('compares again after the threshold changes', async () => {
		await adjust(-31);
		const trigger = await walletTrigger(below(10));
		expect(await trigger.poll()).toHaveLength(1);
		trigger.edit(below(9.5));
		expect(await trigger.poll()).toHaveLength(1);
		expect(await trigger.poll()).toBeNull();
		trigger.edit(below(5));
		expect(await trigger.poll()).toBeNull();
		await adjust(-5);
		expect(await trigger.poll()).toHaveLength(1);
	});

	it("fires after a failed poll, and reports the failure in the service's own words", async () => {
		const trigger = await walletTrigger(below(10));
		expect(await trigger.poll()).toBeNull();
		await adjust(-35);
		const body = { code: 'closed', message: 'The books are closed.' };
		await fault({ endpoint: 'wallet.getBalance', kind: 'answer', status: 403, body });
		await expect(trigger.poll()).rejects.toMatchObject({
			message: body.message,
			description: expect.stringContaining('code closed, HTTP 403') as string,
		});
		expect(await trigger.poll()).toHaveLength(1);
	});

	it.each<[INodeParameters, string]>([
		[{ triggerOn: [] }, 'Trigger On'],
		[below(0), 'Balance Below'],
		[
			{ triggerOn: ['lowBalance'], thresholdUnit: 'messages', messagesLeft: 0, pricePerSegment: 1 },
			'Messages Left Below',
		],
		[{ triggerOn: ['lowBalance'], thresholdUnit: 'messages', messagesLeft: 5 }, 'Price per Segment'],
	])('rejects %j at activation', async (parameters, words) => {
		await expect((await walletTrigger(parameters)).poll()).rejects.toThrow(words);
	});
});

describe('New Transaction of the wallet trigger', () => {
	const onTransaction: INodeParameters = { triggerOn: ['newTransaction'] };

	it('ignores transactions before activation, then returns each new one once, oldest first', async () => {
		await book(5);
		const trigger = await walletTrigger(onTransaction);
		expect(await trigger.poll()).toBeNull();
		expect(await trigger.poll()).toBeNull();
		await adjust(-1);
		await adjust(-2);
		const items = await trigger.poll();
		expect(amounts(items)).toEqual([-1, -2]);
		expect(items?.[0]).toMatchObject({
			event: 'wallet.transaction',
			type: 'adjustment',
			balance: expect.any(Number) as number,
		});
		expect(await trigger.poll()).toBeNull();
	});

	it('returns the first transaction of a list that was empty', async () => {
		const rows: Array<Record<string, unknown>> = [];
		await using server = await jsonServer(() => ({ data: rows }));
		const trigger = await walletTrigger(onTransaction, server.baseUrl);
		expect(await trigger.poll()).toBeNull();
		rows.push({ id: 1, type: 'debit', amount: '-0.05' });
		expect(amounts(await trigger.poll())).toEqual([-0.05]);
		expect(await trigger.poll()).toBeNull();
	});

	it.each([99, 100, 101, 250, 430])('returns each of %i transactions between two polls exactly once', async (count) => {
		const trigger = await walletTrigger(onTransaction);
		await trigger.poll();
		await book(count);
		const items = await trigger.poll();
		expect(items).toHaveLength(count);
		expect(new Set(items?.map(({ id }) => id)).size).toBe(count);
		expect(await trigger.poll()).toBeNull();
	});

	it.each(['html', 'answer'])('returns each transaction exactly once if the second page fails (%s)', async (kind) => {
		const trigger = await walletTrigger(onTransaction);
		await trigger.poll();
		await book(150);
		await fault({ endpoint: 'wallet.listTransactions', kind: 'delay', milliseconds: 0 });
		await fault({ endpoint: 'wallet.listTransactions', kind, status: 403 });
		await expect(trigger.poll()).rejects.toThrow();
		await book(1);
		expect(await trigger.poll()).toHaveLength(151);
		expect(await trigger.poll()).toBeNull();
	});

	it('returns each transaction exactly once if others arrive between two pages', async () => {
		const trigger = await walletTrigger(onTransaction);
		await trigger.poll();
		await book(120);
		await fault({ endpoint: 'wallet.listTransactions', kind: 'delay', milliseconds: 100, times: 2 });
		const [first] = await Promise.all([trigger.poll(), book(7)]);
		const second = await trigger.poll();
		const ids = [...(first ?? []), ...(second ?? [])].map(({ id }) => id);
		expect(ids).toHaveLength(127);
		expect(new Set(ids).size).toBe(127);
	});

	it('returns each transaction once if a slow poll overlaps the next', async () => {
		const trigger = await walletTrigger(onTransaction);
		await trigger.poll();
		await book(3);
		await fault({ endpoint: 'wallet.listTransactions', kind: 'delay', milliseconds: 200 });
		const both = await Promise.all([trigger.poll(), trigger.poll()]);
		expect(both.flatMap((items) => items ?? [])).toHaveLength(3);
	});

	it.each([{ list_shape: 'bare' }, { list_shape: 'paged', number_shape: 'text' }, { list_shape: 'named' }])(
		'reads a transaction list in another shape: %j',
		async (shape) => {
			await service.control('PUT', 'settings', shape);
			const trigger = await walletTrigger(onTransaction);
			await trigger.poll();
			await adjust(-1.5);
			expect(amounts(await trigger.poll())).toEqual([-1.5]);
			await service.control('PUT', 'settings', { list_shape: 'data', number_shape: 'number' });
		},
	);

	it('identifies transactions without an ID by all their fields', async () => {
		const rows = [{ type: 'debit', amount: -1, balance: 39, created_at: '2026-11-20 10:00:00' }];
		await using server = await jsonServer(({ searchParams }) => (searchParams.get('offset') === '0' ? rows : []));
		const trigger = await walletTrigger(onTransaction, server.baseUrl);
		await trigger.poll();
		rows.unshift({ type: 'debit', amount: -1, balance: 38, created_at: '2026-11-20 10:00:00' });
		expect(await trigger.poll()).toEqual([expect.objectContaining({ balance: 38 })]);
		expect(await trigger.poll()).toBeNull();
	});

	it('returns the visible transactions of a service that ignores the offset', async () => {
		const rows = [{ id: 1, amount: 1 }];
		await using server = await jsonServer(() => rows.slice(0, 3));
		const trigger = await walletTrigger(onTransaction, server.baseUrl);
		await trigger.poll();
		for (const id of [2, 3, 4, 5]) rows.unshift({ id, amount: id });
		expect(amounts(await trigger.poll())).toEqual([3, 4, 5]);
		expect(await trigger.poll()).toBeNull();
	});

	it('returns no old transactions if the list has none that it knows, as with another account', async () => {
		const trigger = await walletTrigger(onTransaction);
		await book(3);
		await trigger.poll();
		await service.control('POST', 'reset');
		const ids: unknown[] = [];
		await using server = await jsonServer(({ searchParams }) =>
			searchParams.get('offset') === '0' ? ids.map((id) => ({ id, amount: 1 })) : [],
		);
		ids.push(...Array.from({ length: 50 }, (_, index) => `other-${index}`));
		const other = await walletTrigger(onTransaction, server.baseUrl);
		await other.poll();
		ids.splice(0, 50, ...Array.from({ length: 50 }, (_, index) => `third-${index}`));
		expect(await other.poll()).toBeNull();
		ids.unshift('third-new');
		expect(await other.poll()).toEqual([expect.objectContaining({ id: 'third-new' })]);
	});

	it('fails after more than 50,000 new transactions, and continues from the newest', async () => {
		let newest = 100;
		await using server = await jsonServer(({ searchParams }) => {
			const offset = Number(searchParams.get('offset'));
			return Array.from({ length: Math.min(100, Math.max(0, newest - offset)) }, (_, index) => ({
				id: newest - offset - index,
				amount: -1,
			}));
		});
		const trigger = await walletTrigger(onTransaction, server.baseUrl);
		await trigger.poll();
		newest += 60_000;
		await expect(trigger.poll()).rejects.toThrow('More than 50,000 transactions');
		expect(await trigger.poll()).toBeNull();
		newest += 1;
		expect(await trigger.poll()).toEqual([expect.objectContaining({ id: '60101' })]);
	});

	it.each<[string, INodeParameters['onlyTypes']]>([
		['chosen in the list', ['debit', 'refund']],
		['as text from an expression', 'debit, Refund'],
	])('returns only the types in Only Types, %s', async (_, onlyTypes) => {
		const trigger = await walletTrigger({ ...onTransaction, options: { onlyTypes } });
		await trigger.poll();
		await adjust(-1);
		await service.sent();
		expect((await trigger.poll())?.map(({ type }) => type)).toEqual(['debit']);
	});

	it('returns the transactions that mean a chosen type, whatever the service names them', async () => {
		let rows = [{ id: 1, type: 'recharge', amount: 5 }];
		await using server = await jsonServer(() => rows);
		const trigger = await walletTrigger({ ...onTransaction, options: { onlyTypes: ['debit'] } }, server.baseUrl);
		await trigger.poll();
		rows = [{ id: 3, type: 'usage', amount: -1 }, { id: 2, type: 'recharge', amount: 5 }, ...rows];
		expect((await trigger.poll())?.map(({ type }) => type)).toEqual(['usage']);
	});

	it('stores little data, however many transactions there were', async () => {
		const trigger = await walletTrigger(onTransaction);
		await trigger.poll();
		await book(700);
		await trigger.poll();
		expect(JSON.stringify(trigger.memory()).length).toBeLessThan(12_000);
	});
});

describe('Top-Up Completed of the wallet trigger', () => {
	const onTopUp: INodeParameters = { triggerOn: ['topUpCompleted'] };
	const topUp = async (amount = 20) => {
		const { body } = await service.api('POST', 'wallet/topup', { amount });
		return (body as { reference: string }).reference;
	};
	const pay = async (reference: string) =>
		expect((await service.control('POST', `top-ups/${reference}/checkout`, { action: 'pay' })).status).toBe(200);

	it('fires when a top-up is paid, not before, and for nothing else', async () => {
		const trigger = await walletTrigger(onTopUp);
		await trigger.poll();
		const reference = await topUp();
		await service.sent();
		expect(await trigger.poll()).toBeNull();
		await pay(reference);
		expect(await trigger.poll()).toEqual([
			expect.objectContaining({ event: 'wallet.topup_completed', type: 'topup', amount: 20, reference }),
		]);
		expect(await trigger.poll()).toBeNull();
	});

	it('returns one item for a top-up together with New Transaction', async () => {
		const trigger = await walletTrigger({ triggerOn: ['newTransaction', 'topUpCompleted'] });
		await trigger.poll();
		await pay(await topUp());
		await adjust(-1);
		expect((await trigger.poll())?.map(({ event }) => event)).toEqual(['wallet.topup_completed', 'wallet.transaction']);
	});

	it('fires for a pending top-up once it completes, even after other transactions', async () => {
		const rows: Array<Record<string, unknown>> = [{ id: 1, type: 'debit', amount: -1 }];
		const status = new Map([
			['t1', 'pending'],
			['t2', 'pending'],
		]);
		await using server = await jsonServer(({ pathname, searchParams }) => {
			const [, reference] = /topup\/(\w+)/.exec(pathname) ?? [];
			if (reference !== undefined) {
				return { success: true, reference, status: status.get(reference), amount: 20, type: 'topup' };
			}
			const offset = Number(searchParams.get('offset'));
			return rows.slice(offset, offset + Number(searchParams.get('limit')));
		});
		const trigger = await walletTrigger(onTopUp, server.baseUrl);
		await trigger.poll();
		rows.unshift({ id: 2, type: 'topup', amount: 20, status: 'pending', reference: 't1' });
		rows.unshift({ id: 3, type: 'topup', amount: 20, status: 'pending', reference: 't2' });
		expect(await trigger.poll()).toBeNull();
		for (let id = 4; id < 300; id += 1) rows.unshift({ id, type: 'debit', amount: -1 });
		expect(await trigger.poll()).toBeNull();
		status.set('t1', 'completed');
		status.set('t2', 'failed');
		expect(await trigger.poll()).toEqual([
			expect.objectContaining({ event: 'wallet.topup_completed', reference: 't1', status: 'completed' }),
		]);
		expect(await trigger.poll()).toBeNull();
	});
});

describe('a top-up that the service cannot report on', () => {
	const listing = async (triggerOn: string[], more: (rows: Array<Record<string, unknown>>) => void) => {
		const rows: Array<Record<string, unknown>> = [{ id: 1, type: 'debit', amount: -1 }];
		const requests: string[] = [];
		await using server = await jsonServer(({ pathname }) => {
			requests.push(pathname);
			const [, reference] = /topup\/(\w+)/.exec(pathname) ?? [];
			if (reference === 't1') return { success: false, message: 'No such thing' };
			return reference === undefined ? rows : { success: true, reference, status: 'completed', amount: 20 };
		});
		const trigger = await walletTrigger({ triggerOn }, server.baseUrl);
		await trigger.poll();
		rows.unshift({ id: 2, type: 'topup', amount: 20, status: 'pending', reference: 't1' });
		await trigger.poll();
		more(rows);
		const items = [...((await trigger.poll()) ?? []), ...((await trigger.poll()) ?? [])];
		return { items, requests };
	};

	it('does not delay transactions or other top-ups', async () => {
		const { items } = await listing(['newTransaction', 'topUpCompleted'], (rows) => {
			rows.unshift({ id: 3, type: 'topup', amount: 20, status: 'pending', reference: 't2' });
			rows.unshift({ id: 4, type: 'debit', amount: -7 });
		});
		expect(items).toEqual([
			expect.objectContaining({ event: 'wallet.transaction', type: 'topup' }),
			expect.objectContaining({ event: 'wallet.transaction', amount: -7 }),
			expect.objectContaining({ event: 'wallet.topup_completed', reference: 't2' }),
		]);
	});

	it("does not ask for a top-up's status without Top-Up Completed", async () => {
		const { items, requests } = await listing(['newTransaction'], (rows) => {
			rows.unshift({ id: 4, type: 'debit', amount: -7 });
		});
		expect(amounts(items)).toEqual([-7]);
		expect(requests.filter((path) => path.includes('topup'))).toEqual([]);
	});
});

describe('several events of the wallet trigger', () => {
	it('returns the events it found if another event fails, and loses nothing of the other', async () => {
		const trigger = await walletTrigger({
			triggerOn: ['lowBalance', 'newTransaction'],
			thresholdUnit: 'currency',
			threshold: 10,
		});
		expect(await trigger.poll()).toBeNull();
		await adjust(-35);
		await fault({ endpoint: 'wallet.listTransactions', kind: 'answer', status: 403 });
		expect((await trigger.poll())?.map(({ event }) => event)).toEqual(['wallet.low_balance']);
		expect((await trigger.poll())?.map(({ event }) => event)).toEqual(['wallet.transaction']);
		expect(await trigger.poll()).toBeNull();
	});
});

describe('a test of the wallet trigger in the editor', () => {
	const all: INodeParameters = {
		triggerOn: ['lowBalance', 'newTransaction', 'topUpCompleted'],
		thresholdUnit: 'currency',
		threshold: 5,
	};

	it('shows the current state, and an example if there is no data', async () => {
		const trigger = await walletTrigger(all);
		await adjust(-1);
		const [newest, example, balance] = (await trigger.poll('manual')) ?? [];
		expect(newest).toMatchObject({ event: 'wallet.transaction', amount: -1 });
		expect(newest).not.toHaveProperty('sample');
		expect(example).toMatchObject({ event: 'wallet.topup_completed' });
		expect(balance).toMatchObject({ event: 'wallet.low_balance', balance: 39, low: false });
		expect(trigger.memory()).toEqual({});
	});

	it('does not consume the events of the active workflow', async () => {
		const trigger = await walletTrigger(all);
		await trigger.poll();
		await adjust(-36);
		await trigger.poll('manual');
		expect(await trigger.poll()).toHaveLength(2);
	});

	it.each<[string, () => Promise<string>, string, string]>([
		['a rejected key', () => Promise.resolve(service.sandbox.baseUrl), 'sk_sandbox_wrong', 'API key'],
		['no server', async () => `http://127.0.0.1:${await closedPort()}/api/v1/`, 'sk_sandbox_demo', 'ECONNREFUSED'],
		['an invalid base URL', () => Promise.resolve('http://service.example'), 'sk_live_x', 'Base URL'],
	])(
		'reports the reason for a failed test: %s',
		async (_, baseUrl, apiKey, words) => {
			const trigger = await walletTrigger(all, await baseUrl(), apiKey);
			await expect(trigger.poll('manual')).rejects.toThrow(words);
			await expect(trigger.poll()).rejects.toThrow(words);
		},
		60_000,
	);
});
