import { z } from 'zod/v4';
import { eventually } from '../support/eventually';
import { matching, run, type TestSandbox } from '../support/testSandbox';

const topUpBody = z.looseObject({ reference: z.string(), checkout_url: z.string() });

async function created(sandbox: TestSandbox, amount = 50, more: Record<string, unknown> = {}) {
	const { status, body } = await sandbox.api('POST', 'wallet/topup', { amount, ...more });
	expect({ status, body }).toMatchObject({ status: 200 });
	return topUpBody.parse(body);
}

const status = async (sandbox: TestSandbox, reference: string) =>
	(await sandbox.api('GET', `wallet/topup/${reference}`)).body;

async function choose(sandbox: TestSandbox, url: string, choice: Record<string, string>): Promise<unknown> {
	const response = await fetch(`${url}/choice`, { method: 'POST', body: JSON.stringify(choice) });
	expect(new URL(url).origin).toBe(sandbox.sandbox.url);
	return await response.json();
}

describe('top-up', () => {
	it('creates a top-up as documented', async () => {
		await using sandbox = await run();
		const { reference, ...answer } = await created(sandbox, 50);
		expect(answer).toMatchObject({
			success: true,
			checkout_url: `${sandbox.sandbox.url}/checkout/${reference}`,
			currency: 'GHS',
			amount_credit: 50,
			fee: 1,
			fee_rate: 0.02,
			total_wallet: 51,
			total_charged_ghs: 51,
			status: 'pending',
		});
		expect(await status(sandbox, reference)).toMatchObject({
			success: true,
			reference,
			status: 'pending',
			amount: 50,
			type: 'topup',
			gateway: 'sandbox',
			balance: 40,
			currency: 'GHS',
			created_at: matching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
		});
	});

	it('rounds the fee up to a hundredth', async () => {
		await using sandbox = await run();
		expect(await created(sandbox, 10.01)).toMatchObject({ amount_credit: 10.01, fee: 0.21, total_wallet: 10.22 });
	});

	it('completes a mobile-money payment on the running clock, with nothing else going on', async () => {
		await using sandbox = await run({ clock: 'running' });
		const { reference, checkout_url } = await created(sandbox);
		await choose(sandbox, checkout_url, { action: 'pay', method: 'mobile_money' });
		const state = async () =>
			z.object({ status: z.string() }).parse(await (await fetch(`${checkout_url}/state`)).json());
		const done = async () => ((await state()).status === 'completed' ? true : undefined);
		await eventually('the payment', done, 20_000);
		expect(await status(sandbox, reference)).toMatchObject({ status: 'completed', balance: 90 });
	});

	it('credits a top-up once, however often it is paid', async () => {
		await using sandbox = await run();
		const { reference, checkout_url } = await created(sandbox);
		const paid = await Promise.all(
			[1, 2, 3].map(async () => await choose(sandbox, checkout_url, { action: 'pay', method: 'card' })),
		);
		expect(paid).toMatchObject([{ status: 'completed', redirect: null }, {}, {}]);
		expect(await status(sandbox, reference)).toMatchObject({ status: 'completed', balance: 90 });
		expect((await sandbox.wallet()).transactions).toMatchObject([
			{ type: 'topup', amount: 50, reference },
			{ type: 'topup' },
		]);
	});

	it('takes a moment with mobile money, and accepts one payment only', async () => {
		await using sandbox = await run();
		const { reference, checkout_url } = await created(sandbox);
		expect(await choose(sandbox, checkout_url, { action: 'pay', method: 'mobile_money' })).toMatchObject({
			status: 'pending',
		});
		expect(await choose(sandbox, checkout_url, { action: 'pay', method: 'card' })).toMatchObject({ status: 'pending' });
		await sandbox.advance(2999);
		expect(await status(sandbox, reference)).toMatchObject({ status: 'pending', balance: 40 });
		await sandbox.advance(1);
		expect(await status(sandbox, reference)).toMatchObject({ status: 'completed', balance: 90 });
	});

	it('returns to return_url with reference and status, and keeps its query', async () => {
		await using sandbox = await run();
		const back = async (choice: Record<string, string>) => {
			const { reference, checkout_url } = await created(sandbox, 50, {
				return_url: 'https://shop.example/thanks?cart=7',
			});
			const { redirect } = z.object({ redirect: z.string() }).parse(await choose(sandbox, checkout_url, choice));
			const url = new URL(redirect);
			expect(url.origin + url.pathname).toBe('https://shop.example/thanks');
			expect(url.searchParams.get('reference')).toBe(reference);
			expect(url.searchParams.get('cart')).toBe('7');
			return url.searchParams.get('status');
		};
		expect(await back({ action: 'pay' })).toBe('completed');
		expect(await back({ action: 'pay', method: 'mobile_money' })).toBe('pending');
		expect(await back({ action: 'decline' })).toBe('failed');
		expect(await back({ action: 'leave' })).toBe('cancelled');
		expect((await sandbox.wallet()).balance).toBe(90);
	});

	it.each([
		[20.01, 'failed', 'failed'],
		[20.02, 'cancelled', 'pending'],
		[20.03, 'pending', 'pending'],
	])('%d ends as its cents say', async (amount, reported, kept) => {
		await using sandbox = await run();
		const { reference, checkout_url } = await created(sandbox, amount);
		expect(await choose(sandbox, checkout_url, { action: 'pay', method: 'card' })).toMatchObject({ status: reported });
		await sandbox.advance(3_600_000);
		expect(await status(sandbox, reference)).toMatchObject({ status: kept, balance: 40 });
	});

	describe.each([
		[20, 'mobile_money_no_prompt'],
		[20.04, 'mobile_money'],
	])('a payment of %d by %s, whose prompt never comes', (amount, method) => {
		const begin = async (sandbox: TestSandbox) => {
			const topUp = await created(sandbox, amount, { return_url: 'https://shop.example/thanks' });
			// The payer stays at the checkout until the payment ends.
			const response = await choose(sandbox, topUp.checkout_url, { action: 'pay', method });
			expect(response).toMatchObject({ status: 'pending', redirect: null });
			return topUp;
		};

		it('stays pending and shows the steps of the payer', async () => {
			await using sandbox = await run();
			const { reference, checkout_url } = await begin(sandbox);
			await sandbox.advance(599_999);
			expect(await status(sandbox, reference)).toMatchObject({ status: 'pending', balance: 40 });
			expect(await (await fetch(`${checkout_url}/state`)).json()).toMatchObject({
				status: 'pending',
				payer_steps: matching(/No prompt\?.*My Approvals/),
			});
			expect((await sandbox.control('GET', 'top-ups')).body).toMatchObject([{ awaits_approval: true }]);
		});

		it.each([
			['approve', 'completed', 40 + amount],
			['decline', 'failed', 40],
		])('ends once if the payer chooses to %s', async (action, ended, balance) => {
			await using sandbox = await run();
			const { reference, checkout_url } = await begin(sandbox);
			expect(await choose(sandbox, checkout_url, { action: 'pay', method })).toMatchObject({ status: 'pending' });
			const redirect = matching(new RegExp(`^https://shop\\.example/thanks\\?reference=${reference}&status=${ended}$`));
			expect(await choose(sandbox, checkout_url, { action })).toMatchObject({ status: ended, redirect });
			expect(await choose(sandbox, checkout_url, { action: 'approve' })).toMatchObject({ status: ended });
			expect(await status(sandbox, reference)).toMatchObject({ status: ended, balance });
			await sandbox.advance(600_000);
			expect(await status(sandbox, reference)).toMatchObject({ status: ended, balance });
			expect(await (await fetch(`${checkout_url}/state`)).json()).toMatchObject({ payer_steps: null });
		});

		it('expires after ten minutes, and cannot be approved then', async () => {
			await using sandbox = await run();
			const { reference, checkout_url } = await begin(sandbox);
			await sandbox.advance(600_000);
			expect(await choose(sandbox, checkout_url, { action: 'approve' })).toMatchObject({ status: 'expired' });
			expect(await status(sandbox, reference)).toMatchObject({ status: 'expired', balance: 40 });
		});
	});

	it('is not paid by an approval without a payment by mobile money', async () => {
		await using sandbox = await run();
		const { reference, checkout_url } = await created(sandbox);
		expect(await choose(sandbox, checkout_url, { action: 'approve' })).toMatchObject({ status: 'cancelled' });
		expect(await status(sandbox, reference)).toMatchObject({ status: 'pending', balance: 40 });
		await choose(sandbox, checkout_url, { action: 'pay', method: 'mobile_money' });
		expect(await choose(sandbox, checkout_url, { action: 'approve' })).toMatchObject({ status: 'pending' });
		expect(await status(sandbox, reference)).toMatchObject({ balance: 40 });
	});

	it('is paid by card as any other if its amount ends in .04', async () => {
		await using sandbox = await run();
		const { checkout_url } = await created(sandbox, 20.04);
		expect(await choose(sandbox, checkout_url, { action: 'pay', method: 'card' })).toMatchObject({
			status: 'completed',
		});
	});

	it('expires after a day, and cannot be paid then', async () => {
		await using sandbox = await run();
		const { reference, checkout_url } = await created(sandbox);
		await sandbox.advance(86_399_999);
		expect(await status(sandbox, reference)).toMatchObject({ status: 'pending' });
		await sandbox.advance(1);
		expect(await status(sandbox, reference)).toMatchObject({ status: 'expired' });
		expect(await choose(sandbox, checkout_url, { action: 'pay' })).toMatchObject({ status: 'expired' });
		expect((await sandbox.wallet()).balance).toBe(40);
	});

	it.each([
		[{ amount: 0 }, /above zero/],
		[{ amount: 0.5 }, /between 1 and 10000/],
		[{ amount: 10_001 }, /between 1 and 10000/],
		[{ amount: 10.005 }, /more than two decimals/],
		[{ amount: '10' }, /^amount/],
		[{ amount: 10, return_url: 'http://shop.example' }, /^return_url is not an https/],
	])('rejects %j', async (body, message) => {
		await using sandbox = await run();
		expect(await sandbox.api('POST', 'wallet/topup', body)).toMatchObject({
			status: 422,
			body: { code: 'validation', message: matching(message) },
		});
		expect((await sandbox.control('GET', 'top-ups')).body).toEqual([]);
	});

	it('responds with 404 to an unknown reference', async () => {
		await using sandbox = await run();
		expect((await sandbox.api('GET', 'wallet/topup/top_none')).status).toBe(404);
		expect((await fetch(`${sandbox.sandbox.url}/checkout/top_none/state`)).status).toBe(404);
	});

	it('serves the checkout page under a strict policy, with files that exist', async () => {
		await using sandbox = await run();
		const { checkout_url } = await created(sandbox);
		const page = await fetch(checkout_url);
		expect(page.status).toBe(200);
		expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self'/);
		const named = [...(await page.text()).matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path = '']) => path);
		expect(named).toContain('/ui/checkout.js');
		for (const path of named) expect((await fetch(sandbox.sandbox.url + path)).status).toBe(200);
		expect(await (await fetch(`${checkout_url}/state`)).json()).toMatchObject({
			amount: 50,
			fee: 1,
			total: 51,
			currency: 'GHS',
			status: 'pending',
			returns_to: null,
		});
	});

	it('rejects a choice from a page of another origin', async () => {
		await using sandbox = await run();
		const { checkout_url } = await created(sandbox);
		const response = await fetch(`${checkout_url}/choice`, {
			method: 'POST',
			headers: { origin: 'http://evil.example' },
			body: '{"action":"pay"}',
		});
		expect(response.status).toBe(403);
		expect((await sandbox.wallet()).balance).toBe(40);
	});
});

describe('transactions', () => {
	it('lists transactions in pages, newest first, each with the balance after it', async () => {
		await using sandbox = await run();
		await sandbox.control('PUT', 'settings', { requests_per_second: 10_000 });
		for (let sent = 0; sent < 60; sent += 1) await sandbox.sent();
		const page = async (query: string) =>
			z
				.object({ data: z.array(z.looseObject({ balance: z.number(), type: z.string(), created_at: z.string() })) })
				.parse((await sandbox.api('GET', `wallet/transactions${query}`)).body).data;
		expect(await page('')).toHaveLength(50);
		expect(await page('?limit=100')).toHaveLength(61);
		expect(await page('?limit=2&offset=59')).toMatchObject([
			{ type: 'debit', balance: 39.95 },
			{ type: 'topup', balance: 40 },
		]);
		expect((await page('?limit=1')).map(({ balance }) => balance)).toEqual([37]);
		expect(await page('?offset=61')).toEqual([]);
	});

	it.each(['limit=101', 'limit=0', 'limit=x', 'limit=1.5', 'offset=-1'])('rejects %s', async (query) => {
		await using sandbox = await run();
		expect(await sandbox.api('GET', `wallet/transactions?${query}`)).toMatchObject({
			status: 422,
			body: { code: 'validation' },
		});
	});
});
