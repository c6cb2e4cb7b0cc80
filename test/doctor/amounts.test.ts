import { examine } from '../../doctor/examine';
import { readAgain } from '../../doctor/exchange';
import { createBudget } from '../../doctor/paid/budget';
import { createNameMask } from '../../doctor/publicNames';
import { contract } from '../../shared';
import { fc } from '../support/random';
import { runDoctor } from '../support/runDoctor';
import { secondService } from '../support/secondService';

/** Reads a balance in this body as the doctor does. */
async function balanceIn(body: unknown) {
	const response = { status: 200, headers: {}, body: JSON.stringify(body) };
	const exchange = { endpoint: contract.wallet.getBalance, input: {}, response };
	// Reading it needs no earlier outcome.
	const outcome = await readAgain({ ...exchange, outcome: { outcome: 'accepted', output: {} } }, body);
	return await examine({ ...exchange, outcome }, createNameMask());
}

/** Amounts as services write them: numbers or texts, with a sign and a currency before or behind. */
const amounts = fc
	.record({
		digits: fc.oneof(
			fc.constantFrom('0', '0.00', '00', '1,250.5', '12,345,678'),
			fc.integer({ min: 0, max: 99_999_999 }).map((units) => (units / 10_000).toFixed(4)),
		),
		sign: fc.constantFrom('', '-', '\u2212'),
		currency: fc.constantFrom('', 'GHS', 'USD', 'Ghs', 'GH₵', '₵', 'US$'),
		place: fc.constantFrom('before sign', 'before digits', 'behind'),
		space: fc.constantFrom('', ' '),
	})
	.map(({ digits, sign, currency, place, space }) => {
		if (currency === '') return `${sign}${digits}`;
		if (place === 'behind') return `${sign}${digits}${space}${currency}`;
		return place === 'before sign' ? `${currency}${space}${sign}${digits}` : `${sign}${currency}${space}${digits}`;
	});

describe('an amount in a response', () => {
	it.each([0, '0', '0.00', '-0', -12.5, '-12.50', '\u221212.50', '-GHS 12.50', 'GHS -12.50', 'USD 0', '-12.50 GHS'])(
		'that is %j is found where the client reads it',
		async (balance) => {
			const read = await balanceIn({ success: true, wallet: { balance, threshold: 5 } });
			expect(read.outcome).toMatchObject({ outcome: 'accepted' });
			expect(read.placesOf('balance')).toEqual(['`wallet.balance`']);
			expect(read.words).toMatch(/balance: (number|number as text|amount with currency), threshold: number \} \}`$/);
		},
	);

	it('is found in any form that the client reads, also below zero', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.oneof(amounts, fc.integer(), fc.double({ noNaN: true, min: -1e9, max: 1e9 })),
				async (balance) => {
					const read = await balanceIn({ data: { balance, currency: 'GHS' } });
					expect(read.outcome).toMatchObject({ outcome: 'accepted' });
					expect(read.placesOf('balance')).toEqual(['`data.balance`']);
					expect(JSON.stringify(read.template)).toMatch(/"balance":"<(number|number as text|amount with currency)>"/);
				},
			),
		);
	});

	it.each([-5, '-5.00', '\u22125.00', 0, '0', 'GHS -5.00', '-USD 5.00'])(
		'that is a balance of %j makes no row differ',
		async (balance) => {
			await using service = await secondService((body) =>
				JSON.stringify(body).includes('available_balance')
					? { ok: true, result: { wallet: { available_balance: balance, currency: 'GHS' } } }
					: body,
			);
			const run = await runDoctor(service);
			for (const heading of ['Balance response', 'Amounts and IDs', 'Envelopes']) {
				expect(run.rows.get(heading)).toMatchObject({
					verdict: 'ok',
					reading: expect.stringContaining('result.wallet.available_balance') as string,
				});
			}
			expect(run.printed + run.report + run.shapesText).not.toMatch(/5\.00/);
		},
	);
});

describe('a budget of a wallet below zero', () => {
	const below = fc.integer({ min: -500_000, max: -1 }).map((units) => units / 10_000);
	const maximum = fc.integer({ min: 0, max: 500_000 }).map((units) => units / 10_000);

	it('permits no request without a price, because the wallet can pay more than it has', () => {
		fc.assert(
			fc.property(below, maximum, (balance, maxSpend) => {
				const budget = createBudget(maxSpend, {});
				expect(budget.permit('sms', balance)).toMatchObject({
					allowed: false,
					why: expect.stringContaining('--prices') as string,
				});
				// An unknown cost gives nothing back.
				budget.spend('sms', undefined, balance);
				expect(budget.permit('sms', maxSpend + 1)).toMatchObject({ allowed: false });
			}),
		);
	});
});

describe('a paid run with a wallet below zero', () => {
	it('sends nothing without a price', async () => {
		await using service = await secondService((body) =>
			JSON.stringify(body).includes('available_balance')
				? { ok: true, result: { wallet: { available_balance: '-5.00' } } }
				: body,
		);
		const run = await runDoctor(service, '--send-to', '+233201234567', '--max-spend', '1', '--sender', 'KOFISHOP');
		expect(service.sent).toEqual([]);
		expect(run.printed).toContain('sms: not sent. ');
	});
});
