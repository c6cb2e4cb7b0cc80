import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { jsonServer } from '../support/jsonServer';
import { startWalletEngine } from '../support/n8n/walletEngine';

type Row = Record<string, unknown>;

/** A service whose list of transactions the test can change. The newest row is the first of `rows`. */
async function serviceWith(begin: readonly Row[], { oldestFirst = false, ignoresOffset = false } = {}) {
	const state = {
		rows: [...begin],
		body: undefined as unknown,
		topUps: new Map<string, string>(),
		balance: 40,
		pages: 0,
	};
	const server = await jsonServer(({ pathname, searchParams }) => {
		const [, reference] = /topup\/(\w+)/.exec(pathname) ?? [];
		if (reference !== undefined) return { success: true, reference, status: state.topUps.get(reference), amount: 20 };
		if (pathname.endsWith('/balance')) return { balance: state.balance, currency: 'GHS' };
		state.pages += 1;
		if (state.body !== undefined) return state.body;
		const offset = ignoresOffset ? 0 : Number(searchParams.get('offset'));
		const listed = oldestFirst ? state.rows.toReversed() : state.rows;
		return { data: listed.slice(offset, offset + Number(searchParams.get('limit'))) };
	});
	return { ...server, state, baseUrl: server.baseUrl, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const walletTrigger = (baseUrl: string, parameters: INodeParameters) =>
	startWalletEngine({ messagingServiceApi: { baseUrl, apiKey: 'sk_live_1', authHeader: 'X-API-Key' } }, parameters);
const onAll: INodeParameters = { triggerOn: ['newTransaction', 'topUpCompleted'] };
const onTopUp: INodeParameters = { triggerOn: ['topUpCompleted'] };
const ids = (items: readonly IDataObject[] | null) => items?.map(({ id }) => id) ?? [];

const history = (count: number, from = 1): Row[] =>
	Array.from({ length: count }, (_, index) => {
		const id = from + count - 1 - index;
		return { id: `t-${id}`, type: id % 10 === 0 ? 'topup' : 'debit', amount: id % 10 === 0 ? 20 : -1 };
	});

describe('a transaction list that loses rows', () => {
	it.each<[string, unknown]>([
		['an empty list', { data: [] }],
		['an empty list beside an error', { error: 'moved', data: [] }],
		['an empty list without an envelope', []],
	])('does not return old transactions again after %s', async (_, body) => {
		await using service = await serviceWith(history(230));
		const trigger = await walletTrigger(service.baseUrl, onAll);
		expect(await trigger.poll()).toBeNull();
		service.state.body = body;
		expect(await trigger.poll().catch(() => null)).toBeNull();
		expect(await trigger.poll().catch(() => null)).toBeNull();
		service.state.body = undefined;
		expect(await trigger.poll()).toBeNull();
		service.state.rows.unshift({ id: 't-231', type: 'debit', amount: -1 });
		expect(ids(await trigger.poll())).toEqual(['t-231']);
	});

	it('returns each transaction added while the list was empty once', async () => {
		await using service = await serviceWith(history(150));
		const trigger = await walletTrigger(service.baseUrl, onAll);
		await trigger.poll();
		service.state.body = { data: [] };
		await trigger.poll();
		service.state.rows.unshift(...history(120, 151));
		service.state.body = undefined;
		expect(new Set(ids(await trigger.poll())).size).toBe(120);
		expect(await trigger.poll()).toBeNull();
	});

	it.each([1, 60, 140, 200, 250, 280, 299, 300, 390])(
		'returns no old row while the newest %i rows are missing, nor when they return',
		async (missing) => {
			await using service = await serviceWith(history(400));
			const trigger = await walletTrigger(service.baseUrl, onAll);
			await trigger.poll();
			const whole = service.state.rows;
			service.state.rows = whole.slice(missing);
			expect(await trigger.poll()).toBeNull();
			service.state.rows = [{ id: 'n-1', type: 'debit', amount: -1 }, ...whole.slice(missing)];
			await trigger.poll();
			service.state.rows = [{ id: 'n-1', type: 'debit', amount: -1 }, ...whole];
			expect(await trigger.poll()).toBeNull();
			service.state.rows.unshift({ id: 'n-2', type: 'debit', amount: -1 });
			expect(ids(await trigger.poll())).toEqual(['n-2']);
		},
	);

	it('continues after the service listed another account for a while', async () => {
		await using service = await serviceWith(history(150));
		const trigger = await walletTrigger(service.baseUrl, onAll);
		await trigger.poll();
		const ours = service.state.rows;
		service.state.rows = history(90).map((row) => ({ ...row, id: `other-${String(row.id)}` }));
		expect(await trigger.poll()).toBeNull();
		service.state.rows = [...history(2, 151), ...ours];
		expect(ids(await trigger.poll())).toEqual(['t-151', 't-152']);
	});

	it('does not count the history as new if the list was empty at activation by mistake', async () => {
		await using service = await serviceWith(history(230));
		service.state.body = { data: [] };
		const trigger = await walletTrigger(service.baseUrl, onAll);
		await trigger.poll();
		service.state.body = undefined;
		expect(await trigger.poll()).toBeNull();
		service.state.rows.unshift({ id: 't-231', type: 'debit', amount: -1 });
		expect(ids(await trigger.poll())).toEqual(['t-231']);
	});

	/** Rows with a date each, the newest first and a second apart. */
	const dated = (count: number, oldest: number) =>
		history(count).map((row, index) => ({
			...row,
			created_at: new Date(oldest + (count - 1 - index) * 1000).toISOString(),
		}));

	it.each([101, 250, 430])('returns %i transactions that were made after the list was found empty', async (count) => {
		await using service = await serviceWith([]);
		const trigger = await walletTrigger(service.baseUrl, onAll);
		expect(await trigger.poll()).toBeNull();
		service.state.rows = dated(count, Date.now());
		expect(new Set(ids(await trigger.poll())).size).toBe(count);
		expect(await trigger.poll()).toBeNull();
	});

	it.each([
		['one row is older than the empty list', 101, (rows: Row[]) => [...rows, ...dated(1, Date.now() - 60_000)]],
		['one row has no date', 101, (rows: Row[]) => [...rows, { id: 't-0', type: 'debit', amount: -1 }]],
		['their dates are older than the empty list', 250, () => dated(250, Date.now() - 3_600_000)],
	])('does not count more than 100 rows as new if %s', async (_, count, change) => {
		await using service = await serviceWith([]);
		const trigger = await walletTrigger(service.baseUrl, onAll);
		await trigger.poll();
		service.state.rows = change(dated(count, Date.now()));
		expect(await trigger.poll()).toBeNull();
		service.state.rows.unshift({ id: 't-999', type: 'debit', amount: -1 });
		expect(ids(await trigger.poll())).toEqual(['t-999']);
	});

	it('does not count rows with old dates as new if the list was empty at activation by mistake', async () => {
		await using service = await serviceWith(
			history(30).map((row, index) => ({ ...row, created_at: `2024-05-${String(30 - index)} 10:00:00` })),
		);
		service.state.body = { data: [] };
		const trigger = await walletTrigger(service.baseUrl, onAll);
		await trigger.poll();
		service.state.body = undefined;
		expect(await trigger.poll()).toBeNull();
	});
});

describe('transactions without an ID', () => {
	const debit = { type: 'debit', amount: -0.05, created_at: '2026-11-20 12:00:00' };

	it('counts equal rows without an ID, and returns a fourth one after three', async () => {
		await using service = await serviceWith([{ type: 'topup', amount: 50, created_at: '2026-11-19 12:00:00' }]);
		const trigger = await walletTrigger(service.baseUrl, onAll);
		await trigger.poll();
		service.state.rows.unshift({ ...debit }, { ...debit }, { ...debit });
		expect(await trigger.poll()).toHaveLength(3);
		expect(await trigger.poll()).toBeNull();
		service.state.rows.unshift({ ...debit });
		expect(await trigger.poll()).toHaveLength(1);
		expect(await trigger.poll()).toBeNull();
	});

	it('returns a new row if the list holds only rows equal to it', async () => {
		await using service = await serviceWith([{ ...debit }, { ...debit }]);
		const trigger = await walletTrigger(service.baseUrl, onAll);
		await trigger.poll();
		service.state.rows.unshift({ ...debit });
		expect(await trigger.poll()).toHaveLength(1);
		expect(await trigger.poll()).toBeNull();
	});

	it('returns each new row without an ID once over several pages', async () => {
		const numbered = (count: number, from: number) =>
			Array.from({ length: count }, (_, index) => ({ ...debit, balance: from + count - index }));
		await using service = await serviceWith(numbered(250, 0));
		const trigger = await walletTrigger(service.baseUrl, onAll);
		await trigger.poll();
		service.state.rows.unshift(...numbered(230, 1000));
		expect(await trigger.poll()).toHaveLength(230);
		expect(await trigger.poll()).toBeNull();
	});

	/** Equal rows of one day. */
	const debits = (count: number) => Array.from({ length: count }, () => ({ ...debit }));
	const topUp = { ...debit, type: 'topup', amount: 50 };

	it('returns no top-up again if its page ends soon after it, and all rows of a day have one date', async () => {
		const dayBefore = { ...debit, created_at: '2026-11-19 12:00:00' };
		await using service = await serviceWith([...debits(60), topUp, ...debits(20), ...debits(100).map(() => dayBefore)]);
		const trigger = await walletTrigger(service.baseUrl, onAll);
		await trigger.poll();
		service.state.rows.unshift(...debits(35));
		expect((await trigger.poll())?.map(({ type }) => type)).toEqual(debits(35).map(({ type }) => type));
		expect(await trigger.poll()).toBeNull();
	});

	it('returns no row again if the service lists the rows of a day in another order', async () => {
		await using service = await serviceWith([...debits(20), topUp, ...debits(2)]);
		const trigger = await walletTrigger(service.baseUrl, onAll);
		await trigger.poll();
		service.state.rows = [...debits(2), topUp, ...debits(20)];
		expect(await trigger.poll()).toBeNull();
		service.state.rows.unshift({ ...topUp });
		expect(await trigger.poll()).toEqual([expect.objectContaining({ type: 'topup' })]);
		expect(await trigger.poll()).toBeNull();
	});

	it('identifies a row without an ID although its status changes', async () => {
		const rows = [{ type: 'topup', amount: 5, created_at: '2026-11-19 12:00:00', status: 'pending' }];
		await using service = await serviceWith(rows);
		const trigger = await walletTrigger(service.baseUrl, onAll);
		await trigger.poll();
		service.state.rows = rows.map((row) => ({ ...row, status: 'completed' }));
		expect(await trigger.poll()).toEqual([expect.objectContaining({ event: 'wallet.topup_completed', amount: 5 })]);
		expect(await trigger.poll()).toBeNull();
	});
});

describe('a transaction list in ascending order', () => {
	const dated = (count: number, from = 1): Row[] =>
		history(count, from).map((row) => {
			const minute = Number(String(row.id).slice(2));
			return { ...row, created_at: new Date(Date.UTC(2026, 10, 20, 0, minute)).toISOString() };
		});

	it.each([3, 99, 100, 101, 350, 1234])('reads an ascending list of %i rows from its end', async (count) => {
		await using service = await serviceWith(dated(count), { oldestFirst: true });
		const trigger = await walletTrigger(service.baseUrl, onAll);
		expect(await trigger.poll()).toBeNull();
		service.state.rows.unshift(...dated(2, count + 1));
		expect(ids(await trigger.poll())).toEqual([`t-${count + 1}`, `t-${count + 2}`]);
		expect(await trigger.poll()).toBeNull();
		service.state.rows.unshift(...dated(230, count + 3));
		expect(ids(await trigger.poll())).toHaveLength(230);
		expect(await trigger.poll()).toBeNull();
	});

	it('recognizes an ascending list by numeric IDs', async () => {
		await using service = await serviceWith(history(150), { oldestFirst: true });
		const trigger = await walletTrigger(service.baseUrl, onAll);
		await trigger.poll();
		service.state.rows.unshift(...history(3, 151));
		expect(ids(await trigger.poll())).toEqual(['t-151', 't-152', 't-153']);
	});

	it('requests a few pages of a long ascending list', async () => {
		await using service = await serviceWith(dated(5000), { oldestFirst: true });
		const trigger = await walletTrigger(service.baseUrl, onAll);
		await trigger.poll();
		service.state.pages = 0;
		await trigger.poll();
		expect(service.state.pages).toBeLessThan(6);
	});

	it('fails if the service ignores the offset of an ascending list, because new rows would be invisible', async () => {
		await using service = await serviceWith(dated(150), { oldestFirst: true, ignoresOffset: true });
		const trigger = await walletTrigger(service.baseUrl, onAll);
		await expect(trigger.poll()).rejects.toThrow('oldest transactions');
	});
});

describe('an ascending transaction list without IDs or dates', () => {
	it('reads an ascending list by its balances', async () => {
		const spent = (count: number) =>
			Array.from({ length: count }, (_, index) => ({ type: 'debit', amount: 1, balance: 1000 - (count - index) }));
		await using service = await serviceWith(spent(150), { oldestFirst: true });
		const trigger = await walletTrigger(service.baseUrl, onAll);
		await trigger.poll();
		service.state.rows = spent(152);
		expect((await trigger.poll())?.map(({ balance }) => balance)).toEqual([849, 848]);
	});
});

describe('Top-Up Completed by type and status', () => {
	it.each(['topup_fee', 'topup_reversal', 'failed_topup', 'topup_refund', 'topup_bonus', 'pending_topup'])(
		'does not fire for the transaction type %s',
		async (type) => {
			await using service = await serviceWith(history(3));
			const trigger = await walletTrigger(service.baseUrl, onTopUp);
			await trigger.poll();
			service.state.rows.unshift({ id: 'x', type, amount: 20 });
			expect(await trigger.poll()).toBeNull();
		},
	);

	it.each<[Row]>([
		[{ type: 'credit', amount: 20 }],
		[{ type: 'credit_purchase', amount: 20 }],
		[{ type: 'recharge', amount: '20.00' }],
		[{ type: 'Top-Up', amount: 20, status: 'SUCCESS' }],
	])('fires for the transaction %j', async (row) => {
		await using service = await serviceWith(history(3));
		const trigger = await walletTrigger(service.baseUrl, onTopUp);
		await trigger.poll();
		service.state.rows.unshift({ id: 'x', ...row });
		expect(await trigger.poll()).toEqual([expect.objectContaining({ event: 'wallet.topup_completed', amount: 20 })]);
	});

	it.each<[Row]>([
		[{ type: 'topup', amount: -20 }],
		[{ type: 'credit', amount: -20 }],
		[{ type: 'credit', amount: 0.05, description: 'Refund of msg_1' }],
		[{ type: 'topup', amount: 20, status: 'gold' }],
	])('does not fire for the transaction %j', async (row) => {
		await using service = await serviceWith(history(3));
		const trigger = await walletTrigger(service.baseUrl, onTopUp);
		await trigger.poll();
		service.state.rows.unshift({ id: 'x', ...row });
		expect(await trigger.poll()).toBeNull();
	});

	it.each([0, 150, 350])('fires once for a pending row without a reference behind %i others', async (others) => {
		await using service = await serviceWith(history(3));
		const trigger = await walletTrigger(service.baseUrl, onTopUp);
		await trigger.poll();
		const pending: Row = { id: 'x', type: 'topup', amount: 20, status: 'pending' };
		service.state.rows.unshift(pending);
		expect(await trigger.poll()).toBeNull();
		for (let id = 0; id < others; id++) service.state.rows.unshift({ id: `d-${id}`, type: 'debit', amount: -1 });
		expect(await trigger.poll()).toBeNull();
		pending.status = 'completed';
		expect(await trigger.poll()).toEqual([expect.objectContaining({ event: 'wallet.topup_completed', id: 'x' })]);
		expect(await trigger.poll()).toBeNull();
	});

	it('fires once if another row with the same reference follows a pending row', async () => {
		await using service = await serviceWith(history(3));
		const trigger = await walletTrigger(service.baseUrl, onTopUp);
		await trigger.poll();
		service.state.rows.unshift({ id: 'x', type: 'topup', amount: 20, status: 'pending', reference: 'r1' });
		service.state.topUps.set('r1', 'pending');
		expect(await trigger.poll()).toBeNull();
		service.state.topUps.set('r1', 'completed');
		expect(await trigger.poll()).toHaveLength(1);
		service.state.rows.unshift({ id: 'y', type: 'topup', amount: 20, reference: 'r1' });
		expect(await trigger.poll()).toBeNull();
	});

	it('fires once if the following row with the same reference arrives in the same poll', async () => {
		await using service = await serviceWith(history(3));
		const trigger = await walletTrigger(service.baseUrl, onTopUp);
		await trigger.poll();
		service.state.rows.unshift({ id: 'x', type: 'topup', amount: 20, status: 'pending', reference: 'r1' });
		service.state.topUps.set('r1', 'pending');
		await trigger.poll();
		service.state.topUps.set('r1', 'completed');
		service.state.rows.unshift({ id: 'y', type: 'topup', amount: 20, reference: 'r1' });
		expect(await trigger.poll()).toHaveLength(1);
		expect(await trigger.poll()).toBeNull();
	});
});

describe('Low Balance by transactions', () => {
	const below: INodeParameters = { triggerOn: ['lowBalance'], thresholdUnit: 'currency', threshold: 10 };
	/** A wallet. By default its rows show the balance after them. */
	async function wallet(listsBalances = true) {
		const service = await serviceWith([]);
		const move = (amount: number) => {
			const { state } = service;
			state.balance += amount;
			const row = { id: `t-${state.rows.length + 1}`, type: amount < 0 ? 'debit' : 'topup', amount };
			state.rows.unshift({ ...row, ...(listsBalances && { balance: state.balance }) });
		};
		const trigger = await walletTrigger(service.baseUrl, below);
		const fires = async () => (await trigger.poll())?.map(({ balance }) => balance) ?? [];
		return { move, trigger, fires, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
	}

	it('fires again after a recovery that only a quiet poll saw before n8n restarted', async () => {
		await using service = await wallet();
		const { move, trigger, fires } = service;
		expect(await fires()).toEqual([]);
		move(-35);
		expect(await fires()).toEqual([5]);
		move(50);
		expect(await fires()).toEqual([]);
		trigger.restart();
		move(-50);
		expect(await fires()).toEqual([5]);
		expect(await fires()).toEqual([]);
	});

	it('fires again if the wallet was topped up and dropped between two polls', async () => {
		await using service = await wallet();
		const { move, fires } = service;
		move(-35);
		expect(await fires()).toEqual([5]);
		move(50);
		for (let debit = 0; debit < 150; debit += 1) move(-0.33);
		expect(await fires()).toHaveLength(1);
		expect(await fires()).toEqual([]);
	});

	it.each([true, false])(
		'does not fire again for later debits, also after a restart (balances: %s)',
		async (listed) => {
			await using service = await wallet(listed);
			const { move, trigger, fires } = service;
			move(-35);
			expect(await fires()).toEqual([5]);
			for (let round = 0; round < 3; round += 1) {
				move(-0.5);
				move(1);
				expect(await fires()).toEqual([]);
				trigger.restart();
				expect(await fires()).toEqual([]);
			}
		},
	);
});
