import type { INodeParameters } from 'n8n-workflow';
import { z } from 'zod/v4';
import { startSandbox, type Sandbox } from '../../sandbox/server';
import { sandboxControl } from '../support/sandboxControl';
import { operationCases } from '../support/operationCases';
import { startEngine, type Engine } from '../support/n8n/engine';

let sandbox: Sandbox;
let control: ReturnType<typeof sandboxControl>;
let engine: Engine;

beforeAll(async () => {
	sandbox = await startSandbox({ clock: 'stopped' });
	control = sandboxControl(sandbox);
	engine = await startEngine({
		messagingServiceApi: { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, authHeader: 'X-API-Key' },
	});
});
afterAll(() => sandbox.stop());
beforeEach(async () => {
	await control.reset();
	await control.settings({ requests_per_second: 10_000 });
});

const run = async (resource: string, operation: string, parameters: INodeParameters = {}) => {
	const { error, outputs, hints } = await engine.run({ parameters: { resource, operation, ...parameters } });
	return { error, hints, rows: outputs[0]?.map(({ json }) => json) ?? [] };
};
const senderId = { __rl: true, mode: 'name', value: 'KOFISHOP' };
const phone = '020 123 4567';
const textOf = (value: unknown) => z.string().parse(value);

describe('an operation with its fields filled in', () => {
	// The others need the output of another operation.
	const alone = Object.entries(operationCases).filter(([, { row, inWorkflow }]) => row && !inWorkflow);
	it.each(alone)('%s returns its row', async (id, { endpoint, parameters, row }) => {
		const [resource = '', operation = ''] = id.split('.');
		const { rows } = await run(resource, operation, parameters);
		expect(rows[0]).toMatchObject(row ?? {});
		expect((await control.requests()).map((request) => request.endpoint)).toEqual(endpoint ? [endpoint.id] : []);
	});
});

describe('the other channels', () => {
	it.each([
		['whatsapp', { to: phone, message: 'Ready' }, '+233201234567'],
		['email', { to: 'ama@example.com', subject: 'Order', message: 'Ready' }, 'ama@example.com'],
		['voice', { to: phone, message: 'Ready' }, '+233201234567'],
	])('sends by %s, charges once, and Message > Get finds its status', async (resource, parameters, to) => {
		const { rows } = await run(resource, 'send', parameters);
		expect(rows).toEqual([expect.objectContaining({ outcome: 'accepted', message_id: expect.any(String) as string })]);
		const [sent] = await control.messages();
		expect(sent).toMatchObject({ to, message: 'Ready', channel: resource });
		await control.advanceClock(60_000);
		const found = await run('message', 'get', { messageId: textOf(rows[0]?.message_id) });
		expect(found.rows).toEqual([expect.objectContaining({ channel: resource, status: 'delivered' })]);
	});

	it.each(['whatsapp', 'email', 'voice'])('reports that %s is not set up, and charges nothing', async (resource) => {
		await control.settings({ [`${resource}_set_up`]: false });
		const parameters = { to: resource === 'email' ? 'ama@example.com' : phone, subject: 'Order', message: 'Ready' };
		const { error } = await run(resource, 'send', parameters);
		expect(error?.message).toContain('is not set up on your account');
		expect(error?.description).toMatch(/(Ask the service for it|Set them up in the dashboard)\. \(code /);
		expect((await control.wallet()).balance).toBe(40);
	});

	it('names the wrong field of an email', async () => {
		expect((await run('email', 'send', { to: 'ama', subject: 's', message: 'm' })).error?.message).toContain(
			'To is not an email address',
		);
	});
});

describe('Verification', () => {
	async function sendCode() {
		const { rows } = await run('verification', 'start', { phone, senderId });
		expect(rows).toEqual([expect.objectContaining({ outcome: 'accepted' })]);
		const [sent] = await control.messages();
		expect(sent?.to).toBe('+233201234567');
		return {
			verificationId: z.number().parse(rows[0]?.verification_id),
			code: /\d{6}/.exec(sent?.message ?? '')?.[0] ?? '',
		};
	}

	it('sends a code and accepts it as valid', async () => {
		const { verificationId, code } = await sendCode();
		expect(code).toMatch(/^\d{6}$/);
		const checked = await run('verification', 'check', { verificationId, code });
		expect(checked.rows).toEqual([expect.objectContaining({ valid: true })]);
	});

	it('returns the reason for a wrong code, an expired code and too many tries', async () => {
		const { verificationId, code } = await sendCode();
		const wrong = code === '111111' ? '222222' : '111111';
		const first = await run('verification', 'check', { verificationId, code: wrong });
		expect(first.rows).toEqual([expect.objectContaining({ valid: false, reason: 'wrong_code' })]);
		expect(first.error).toBeUndefined();
		for (let attempt = 0; attempt < 10; attempt++) await run('verification', 'check', { verificationId, code: wrong });
		const late = await run('verification', 'check', { verificationId, code });
		expect(late.rows).toEqual([expect.objectContaining({ valid: false, reason: 'too_many_tries' })]);
		const again = await sendCode();
		await control.advanceClock(24 * 60 * 60 * 1000);
		const expired = await run('verification', 'check', { ...again });
		expect(expired.rows).toEqual([expect.objectContaining({ valid: false, reason: 'expired_code' })]);
	});

	it('rejects a Verification ID that is not a whole number', async () => {
		const { error } = await run('verification', 'check', { verificationId: 'abc', code: '1' });
		expect(error?.message).toContain('Verification ID is not a whole number');
	});
});

describe('Phone Number', () => {
	it.each([
		['020 123 4567', { valid: true, e164: '+233201234567', country: 'GH', type: 'mobile' }],
		['+14155238886', { valid: true, e164: '+14155238886', country: 'US' }],
		['12', { valid: false, message: expect.any(String) as string }],
	])('formats %s without a request', async (typed, expected) => {
		const { rows } = await run('phoneNumber', 'format', { phone: typed });
		expect(rows).toEqual([expect.objectContaining(expected)]);
		expect(await control.requests()).toEqual([]);
	});
});

describe('Wallet', () => {
	it('creates a top-up link and returns its status', async () => {
		const options = { returnUrl: 'https://shop.example/thanks' };
		const { rows } = await run('wallet', 'createTopUp', { amount: 50, options });
		expect(rows).toEqual([
			expect.objectContaining({
				outcome: 'accepted',
				reference: expect.any(String) as string,
				checkout_url: expect.stringContaining('http') as string,
				amount_credit: 50,
				status: 'pending',
			}),
		]);
		const found = await run('wallet', 'getTopUp', { reference: textOf(rows[0]?.reference) });
		expect(found.rows).toEqual([expect.objectContaining({ status: 'pending', type: 'topup' })]);
	});

	it.each([
		[{ amount: 0 }, 'Amount is not above zero'],
		[{ amount: 5, options: { returnUrl: 'http://x.example' } }, 'Return URL is not an https:// address'],
	])('rejects a top-up with %j', async (parameters, words) => {
		expect((await run('wallet', 'createTopUp', parameters)).error?.message).toContain(words);
	});

	it('returns wallet transactions up to a limit, or all of them', async () => {
		await engine.run({
			parameters: { resource: 'sms', operation: 'send', senderId, to: '={{ $json.to }}', message: 'Hi' },
			items: Array.from({ length: 120 }, (_, index) => ({ to: `+233201234${String(index).padStart(3, '0')}` })),
		});
		expect((await run('wallet', 'getManyTransactions', { limit: 3 })).rows).toHaveLength(3);
		const { rows } = await run('wallet', 'getManyTransactions', { returnAll: true });
		expect(rows).toHaveLength((await control.wallet()).transactions.length);
		expect(rows.length).toBeGreaterThan(120);
		expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
	});

	it("shows the service's own words if it cannot read the transactions", async () => {
		const body = { message: 'This key was revoked' };
		await control.fault({ endpoint: 'wallet.listTransactions', kind: 'answer', status: 401, body });
		const { error } = await run('wallet', 'getManyTransactions', { returnAll: true });
		expect(error?.message).toBe('This key was revoked');
	});
});

describe('sender IDs and contacts', () => {
	it('returns one item for each sender ID', async () => {
		const { rows } = await run('senderId', 'getMany');
		expect(rows.map(({ name }) => name).sort()).toEqual(['AKWAABA', 'KOFISHOP']);
	});

	it('creates a contact and finds it again', async () => {
		const created = await run('contact', 'create', { phone, name: 'Ama Mensah' });
		expect(created.rows).toEqual([expect.objectContaining({ name: 'Ama Mensah', phone: '+233201234567' })]);
		const { rows } = await run('contact', 'getMany');
		expect(rows).toContainEqual(expect.objectContaining({ name: 'Ama Mensah', phone: '+233201234567' }));
	});

	it('returns contacts up to the limit, or all of them', async () => {
		await control.removeContacts();
		for (let place = 0; place < 55; place++) {
			await run('contact', 'create', { phone: `+2332012345${String(place).padStart(2, '0')}` });
		}
		expect((await run('contact', 'getMany')).rows).toHaveLength(50);
		expect((await run('contact', 'getMany', { limit: 3 })).rows).toHaveLength(3);
		expect((await run('contact', 'getMany', { returnAll: true })).rows).toHaveLength(55);
	});

	it('creates a contact with custom fields from both options, without empty ones', async () => {
		const { rows } = await run('contact', 'create', {
			phone,
			options: {
				customFields: {
					values: [
						{ name: ' city ', value: ' Kumasi ' },
						{ name: 'orders', value: '={{ 3 }}' },
						{ name: 'birthday', value: '' },
						{ name: '', value: '' },
					],
				},
				customFieldsJson: '{"vip": true, "note": null}',
			},
		});
		expect(rows).toEqual([expect.objectContaining({ phone: '+233201234567', city: 'Kumasi', orders: 3, vip: true })]);
		expect(Object.keys(rows[0] ?? {})).not.toEqual(
			expect.arrayContaining([expect.stringMatching(/^(birthday|note|)$/)]),
		);
	});

	it.each([['{"city": "Kumasi"}'], ['={{ { "city": "Kumasi" } }}'], ['={{ JSON.stringify({ city: "Kumasi" }) }}']])(
		'reads the custom fields of %s as JSON',
		async (customFieldsJson) => {
			const { rows } = await run('contact', 'create', { phone, options: { customFieldsJson } });
			expect(rows).toEqual([expect.objectContaining({ city: 'Kumasi' })]);
		},
	);

	it('creates a contact with the custom fields that an agent chooses', async () => {
		const json = '{"city": "Kumasi", "orders": 3}';
		const [text = ''] = await engine.callTool([{ to: phone, message: json }], {}, undefined, {}, undefined, {
			resource: 'contact',
			operation: 'create',
			phone: "={{ $fromAI('to', '', 'string') }}",
			options: { customFieldsJson: "={{ $fromAI('message', '', 'string') }}" },
		});
		expect(JSON.parse(text)).toEqual([expect.objectContaining({ city: 'Kumasi', orders: 3 })]);
	});
});

describe('SMS > Estimate Cost', () => {
	const message = `${'Your balance is low, top up today and keep talking with us. '.repeat(2)}Only GH₵50 today, at our Osu branch.`;

	it('counts, prices and suggests a cheaper message without a request', async () => {
		const { rows, hints } = await run('sms', 'estimateCost', { message, recipients: 100, pricePerSegment: 0.05 });
		expect(hints).toEqual([]);
		expect(rows).toEqual([
			expect.objectContaining({
				encoding: 'UCS-2',
				segment_count: 3,
				total_segments: 300,
				cost: 15,
				remaining_characters: expect.any(Number) as number,
				non_gsm_characters: '₵',
				cheaper_message: message.replace('GH₵50', 'GHS 50'),
				segments_saved: 200,
				cost_basis: expect.stringMatching(/^Based on a price of 0\.05 per segment/) as string,
			}),
		]);
		expect(await control.requests()).toEqual([]);
	});

	it('offers plain letters for Ewe beside the message as written, with both costs', async () => {
		const ewe = 'Ŋdi na mi katã, míele mia kpɔm kwasiɖa ƒe ŋkeke gbãtɔ le ʋuʋu ƒe ɣeyiɣi me. ';
		const plain = 'Ndi na mi kata, miele mia kpom kwasida fe nkeke gbato le vuvu fe geyigi me. ';
		const parameters = { message: ewe, recipients: 100, pricePerSegment: 0.05 };
		const { rows } = await run('sms', 'estimateCost', parameters);
		expect(rows).toEqual([
			expect.objectContaining({
				segment_count: 2,
				cost: 10,
				cheaper_message: null,
				plain_letters_message: plain,
				plain_letters_segments_saved: 100,
				plain_letters_cost: 5,
			}),
		]);
		const unpriced = await run('sms', 'estimateCost', { ...parameters, pricePerSegment: 0 });
		expect(unpriced.rows).toEqual([expect.objectContaining({ plain_letters_message: plain })]);
		expect(unpriced.rows[0]).not.toHaveProperty('plain_letters_cost');
		const english = await run('sms', 'estimateCost', { ...parameters, message });
		expect(english.rows).toEqual([
			expect.objectContaining({ plain_letters_message: null, plain_letters_segments_saved: 0 }),
		]);
	});

	it('returns no cost without a price, and says which field gives one', async () => {
		const { rows, hints } = await run('sms', 'estimateCost', { message: 'Hi', recipients: 2, pricePerSegment: 0 });
		expect(hints).toEqual([expect.stringContaining('Price per Segment')]);
		expect(rows).toEqual([expect.objectContaining({ segment_count: 1, total_segments: 2 })]);
		expect(rows[0]).not.toHaveProperty('cost');
	});

	it('names the wrong field of an estimate', async () => {
		const parameters = { message: 'Hi', recipients: -1, pricePerSegment: 0.05 };
		expect((await run('sms', 'estimateCost', parameters)).error?.message).toContain('Recipients must be');
	});
});
