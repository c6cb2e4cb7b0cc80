import { z } from 'zod/v4';
import { startSandbox, type Sandbox } from '../../sandbox/server';
import { PAYER_STEPS } from '../../shared';
import { endRetryWaits } from '../support/endRetryWaits';
import { sandboxControl } from '../support/sandboxControl';
import { stubServer } from '../support/stubServer';
import { readDefinition } from '../support/zapier/definition';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

endRetryWaits();

const phone = '+233201234567';

let sandbox: Sandbox;
let control: ReturnType<typeof sandboxControl>;
let app: ReturnType<typeof driveApp>;

beforeAll(async () => {
	sandbox = await startSandbox({ clock: 'stopped' });
	control = sandboxControl(sandbox);
	app = driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey });
});
afterAll(() => sandbox.stop());
beforeEach(() => control.reset());

const rows = z.array(z.record(z.string(), z.unknown()));
const search = async (method: string, inputs: Readonly<Record<string, unknown>>) =>
	rows.parse(await app.run(method, inputs));

/** A sample may show only fields that the service returns. */
async function expectLikeSample(key: string, [found]: ReadonlyArray<Record<string, unknown>>) {
	const { searches } = await readDefinition();
	const sample = searches[key]?.operation.sample ?? { none: 1 };
	expect(Object.keys(found ?? {})).toEqual(expect.arrayContaining(Object.keys(sample)));
}

describe('Look Up Phone Number', () => {
	it('returns carrier and country, for the price of one lookup', async () => {
		const found = await search(methods.lookUpPhoneNumber, { phone: '020 123 4567' });
		expect(found).toEqual([expect.objectContaining({ phone, valid: true, country: 'GH', cost: 0.01 })]);
		expect((await control.wallet()).balance).toBe(39.99);
		await expectLikeSample('look_up_phone_number', found);
	});

	it('returns an invalid number as not valid', async () => {
		expect(await search(methods.lookUpPhoneNumber, { phone: '+233990000001' })).toMatchObject([{ valid: false }]);
	});

	it('rejects an impossible number without a charge', async () => {
		const failed = await app.failure(methods.lookUpPhoneNumber, { phone: '12345' });
		expect(failed.name).toBe('HaltedError');
		expect(failed.message).toMatch(/^Phone is too short to be a phone number.* Nothing was sent or charged/);
		expect(await control.requests()).toEqual([]);
	});
});

describe('Find Wallet Balance', () => {
	it.each([
		[undefined, null, null],
		['', null, null],
		['40', 40, false],
		[40.01, 40.01, true],
		['0', 0, false],
	])('compares with the threshold %j', async (threshold, shown, is_below_threshold) => {
		const found = await search(methods.findWalletBalance, { threshold });
		expect(found).toEqual([{ balance: 40, currency: 'GHS', threshold: shown, is_below_threshold }]);
		await expectLikeSample('find_wallet_balance', found);
	});

	it('rejects a threshold that is not a number', async () => {
		const failed = await app.failure(methods.findWalletBalance, { threshold: 'low' });
		expect(failed).toMatchObject({
			name: 'HaltedError',
			message: expect.stringMatching(/^Threshold is not a number/) as string,
		});
	});

	it('fails with a replayable error if the service is down', async () => {
		await control.fault({ endpoint: 'wallet.getBalance', kind: 'answer', status: 500, times: 3 });
		expect(await app.failure(methods.findWalletBalance, {})).toMatchObject({ name: 'AppError', status: 500 });
		await control.fault({
			endpoint: 'wallet.getBalance',
			kind: 'answer',
			status: 429,
			headers: { 'Retry-After': '5' },
		});
		expect(await app.failure(methods.findWalletBalance, {})).toMatchObject({ name: 'ThrottledError', delay: 5 });
	});
});

describe('Find Wallet Top-Up', () => {
	it('returns whether a top-up was paid, with a date that has a time zone', async () => {
		const { reference } = z
			.looseObject({ reference: z.string() })
			.parse(await app.run(methods.createWalletTopUp, { amount: 50, return_url: '' }));
		const pending = await search(methods.findWalletTopUp, { reference });
		expect(pending).toMatchObject([
			{ reference, status: 'pending', paid: 'pending', payer_steps: PAYER_STEPS, amount: 50 },
		]);
		expect(pending[0]?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
		await expectLikeSample('find_wallet_top_up', pending);
		await control.ask('POST', `top-ups/${reference}/checkout`, { action: 'pay', method: 'card' });
		const paid = await search(methods.findWalletTopUp, { reference });
		expect(paid).toMatchObject([{ status: 'completed', paid: 'yes', payer_steps: null, balance: 90 }]);
	});

	it('finds nothing for an unknown reference, and rejects an empty one', async () => {
		expect(await search(methods.findWalletTopUp, { reference: 'top_none' })).toEqual([]);
		const failed = await app.failure(methods.findWalletTopUp, { reference: '' });
		expect(failed).toMatchObject({
			name: 'HaltedError',
			message: expect.stringMatching(/^Reference is empty/) as string,
		});
	});
});

describe('Find Contact', () => {
	beforeEach(async () => {
		await app.run(methods.createContact, { phone, name: 'Ama Mensah', custom_fields: { city: 'Kumasi' } });
		await app.run(methods.createContact, { phone: '+233201234568', name: 'Kofi Mensah' });
	});

	it.each<[string, Record<string, unknown>, string[]]>([
		['a number in another form', { phone: '020 123 4567' }, ['Ama Mensah']],
		['a name in another case', { name: ' kofi  mensah' }, ['Kofi Mensah']],
		['phone and name', { phone, name: 'Ama Mensah' }, ['Ama Mensah']],
		['a phone and a name that do not match', { phone, name: 'Kofi Mensah' }, []],
		['a number of no contact', { phone: '+233201234569' }, []],
		['a part of a name', { name: 'Ama' }, []],
	])('searches by %s', async (_, inputs, names) => {
		const found = await search(methods.findContact, inputs);
		expect(found.map(({ name }) => name)).toEqual(names);
		if (found.length > 0) await expectLikeSample('find_contact', found);
	});

	it('rejects an empty phone with an empty name', async () => {
		const failed = await app.failure(methods.findContact, { phone: '', name: null });
		expect(failed).toMatchObject({
			name: 'HaltedError',
			message: expect.stringMatching(/^Phone and Name are both empty/) as string,
		});
		expect(await control.requests()).toHaveLength(2);
	});

	it('finds a contact even if the service lists no plus and no ID', async () => {
		await using server = await stubServer({ status: 200, body: '[{"phone": "233201234567", "name": "Ama"}, {}]' });
		const elsewhere = driveApp({ base_url: server.baseUrl, api_key: 'sk_1' });
		expect(await elsewhere.run(methods.findContact, { phone })).toMatchObject([{ id: null, name: 'Ama' }]);
		expect(await elsewhere.run(methods.findContact, { name: 'ama' })).toMatchObject([{ id: null, name: 'Ama' }]);
	});

	it('lets Find or Create add only one contact in two runs', async () => {
		const found = await search(methods.findContact, { phone: '+233201234570' });
		expect(found).toEqual([]);
		await app.run(methods.createContact, { phone: '+233201234570' });
		expect(await search(methods.findContact, { phone: '+233201234570' })).toHaveLength(1);
	});
});

describe('Estimate SMS Cost', () => {
	it('counts segments without a price and without a request', async () => {
		const found = await search(methods.estimateSmsCost, { message: 'x'.repeat(161), recipients: '' });
		expect(found).toMatchObject([
			{ segment_count: 2, recipients: 1, total_segments: 2, cost: null, encoding: 'GSM-7' },
		]);
		expect(found[0]?.cost_basis).toContain('no price');
		await expectLikeSample('estimate_sms_cost', found);
		expect(await control.requests()).toEqual([]);
	});

	it.each<[string, Record<string, unknown>, number]>([
		['a price', { price_from: 'per_segment', price_per_segment: '0.05' }, 20],
		['an earlier send', { price_from: 'earlier_send', earlier_message: 'y'.repeat(170), earlier_cost: '0.1' }, 20],
	])('estimates the cost from %s', async (_, price, cost) => {
		const found = await search(methods.estimateSmsCost, { message: 'x'.repeat(161), recipients: '200', ...price });
		expect(found).toMatchObject([{ total_segments: 400, cost, price_per_segment: 0.05 }]);
		expect(found[0]?.cost_basis).toMatch(/^Based on /);
	});

	it('lists the non-GSM characters and a cheaper spelling', async () => {
		const message = 'We sell at GH₵50 today. '.repeat(4);
		const [found] = await search(methods.estimateSmsCost, { message, recipients: 10 });
		expect(found).toMatchObject({ encoding: 'UCS-2', segment_count: 2, non_gsm_characters: '₵', segments_saved: 10 });
		expect(found?.cheaper_message).toBe('We sell at GHS 50 today. '.repeat(4));
	});

	it('offers plain letters for Twi as a second choice, with their own cost', async () => {
		const message = 'Yɛfrɛ mo nyinaa ba asɔre fie Kwasiada anɔpa nnɔnkron. '.repeat(2);
		const price = { price_from: 'per_segment', price_per_segment: '0.05' };
		const found = await search(methods.estimateSmsCost, { message, recipients: 200, ...price });
		expect(found[0]).toMatchObject({
			encoding: 'UCS-2',
			segment_count: 2,
			cost: 20,
			cheaper_message: null,
			segments_saved: 0,
			plain_letters_message: 'Yefre mo nyinaa ba asore fie Kwasiada anopa nnonkron. '.repeat(2),
			plain_letters_segments_saved: 200,
			plain_letters_cost: 10,
		});
		await expectLikeSample('estimate_sms_cost', found);
	});

	it('shows the price fields of the chosen method', async () => {
		const fields = async (price_from: string) =>
			z
				.array(z.looseObject({ key: z.string() }))
				.parse(await app.run('searches.estimate_sms_cost.operation.inputFields', { price_from }))
				.map(({ key }) => key);
		const always = ['message', 'recipients', 'price_from'];
		expect(await fields('')).toEqual(always);
		expect(await fields('per_segment')).toEqual([...always, 'price_per_segment']);
		expect(await fields('earlier_send')).toEqual([...always, 'earlier_message', 'earlier_cost']);
	});

	it.each<[Record<string, unknown>, RegExp]>([
		[{ message: '' }, /^Message is empty/],
		[{ recipients: '1.5' }, /^Number of Recipients must be a whole number/],
		[{ price_from: 'per_segment', price_per_segment: 'cheap' }, /^Price per Segment is not an amount/],
		[
			{ price_from: 'earlier_send', earlier_message: 'x', earlier_cost: '0' },
			/^Earlier Cost is 0, so the price is not known/,
		],
		[{ price_from: 'guess' }, /^Price From is not one of its choices/],
	])('names the invalid field: %j', async (inputs, words) => {
		const failed = await app.failure(methods.estimateSmsCost, { message: 'Hi', ...inputs });
		expect(failed).toMatchObject({ name: 'HaltedError', message: expect.stringMatching(words) as string });
	});
});
