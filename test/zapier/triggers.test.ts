import { z } from 'zod/v4';
import { endRetryWaits } from '../support/endRetryWaits';
import { stubServer, type StubResponse } from '../support/stubServer';
import { useSandbox } from '../support/useSandbox';
import { readDefinition } from '../support/zapier/definition';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

endRetryWaits();

const phone = '+233201234567';
const rows = z.array(z.looseObject({ id: z.string() }));

const { sandbox, control } = useSandbox();
let app: ReturnType<typeof driveApp>;

beforeAll(() => {
	app = driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey });
});

const adjust = (amount: number) => control.ask('POST', 'wallet/adjust', { amount });
async function topUp(amount: number) {
	const { reference } = z
		.looseObject({ reference: z.string() })
		.parse(await app.run(methods.createWalletTopUp, { amount }));
	await control.ask('POST', `top-ups/${reference}/checkout`, { action: 'pay', method: 'card' });
}

/**
 * Turns on a Zap, with Zapier's memory of IDs: the first poll fills it and starts nothing. Later, every new ID starts a
 * run.
 * @returns a poll that gives the rows of started runs, newest first
 */
async function turnOn(poll: () => Promise<z.output<typeof rows>>) {
	const seen = new Set((await poll()).map(({ id }) => id));
	return async () => {
		const found = (await poll()).filter(({ id }) => !seen.has(id));
		for (const { id } of found) seen.add(id);
		return found;
	};
}

/** A sample may show only fields that the service returns. */
async function expectLikeSample(key: string, found: unknown) {
	const { triggers } = await readDefinition();
	const sample = triggers[key]?.operation.sample ?? { none: 1 };
	expect(Object.keys(rows.parse(found)[0] ?? {})).toEqual(expect.arrayContaining(Object.keys(sample)));
}

describe('Low Wallet Balance', () => {
	const pollOf =
		(threshold: unknown, driven = app) =>
		async () =>
			rows.parse(await driven.run(methods.lowWalletBalance, { threshold }));

	it('starts one run each time the balance falls below the threshold, whenever it is polled', async () => {
		await adjust(60);
		const poll = await turnOn(pollOf('10'));
		const started: number[] = [];
		const step = async (...amounts: ReadonlyArray<number | 'top-up'>) => {
			for (const amount of amounts) await (amount === 'top-up' ? topUp(50) : adjust(amount));
			started.push((await poll()).length);
		};
		await step(-50);
		await step(-45);
		await step(-1);
		await step();
		await step(1);
		await step('top-up');
		await step(-48);
		await step('top-up', -50);
		await step(6, -6);
		expect(started).toEqual([0, 1, 0, 0, 0, 0, 1, 1, 1]);
	});

	it('returns the crossing with its time and balance, and the current balance', async () => {
		const poll = await turnOn(pollOf(10));
		await adjust(-31);
		await adjust(-2);
		const found = await poll();
		expect(found).toMatchObject([{ balance: 7, currency: 'GHS', threshold: 10, balance_after: 9 }]);
		expect(found[0]?.crossed_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
		await expectLikeSample('low_wallet_balance', found);
	});

	it('triggers after sends, and not again after a refund', async () => {
		await adjust(-29.9);
		const poll = await turnOn(pollOf(10));
		for (const to of [phone, '+233990000002', phone]) {
			await app.run(methods.sendSms, { to, sender_id: 'KOFISHOP', message: 'Hi' });
		}
		expect(await poll()).toHaveLength(1);
		await control.advanceClock(10_000);
		expect((await control.wallet()).balance).toBe(10);
		expect(await poll()).toEqual([]);
	});

	it('finds a crossing followed by hundreds of debits', async () => {
		const poll = await turnOn(pollOf(30));
		await adjust(-20);
		for (let debit = 0; debit < 250; debit++) await adjust(-0.01);
		expect(await poll()).toHaveLength(1);
		await adjust(-0.01);
		expect(await poll()).toEqual([]);
	});

	it('starts nothing if the balance is already low, until after a top-up', async () => {
		await adjust(-35);
		const poll = await turnOn(pollOf(10));
		await adjust(-1);
		expect(await poll()).toEqual([]);
		await topUp(50);
		await adjust(-50);
		expect(await poll()).toHaveLength(1);
	});

	it('returns other IDs for another threshold', async () => {
		const ids = async (threshold: number) => (await pollOf(threshold)()).map(({ id }) => id);
		await adjust(-35);
		expect((await ids(10))[0]).not.toBe((await ids(20))[0]);
		expect(await ids(5)).toEqual([]);
	});

	it('computes the balances of rows without them, and starts once', async () => {
		const spent = [-4, -3, -40, 50].map((amount, index) => ({
			id: 9 - index,
			amount,
			type: amount < 0 ? 'debit' : 'topup',
		}));
		await using server = await ledger(3, spent);
		const found = await pollOf(10, server.app)();
		expect(found).toMatchObject([{ id: '8:10', balance: 3, balance_after: 7, crossed_at: null }]);
	});

	it('reads amounts without a sign by their type', async () => {
		await using server = await ledger(7, [
			{ id: 2, amount: 43, type: 'debit' },
			{ id: 1, amount: 50, type: 'topup' },
		]);
		expect(await pollOf(10, server.app)()).toMatchObject([{ id: '2:10', balance_after: 7 }]);
	});

	it('starts once per top-up if the service lists no debits', async () => {
		const first = { id: 1, amount: 50, type: 'top_up' };
		const later = [{ id: 3, amount: 50, type: 'top_up' }, { id: 2, amount: 1, type: 'refund' }, first];
		const ids = async (balance: number, transactions: readonly object[]) => {
			await using server = await ledger(balance, transactions);
			return (await pollOf(10, server.app)()).map(({ id }) => id);
		};
		expect(await ids(40, [first])).toEqual([]);
		expect(await ids(9, [first])).toEqual(['after:1:10']);
		expect(await ids(8, [first])).toEqual(['after:1:10']);
		expect(await ids(8, later.slice(1))).toEqual(['after:1:10']);
		expect(await ids(52, later)).toEqual([]);
		expect(await ids(4, later)).toEqual(['after:3:10']);
	});

	it('notices unlisted debits by the balances of other rows', async () => {
		const older = { id: 1, amount: 50, balance: 50, type: 'topup' };
		await using now = await ledger(6, [older]);
		expect(await pollOf(10, now.app)()).toMatchObject([{ id: 'after:1:10', balance_after: 6 }]);
		await using later = await ledger(5, [{ id: 2, amount: -1, balance: 5, type: 'debit' }, older]);
		expect(await pollOf(10, later.app)()).toMatchObject([{ id: 'after:1:10', balance_after: 6 }]);
	});

	it('starts nothing if the balance changes during the poll and does not match the rows', async () => {
		const page = JSON.stringify([{ id: 1, amount: 50, type: 'topup', balance: 50 }]);
		const balances = [50, 9, 8, 7, 6, 5].flatMap((balance, index): StubResponse[] => [
			{ status: 200, body: JSON.stringify({ balance }) },
			...(index % 2 === 0
				? [
						{ status: 200, body: page },
						{ status: 200, body: '[]' },
					]
				: []),
		]);
		await using server = await stubServer(...balances);
		const driven = driveApp({ base_url: server.baseUrl, api_key: 'sk_1' });
		expect(await pollOf(10, driven)()).toEqual([]);
		expect(server.received).toHaveLength(12);
	});

	it.each(['', 'low', null])('rejects the threshold %j', async (threshold) => {
		const failed = await app.failure(methods.lowWalletBalance, { threshold });
		expect(failed).toMatchObject({ name: 'HaltedError', message: expect.stringMatching(/^Threshold is /) as string });
	});
});

describe('New Wallet Transaction', () => {
	const pollOf = (types?: unknown) => async () => rows.parse(await app.run(methods.newWalletTransaction, { types }));

	it('starts a run for each new row, once', async () => {
		const poll = await turnOn(pollOf());
		await adjust(-1);
		await topUp(50);
		const found = await poll();
		expect(found).toMatchObject([
			{ type: 'topup', amount: 50, balance: 89 },
			{ type: 'adjustment', amount: -1, balance: 39 },
		]);
		expect(await poll()).toEqual([]);
		await expectLikeSample('new_wallet_transaction', found);
	});

	it.each<[unknown, string[]]>([
		[['topup'], ['topup']],
		[
			['topup', 'adjustment'],
			['adjustment', 'topup'],
		],
		['adjustment', ['adjustment']],
		[[], ['adjustment', 'topup']],
		[[''], ['adjustment', 'topup']],
		[null, ['adjustment', 'topup']],
	])('filters by the types %j', async (types, shown) => {
		await adjust(-1);
		const found = await pollOf(types)();
		expect(found.map(({ type }) => type)).toEqual(shown);
	});

	it('misses none of hundreds of rows between two polls', async () => {
		const poll = await turnOn(pollOf());
		for (let debit = 0; debit < 320; debit++) await adjust(-0.01);
		expect(await poll()).toHaveLength(320);
		expect(await poll()).toEqual([]);
	});

	it('reads beyond the first five pages', async () => {
		for (let debit = 0; debit < 520; debit++) await adjust(-0.01);
		// The first row is the initial balance of a sandbox.
		expect(await pollOf()()).toHaveLength(521);
	});

	it('identifies rows without an ID by their content, even two equal ones', async () => {
		const row = { type: 'debit', amount: -0.05, created_at: '2026-11-20 12:00:00' };
		const ids = async (...listed: readonly object[]) => {
			await using server = await ledger(5, listed);
			return rows.parse(await server.app.run(methods.newWalletTransaction, {})).map(({ id }) => id);
		};
		const [one] = await ids(row);
		const two = await ids(row, row);
		expect(two[1]).toBe(one);
		expect(new Set(two).size).toBe(2);
		expect((await ids({ ...row, amount: -0.06 }, row, row)).slice(1)).toEqual(two);
	});
});

describe('New Contact', () => {
	const poll = async () => rows.parse(await app.run(methods.newContact));

	it('starts a run for each new contact, newest first, and none for a reordered list', async () => {
		await app.run(methods.createContact, { phone, name: 'Ama' });
		const started = await turnOn(poll);
		expect(await started()).toEqual([]);
		await app.run(methods.createContact, { phone: '+233201234568', name: 'Kofi' });
		await app.run(methods.createContact, { phone: '+233201234569' });
		const found = await started();
		expect(found.map((contact) => contact.phone)).toEqual(['+233201234569', '+233201234568']);
		expect(await started()).toEqual([]);
		await expectLikeSample('new_contact', found);
	});

	it('identifies a contact without an ID by its number, even if the name changes', async () => {
		const ids = async (...contacts: readonly object[]) => {
			await using server = await stubServer({ status: 200, body: JSON.stringify({ contacts }) });
			const driven = driveApp({ base_url: server.baseUrl, api_key: 'sk_1' });
			return rows.parse(await driven.run(methods.newContact)).map(({ id }) => id);
		};
		expect(await ids({ phone, name: 'Ama' })).toEqual(await ids({ phone, name: 'Ama Mensah' }));
	});
});

describe('dropdown of contacts', () => {
	it('shows each number once, with its name', async () => {
		await control.removeContacts();
		await app.run(methods.createContact, { phone, name: 'Kofi' });
		await app.run(methods.createContact, { phone: '+233201234568', name: 'Ama' });
		await app.run(methods.createContact, { phone: '+233201234569' });
		expect(await app.run(methods.contacts)).toEqual([
			{ id: '+233201234569', name: '+233201234569' },
			{ id: '+233201234568', name: 'Ama (+233201234568)' },
			{ id: phone, name: `Kofi (${phone})` },
		]);
	});
});

it.each(['lowWalletBalance', 'newWalletTransaction', 'newContact', 'contacts'] as const)(
	"%s gives the service's message, and is throttled after a 429",
	async (name) => {
		const inputs = { threshold: 10 };
		await control.fault({ endpoint: '*', kind: 'answer', status: 429, headers: { 'Retry-After': '9' } });
		expect(await app.failure(methods[name], inputs)).toMatchObject({ name: 'ThrottledError', delay: 9 });
		await control.fault({ endpoint: '*', kind: 'answer', status: 503, body: { message: 'Back at noon' }, times: 3 });
		const failed = await app.failure(methods[name], inputs);
		expect(failed).toMatchObject({ name: 'AppError', status: 503 });
		expect(failed.message).toMatch(/^Back at noon\. /);
		const other = driveApp({ base_url: sandbox.baseUrl, api_key: 'sk_sandbox_other' });
		expect(await other.failure(methods[name], inputs)).toMatchObject({ name: 'ExpiredAuthError' });
	},
);

/** A service with the given balance and transactions, newest first, on one page. */
async function ledger(balance: number, transactions: readonly object[]) {
	const reported = (body: unknown): StubResponse => ({ status: 200, body: JSON.stringify(body) });
	const server = await stubServer((url) => {
		if (url.startsWith('/api/v1/balance')) return reported({ balance });
		return reported(/offset=0|\?limit=\d+$/.test(url) ? transactions : []);
	});
	return {
		app: driveApp({ base_url: server.baseUrl, api_key: 'sk_1' }),
		[Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
	};
}
