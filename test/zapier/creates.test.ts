import { z } from 'zod/v4';
import { PAYER_STEPS } from '../../shared';
import { stubServer } from '../support/stubServer';
import { useSandbox } from '../support/useSandbox';
import { readDefinition } from '../support/zapier/definition';
import { haltedFor } from '../support/zapier/haltedFor';
import { driveApp, methods, type Account } from '../support/zapier/zapierTestApp';

const to = '+233201234567';
const sender_id = 'KOFISHOP';

const { sandbox, control } = useSandbox();

const account = (more: Account = {}) => driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey, ...more });
const run = (method: string, inputs: Readonly<Record<string, unknown>>) => account().run(method, inputs);
const failure = (method: string, inputs: Readonly<Record<string, unknown>>) => account().failure(method, inputs);

/** A sample may show only fields that the service returns. */
async function expectLikeSample(key: string, result: unknown) {
	const { creates } = await readDefinition();
	const given = z.record(z.string(), z.unknown()).parse(result);
	expect(Object.keys(given)).toEqual(
		expect.arrayContaining(Object.keys(creates[key]?.operation.sample ?? { none: 1 })),
	);
}

describe.each([
	['sendWhatsappMessage', 'send_whatsapp_message', 'whatsapp', { to, message: 'Hi {name} }} {{ 😀' }, to],
	[
		'makeVoiceCall',
		'make_voice_call',
		'voice',
		{ to: '0201234567', message: 'Hi {bundle.x}', default_country: 'GH' },
		to,
	],
	[
		'sendEmail',
		'send_email',
		'email',
		{ to: ' ama@example.com ', subject: 'Hi', message: '{1} <b>' },
		'ama@example.com',
	],
] as const)('%s', (name, key, channel, inputs, recipient) => {
	it("sends the message once, unchanged, and returns the service's data", async () => {
		const result = await run(methods[name], { ...inputs, send_once_key: '' });
		const [sent, ...others] = await control.messages();
		expect(others).toEqual([]);
		expect(sent).toMatchObject({ to: recipient, channel, message: inputs.message });
		expect(result).toMatchObject({ message_id: sent?.message_id, already_sent: false });
		await expectLikeSample(key, result);
	});

	it("gives the service's message if the channel is not set up", async () => {
		await control.settings({ [`${channel}_set_up`]: false });
		const failed = await failure(methods[name], inputs);
		expect(failed).toMatchObject({ name: 'AppError', code: 'channel_not_set_up', status: 422 });
		expect(failed.message).toContain('is not set up');
	});

	it.each(['to', 'message'])('rejects an empty %s without a request', async (field) => {
		const failed = await failure(methods[name], { ...inputs, [field]: '' });
		expect(failed).toMatchObject(haltedFor(field === 'to' ? 'To' : 'Message'));
		expect(await control.requests()).toEqual([]);
	});

	it('returns every output field even if the service omits it', async () => {
		await using server = await stubServer({ status: 200, body: '{"data": {"id": 7}}' });
		const result = await account({ base_url: server.baseUrl }).run(methods[name], inputs);
		expect(result).toMatchObject({ message_id: '7', status: null, cost: null, balance: null });
	});
});

describe('one-time code steps', () => {
	const start = async () =>
		z.object({ verification_id: z.number() }).parse(await run(methods.sendVerificationCode, { phone: to, sender_id }));

	it('sends a one-time code and accepts it', async () => {
		const { verification_id } = await start();
		const [sent] = await control.messages();
		const code = /\d{6}/.exec(sent?.message ?? '')?.[0];
		const right = await run(methods.checkVerificationCode, {
			verification_id,
			code: ` ${code?.slice(0, 3)}-${code?.slice(3)}\u200e `,
		});
		expect(right).toMatchObject({ valid: true, status: 'verified', reason: null });
		await expectLikeSample('check_verification_code', right);
		expect(await control.messages()).toHaveLength(1);
	});

	it('returns all fields of the sample of a one-time code step', async () => {
		const result = await run(methods.sendVerificationCode, { phone: '020 123 4567', sender_id });
		expect(result).toMatchObject({ status: 'pending', cost: 0.05, balance: 39.95 });
		await expectLikeSample('send_verification_code', result);
	});

	it.each(['answer', 'refusal'])(
		'returns invalid, not an error, for a wrong code in a response as %s',
		async (verification_shape) => {
			await control.settings({ verification_shape });
			const { verification_id } = await start();
			const wrong = await run(methods.checkVerificationCode, { verification_id, code: '000000' });
			expect(wrong).toMatchObject({
				valid: false,
				reason: 'wrong_code',
				message: expect.stringMatching(/wrong/) as string,
			});
			const expired = await run(methods.checkVerificationCode, { verification_id, code: '999999' });
			expect(expired).toMatchObject({ valid: false, reason: 'expired_code' });
		},
	);

	it('fails if the verification does not exist', async () => {
		const failed = await failure(methods.checkVerificationCode, { verification_id: '77', code: '1' });
		expect(failed).toMatchObject({ name: 'AppError', code: 'not_found', status: 404 });
		const halted = await failure(methods.checkVerificationCode, { verification_id: 'abc', code: '' });
		expect(halted).toMatchObject(haltedFor('Verification ID', '. Code '));
	});

	it('keeps the code out of errors', async () => {
		const body = { message: 'Code 482913 cannot be checked now' };
		await control.fault({ endpoint: 'verification.check', kind: 'answer', status: 500, body });
		const failed = await failure(methods.checkVerificationCode, { verification_id: '1', code: '482913' });
		expect(failed.message).not.toContain('482913');
	});
});

describe('Create Contact', () => {
	it.each(['success', 'status', 'error', 'code', 'message'])('keeps a custom field named %s', async (field) => {
		const inputs = { phone: to, custom_fields: { [field]: 'failed' } };
		expect(await account().attempt(methods.createContact, inputs)).toHaveProperty('results');
	});

	it('adds a contact with its custom fields, without empty ones', async () => {
		const custom_fields = { city: 'Kumasi', ' ': 'x', empty: '', phone: 'not this' };
		const result = await run(methods.createContact, { phone: '0201234567', name: ' Ama ', custom_fields });
		expect(result).toMatchObject({ name: 'Ama', phone: to, city: 'Kumasi' });
		expect(result).not.toHaveProperty('empty');
		expect(result).toHaveProperty('created_at', expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/));
		await expectLikeSample('create_contact', result);
	});

	it('adds a contact with only a phone', async () => {
		expect(await run(methods.createContact, { phone: to, name: '', custom_fields: '' })).toMatchObject({ name: null });
	});

	it('halts if the number is already a contact', async () => {
		await run(methods.createContact, { phone: to });
		const failed = await failure(methods.createContact, { phone: to });
		expect(failed).toMatchObject({
			name: 'HaltedError',
			message: expect.stringContaining('another contact') as string,
		});
	});
});

describe('Create Wallet Top-Up', () => {
	it('creates a link without charging anything', async () => {
		const inputs = { amount: '50', return_url: 'https://shop.example/thanks' };
		const result = await run(methods.createWalletTopUp, inputs);
		expect(result).toMatchObject({
			status: 'pending',
			amount_credit: 50,
			fee: 1,
			total_charged_ghs: 51,
			currency: 'GHS',
			payer_steps: PAYER_STEPS,
		});
		expect(result).toHaveProperty('checkout_url', expect.stringContaining(`${sandbox.url}/checkout/`));
		expect((await control.wallet()).balance).toBe(40);
		await expectLikeSample('create_wallet_top_up', result);
	});

	it.each(['', 'fifty', '-5'])('rejects the amount %j without a request', async (amount) => {
		const failed = await failure(methods.createWalletTopUp, { amount });
		expect(failed).toMatchObject(haltedFor('Amount'));
		expect(await control.requests()).toEqual([]);
	});

	it('rejects a return URL that is not https', async () => {
		const failed = await failure(methods.createWalletTopUp, { amount: 5, return_url: 'http://shop.example' });
		expect(failed).toMatchObject(haltedFor('Return URL', 'https://'));
	});
});
