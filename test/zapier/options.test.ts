import { startSandbox, type Sandbox } from '../../sandbox/server';
import { sandboxControl } from '../fixtures/sandboxControl';
import { driveApp, methods } from './zapierTestApp';

/**
 * A field that the Zap fills but that is empty or unreadable in a run gives an error that names it, and never means a
 * default.
 */
const to = '+233201234567';
const sms = { to, sender_id: 'KOFISHOP', message: 'Your order is ready.' };

let sandbox: Sandbox;
let control: ReturnType<typeof sandboxControl>;

beforeAll(async () => {
	sandbox = await startSandbox({ clock: 'stopped' });
	control = sandboxControl(sandbox);
});
afterAll(() => sandbox.stop());
beforeEach(() => control.reset());

const account = () => ({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey });
const failure = async (name: keyof typeof methods, inputs: Readonly<Record<string, unknown>>, raw = inputs) =>
	await driveApp(account(), { raw }).failure(methods[name], inputs);

const optional: ReadonlyArray<readonly [keyof typeof methods, string, string, Readonly<Record<string, unknown>>]> = [
	['sendSms', 'priority', 'Priority', sms],
	['sendSms', 'default_country', 'Default Country', sms],
	['sendSms', 'send_once_key', 'Send Once Key', sms],
	['sendWhatsappMessage', 'default_country', 'Default Country', sms],
	['makeVoiceCall', 'default_country', 'Default Country', sms],
	['sendVerificationCode', 'default_country', 'Default Country', { phone: to, sender_id: 'KOFISHOP' }],
	['sendWhatsappMessage', 'send_once_key', 'Send Once Key', sms],
	['sendEmail', 'send_once_key', 'Send Once Key', { to: 'ama@example.com', subject: 'Order', message: 'Hi' }],
	['makeVoiceCall', 'send_once_key', 'Send Once Key', sms],
	['sendVerificationCode', 'send_once_key', 'Send Once Key', { phone: to, sender_id: 'KOFISHOP' }],
	['createContact', 'default_country', 'Default Country', { phone: to }],
	['lookUpPhoneNumber', 'default_country', 'Default Country', { phone: to }],
	['findContact', 'default_country', 'Default Country', { phone: to }],
	['findContact', 'default_country', 'Default Country', { name: 'Ama Mensah' }],
	['createWalletTopUp', 'return_url', 'Return URL', { amount: '5' }],
	['findWalletBalance', 'threshold', 'Threshold', {}],
	['estimateSmsCost', 'recipients', 'Number of Recipients', { message: 'Hi' }],
	['estimateSmsCost', 'price_from', 'Price From', { message: 'Hi' }],
];

describe('optional field', () => {
	describe.each(optional)('of %s: %s', (name, key, label, inputs) => {
		it.each([[''], [' '], [null], [undefined], [[]]])(
			'halts the step if it is mapped and this run has %j',
			async (value) => {
				const failed = await failure(name, { ...inputs, [key]: value }, { ...inputs, [key]: '{{123__field}}' });
				expect(failed.name).toBe('HaltedError');
				expect(failed.message).toMatch(new RegExp(`^${label} is empty in this run: `));
				expect(await control.requests()).toEqual([]);
			},
		);

		it.each([[['1', '2']], [{ id: 7 }]])('halts the step if it is %j', async (value) => {
			const failed = await failure(name, { ...inputs, [key]: value });
			expect(failed.name).toBe('HaltedError');
			expect(failed.message).toMatch(new RegExp(`^${label} is a list or an object: `));
			expect(await control.requests()).toEqual([]);
		});

		it('can be left empty in the Zap', async () => {
			const ending = await driveApp(account(), { raw: inputs }).attempt(methods[name], { ...inputs, [key]: '' });
			expect(ending.failure).toBeUndefined();
		});
	});

	it.each(['maybe', 'high', '2'])('halts Send SMS if Priority is %j', async (priority) => {
		const failed = await failure('sendSms', { ...sms, priority });
		expect(failed.name).toBe('HaltedError');
		expect(failed.message).toMatch(/^Priority is neither yes nor no: choose one/);
		expect(await control.requests()).toEqual([]);
	});
});

describe('several numbers in a field for one', () => {
	it.each([['+233201234567, +233201234568'], [['+233201234567', '+233201234568']]])(
		'halt Send SMS, which points to Send Bulk SMS: %j',
		async (several) => {
			const failed = await failure('sendSms', { ...sms, to: several });
			expect(failed.name).toBe('HaltedError');
			expect(failed.message).toMatch(/^To holds more than one phone number: use \*\*Send Bulk SMS\*\*/);
			expect(await control.requests()).toEqual([]);
		},
	);

	it('accepts a list with one number', async () => {
		await driveApp(account()).run(methods.sendSms, { ...sms, to: [to] });
		expect(await control.messages()).toMatchObject([{ to }]);
	});

	it('halt a step without a bulk version', async () => {
		const failed = await failure('makeVoiceCall', { ...sms, to: '+233201234567, +233201234568' });
		expect(failed.message).toMatch(/^To holds more than one phone number: enter only one/);
	});
});
