import { once } from 'node:events';
import { createServer } from 'node:http';
import { z } from 'zod/v4';
import { fakeTimeouts } from '../support/fakeTimeouts';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

type Row = Record<string, unknown>;
const found = z.array(z.looseObject({ id: z.string() }));

/** A service with a wallet that the test can change. The first of `rows` is the newest. */
async function serviceWith(begin: readonly Row[], { oldestFirst = false } = {}) {
	const state = {
		rows: [...begin],
		balance: 40,
		/** How long a response takes on the app's clock, in milliseconds. It needs `fakeTimeouts`. */
		delayMs: 0,
		/** Runs after each request. */
		then: () => {},
		requests: 0,
	};
	const server = createServer((request, response) => {
		void (async () => {
			state.requests += 1;
			const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
			if (state.delayMs > 0) await jest.advanceTimersByTimeAsync(state.delayMs);
			const offset = Number(searchParams.get('offset'));
			const listed = oldestFirst ? state.rows.toReversed() : state.rows;
			const body = pathname.endsWith('/balance')
				? { balance: state.balance, currency: 'GHS' }
				: { data: listed.slice(offset, offset + Number(searchParams.get('limit') ?? 50)) };
			response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
			state.then();
		})();
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('no TCP port');
	const account = { base_url: `http://127.0.0.1:${address.port}/api/v1/`, api_key: 'sk_live_1' };
	return {
		state,
		account,
		/** Turns a Zap on. The first poll starts nothing, and later each new ID starts one run. */
		turnOn: async (method: string, inputs: Row = {}) => {
			const priming = driveApp(account, { meta: { isPopulatingDedupe: true } });
			const seen = new Set(found.parse(await priming.run(method, inputs)).map(({ id }) => id));
			return async () => {
				const fresh = found.parse(await driveApp(account).run(method, inputs)).filter(({ id }) => !seen.has(id));
				for (const { id } of fresh) seen.add(id);
				return fresh;
			};
		},
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

const debits = (count: number, from = 1, more: Row = {}): Row[] =>
	Array.from({ length: count }, (_, index) => ({ id: from + count - 1 - index, type: 'debit', amount: -1, ...more }));
const topUp = (id: number): Row => ({ id, type: 'topup', amount: 20 });
afterEach(() => jest.useRealTimers());

const isSlow = { name: 'AppError', message: expect.stringContaining('Turn the Zap on again') as string };

describe('New Wallet Transaction', () => {
	it('starts a run for a top-up followed by 600 sends', async () => {
		await using service = await serviceWith(debits(50));
		const poll = await service.turnOn(methods.newWalletTransaction, { types: ['topup'] });
		service.state.rows.unshift(...debits(600, 52), topUp(51));
		expect(await poll()).toMatchObject([{ id: '51', type: 'topup' }]);
		expect(await poll()).toEqual([]);
	});

	it.each([601, 4_000])('loses none of %i rows between two polls', async (count) => {
		await using service = await serviceWith(debits(300));
		const poll = await service.turnOn(methods.newWalletTransaction);
		service.state.rows.unshift(...debits(count, 301));
		expect(await poll()).toHaveLength(count);
		expect(await poll()).toEqual([]);
	});

	it.each<[string, Row]>([
		['all types', {}],
		['top-ups', { types: ['topup'] }],
	])('never starts a run for an old row of a long history (%s)', async (_, inputs) => {
		const history = debits(7_000).map((row, index) => (index % 9 === 0 ? { ...row, type: 'topup', amount: 5 } : row));
		await using service = await serviceWith(history);
		const poll = await service.turnOn(methods.newWalletTransaction, inputs);
		expect(await poll()).toEqual([]);
		service.state.rows = service.state.rows.slice(90);
		expect(await poll()).toEqual([]);
		service.state.rows = [topUp(8_001), ...history];
		expect(await poll()).toMatchObject([{ id: '8001' }]);
	});

	it('fails to turn on if the service is too slow, because old rows would count as new later', async () => {
		await using service = await serviceWith(debits(2_000));
		fakeTimeouts();
		service.state.delayMs = 9_500;
		const priming = driveApp(service.account, { meta: { isPopulatingDedupe: true } });
		expect(await priming.failure(methods.newWalletTransaction, {})).toMatchObject(isSlow);
	});

	it('returns the newest rows in time if the service is slow', async () => {
		await using service = await serviceWith(debits(5_000));
		const poll = await service.turnOn(methods.newWalletTransaction);
		service.state.rows.unshift(topUp(5_001));
		fakeTimeouts();
		service.state.delayMs = 11_500;
		const began = performance.now();
		expect(await poll()).toMatchObject([{ id: '5001' }]);
		expect(performance.now() - began).toBeLessThan(25_000);
	});

	it('starts no run if the list is empty for a while and then returns', async () => {
		await using service = await serviceWith(debits(230));
		const poll = await service.turnOn(methods.newWalletTransaction);
		const { rows } = service.state;
		service.state.rows = [];
		expect(await poll()).toEqual([]);
		service.state.rows = [topUp(231), ...rows];
		expect(await poll()).toMatchObject([{ id: '231' }]);
	});

	it.each([3, 150, 5_700])('reads a list of %i rows with the oldest first', async (count) => {
		await using service = await serviceWith(debits(count), { oldestFirst: true });
		const poll = await service.turnOn(methods.newWalletTransaction);
		expect(await poll()).toEqual([]);
		service.state.rows.unshift(...debits(2, count + 1));
		expect((await poll()).map(({ id }) => id)).toEqual([String(count + 2), String(count + 1)]);
	});

	it('counts equal rows without an ID', async () => {
		const row = { type: 'debit', amount: -0.05, created_at: '2026-11-20 12:00:00' };
		await using service = await serviceWith([{ type: 'topup', amount: 50, created_at: '2026-11-19 12:00:00' }]);
		const poll = await service.turnOn(methods.newWalletTransaction);
		service.state.rows.unshift({ ...row }, { ...row }, { ...row });
		expect(await poll()).toHaveLength(3);
		service.state.rows.unshift({ ...row });
		expect(await poll()).toHaveLength(1);
		expect(await poll()).toEqual([]);
	});

	it('reads rows without an ID over several pages, even while new rows arrive', async () => {
		const numbered = (count: number, from: number): Row[] =>
			Array.from({ length: count }, (_, index) => ({ type: 'debit', amount: -1, balance: from - count + index }));
		await using service = await serviceWith(numbered(400, 10_000));
		const poll = await service.turnOn(methods.newWalletTransaction);
		service.state.rows.unshift(...numbered(230, 9_600));
		let left = 9_370;
		service.state.then = () => {
			if (left > 9_360) service.state.rows.unshift(...numbered(1, left--));
		};
		const runs = [...(await poll()), ...(await poll()), ...(await poll())];
		expect(new Set(runs.map(({ balance }) => balance)).size).toBe(240);
		expect(runs).toHaveLength(240);
	});

	it.each<[string, string[], Row[], string[]]>([
		['a top-up by any name', ['topup'], [{ id: 2, type: 'recharge', amount: 5 }], ['2']],
		['no fee of a top-up', ['topup'], [{ id: 2, type: 'topup_fee', amount: 5 }], []],
		['no reversal of a top-up', ['topup'], [{ id: 2, type: 'topup_reversal', amount: 5 }], []],
		['no top-up that failed', ['topup'], [{ id: 2, type: 'topup', amount: 5, status: 'failed' }], []],
		['a fee as a debit', ['debit'], [{ id: 2, type: 'topup_fee', amount: 1 }], ['2']],
		['an unlisted type that left the wallet as a debit', ['debit'], [{ id: 2, type: 'sms', amount: -1 }], ['2']],
		['a type entered as custom value', ['loyalty'], [{ id: 2, type: 'Loyalty', amount: 1 }], ['2']],
	])('shows %s', async (_, types, rows, expected) => {
		await using service = await serviceWith([]);
		const poll = await service.turnOn(methods.newWalletTransaction, { types });
		service.state.rows.unshift(...rows);
		expect((await poll()).map(({ id }) => id)).toEqual(expected);
	});

	it('starts a run for a pending top-up when its own row completes', async () => {
		await using service = await serviceWith([]);
		const poll = await service.turnOn(methods.newWalletTransaction, { types: ['topup'] });
		service.state.rows.unshift({ ...topUp(1), status: 'pending' });
		expect(await poll()).toEqual([]);
		service.state.rows = [{ ...topUp(1), status: 'completed' }];
		expect(await poll()).toMatchObject([{ id: '1' }]);
	});

	it("keeps its output below Zapier's size limit", async () => {
		await using service = await serviceWith(debits(5_000, 1, { description: 'x'.repeat(2_000) }));
		const given = found.parse(await driveApp(service.account).run(methods.newWalletTransaction, {}));
		expect(JSON.stringify(given).length).toBeLessThan(5_000_000);
		expect(given[0]).toMatchObject({ id: '5000' });
	});
});

describe('Low Wallet Balance', () => {
	/** Rows with balances, newest first, of a wallet that starts with 100. */
	const ledger = (...amounts: number[]): Row[] => {
		let balance = 100;
		return amounts
			.map((amount, index) => {
				balance = Math.round((balance + amount) * 100) / 100;
				return { id: index + 1, type: amount < 0 ? 'debit' : 'topup', amount, balance };
			})
			.toReversed();
	};
	const set = (service: { state: { rows: Row[]; balance: number } }, rows: Row[]) => {
		service.state.rows = rows;
		service.state.balance = Number(rows[0]?.balance ?? 100);
	};

	it('finds a crossing followed by a top-up and 150 debits', async () => {
		await using service = await serviceWith([]);
		set(service, ledger(-1));
		const poll = await service.turnOn(methods.lowWalletBalance, { threshold: 10 });
		set(service, ledger(-1, -92, 500, ...Array.from({ length: 150 }, () => -0.1)));
		expect(await poll()).toMatchObject([{ id: '2:10', balance_after: 7 }]);
		expect(await poll()).toEqual([]);
	});

	it('never starts a run for an old crossing as rows are added', async () => {
		await using service = await serviceWith([]);
		const old = [-95, 500, ...Array.from({ length: 70 }, () => -0.1), -490, 500];
		const later = Array.from({ length: 50 }, () => -0.1);
		set(service, ledger(...old, ...later));
		const poll = await service.turnOn(methods.lowWalletBalance, { threshold: 10 });
		for (let polls = 0; polls < 3; polls++) {
			later.push(...Array.from({ length: 40 }, () => -0.1));
			set(service, ledger(...old, ...later));
			expect(await poll()).toEqual([]);
		}
	});

	it('treats a recharge as incoming money', async () => {
		await using service = await serviceWith([{ id: 1, type: 'debit', amount: 1, balance: 10 }]);
		service.state.balance = 10;
		const poll = await service.turnOn(methods.lowWalletBalance, { threshold: 100 });
		service.state.rows.unshift({ id: 2, type: 'recharge', amount: 50, balance: 60 });
		service.state.balance = 60;
		expect(await poll()).toEqual([]);
	});

	it.each<[string, Row[], number]>([
		['an unlisted type without a sign', [{ id: 2, type: 'sms', amount: 40 }, topUp(1)], 10],
		[
			'a pending top-up',
			[
				{ id: 2, type: 'topup', amount: 50, status: 'pending', balance: 9 },
				{ id: 1, type: 'debit', amount: -1, balance: 9 },
			],
			9,
		],
	])('starts no run for a balance that never occurred, with %s', async (_, rows, balance) => {
		await using service = await serviceWith([]);
		service.state.balance = 100;
		const poll = await service.turnOn(methods.lowWalletBalance, { threshold: 5 });
		service.state.rows = rows;
		service.state.balance = balance;
		expect(await poll()).toEqual([]);
	});

	it.each([
		['rows with balances', true],
		['rows without balances', false],
	])('ends in time if every call takes four seconds and the balance keeps changing (%s)', async (_, reported) => {
		await using service = await serviceWith([]);
		const spend = () => {
			service.state.balance -= 1;
			const id = service.state.rows.length + 1;
			service.state.rows.unshift({
				id,
				type: 'debit',
				amount: -1,
				...(reported && { balance: service.state.balance }),
			});
		};
		service.state.balance = 1_000;
		for (let row = 0; row < 950; row++) spend();
		const poll = await service.turnOn(methods.lowWalletBalance, { threshold: 20 });
		for (let row = 0; row < 40; row++) spend();
		fakeTimeouts();
		service.state.delayMs = 4_000;
		service.state.then = spend;
		const began = performance.now();
		const runs = await poll();
		expect(performance.now() - began).toBeLessThan(25_000);
		expect(runs.length).toBe(reported ? 1 : 0);
	});

	it('fails to turn on if the service is too slow, because old crossings would count as new later', async () => {
		await using service = await serviceWith(debits(2_000));
		fakeTimeouts();
		service.state.delayMs = 9_500;
		const priming = driveApp(service.account, { meta: { isPopulatingDedupe: true } });
		expect(await priming.failure(methods.lowWalletBalance, { threshold: 10 })).toMatchObject(isSlow);
	});

	it('starts at most three runs for old crossings if the threshold changes without a new priming poll', async () => {
		await using service = await serviceWith([]);
		set(service, ledger(...Array.from({ length: 20 }, () => [-60, 60]).flat()));
		await service.turnOn(methods.lowWalletBalance, { threshold: 10 });
		const given = found.parse(await driveApp(service.account).run(methods.lowWalletBalance, { threshold: 50 }));
		expect(given).toHaveLength(3);
	});
});
