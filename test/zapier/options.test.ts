import { z } from 'zod/v4';
import { app } from '../../zapier/app';
import { useSandbox } from '../support/useSandbox';
import { endpointSteps, type EndpointStep } from '../support/zapier/endpointSteps';
import { haltedFor } from '../support/zapier/haltedFor';
import { driveApp, methods, type MethodName } from '../support/zapier/zapierTestApp';

/**
 * A field that the Zap fills but that is empty or unreadable in a run gives an error that names it, and never means a
 * default.
 */
const to = '+233201234567';
const sms = { to, sender_id: 'KOFISHOP', message: 'Your order is ready.' };

const { sandbox, control } = useSandbox();

const account = () => ({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey });
const failure = async (name: MethodName, inputs: Readonly<Record<string, unknown>>, raw = inputs) =>
	await failureOf(methods[name], inputs, raw);
const failureOf = async (method: string, inputs: Readonly<Record<string, unknown>>, raw = inputs) =>
	await driveApp(account(), { raw }).failure(method, inputs);

const inputField = z.looseObject({ key: z.string(), label: z.string() });
const definition = z
	.record(
		z.string(),
		z.record(z.string(), z.looseObject({ operation: z.looseObject({ inputFields: z.array(z.unknown()).optional() }) })),
	)
	.parse({ creates: app.creates, searches: app.searches });
const inputFieldsOf = ({ at }: EndpointStep) => {
	const [kind = '', key = ''] = at.split('.');
	const fields = definition[kind]?.[key]?.operation.inputFields ?? [];
	return fields.flatMap((field) => inputField.safeParse(field).data ?? []);
};

/** Optional fields that several steps share. */
const SHARED = ['default_country', 'unknown_number_ranges', 'landlines', 'send_once_key', 'dry_run'];
const shared = endpointSteps.flatMap((step) =>
	inputFieldsOf(step)
		.filter(({ key }) => SHARED.includes(key))
		.map(({ key, label }) => [step.method, key, label, step.inputs] as const),
);

const optional: ReadonlyArray<readonly [method: string, key: string, label: string, inputs: object]> = [
	...shared,
	[methods.sendSms, 'priority', 'Priority', sms],
	[methods.sendSms, 'send_at', 'Send At', sms],
	[methods.findContact, 'default_country', 'Default Country', { phone: to }],
	[methods.findContact, 'default_country', 'Default Country', { name: 'Ama Mensah' }],
	[methods.findContact, 'unknown_number_ranges', 'Unknown Number Ranges', { phone: to }],
	[methods.createWalletTopUp, 'return_url', 'Return URL', { amount: '5' }],
	[methods.findWalletBalance, 'threshold', 'Threshold', {}],
	[methods.estimateSmsCost, 'recipients', 'Number of Recipients', { message: 'Hi' }],
	[methods.estimateSmsCost, 'price_from', 'Price From', { message: 'Hi' }],
];

it('checks the optional fields of every step that sends to a number', () => {
	const withCountry = shared.filter(([, key]) => key === 'default_country').map(([method]) => method);
	const toNumber = endpointSteps.filter(({ inputs }) => Object.values(inputs).flat().includes(to));
	expect(withCountry).toEqual(toNumber.map(({ method }) => method));
	const withRanges = shared.filter(([, key]) => key === 'unknown_number_ranges').map(([method]) => method);
	expect(withRanges).toEqual(withCountry);
	const withKey = shared.filter(([, key]) => key === 'send_once_key').map(([method]) => method);
	expect(withKey).toEqual(expect.arrayContaining([methods.sendSms, methods.sendEmail, methods.makeVoiceCall]));
});

describe('optional field', () => {
	describe.each(optional)('optional field of %s: %s', (method, key, label, inputs) => {
		it.each([[''], [' '], [null], [undefined], [[]]])(
			'halts the step if it is mapped and this run has %j',
			async (value) => {
				const failed = await failureOf(method, { ...inputs, [key]: value }, { ...inputs, [key]: '{{123__field}}' });
				expect(failed).toMatchObject(haltedFor(label));
				expect(await control.requests()).toEqual([]);
			},
		);

		it.each([[['1', '2']], [{ id: 7 }]])('halts the step if it is %j', async (value) => {
			const failed = await failureOf(method, { ...inputs, [key]: value });
			expect(failed).toMatchObject(haltedFor(label));
			expect(await control.requests()).toEqual([]);
		});

		it('accepts an optional field that is empty in the Zap', async () => {
			const ending = await driveApp(account(), { raw: { ...inputs } }).attempt(method, { ...inputs, [key]: '' });
			expect(ending.failure).toBeUndefined();
		});
	});

	it.each(['maybe', 'high', '2'])('halts Send SMS if Priority is %j', async (priority) => {
		const failed = await failure('sendSms', { ...sms, priority });
		expect(failed).toMatchObject(haltedFor('Priority'));
		expect(await control.requests()).toEqual([]);
	});
});

describe('several numbers in a field for one', () => {
	it.each([['+233201234567, +233201234568'], [['+233201234567', '+233201234568']]])(
		'halts Send SMS with several numbers, and points to Send Bulk SMS: %j',
		async (several) => {
			const failed = await failure('sendSms', { ...sms, to: several });
			expect(failed).toMatchObject(haltedFor('To', 'Send Bulk SMS'));
			expect(await control.requests()).toEqual([]);
		},
	);

	it('accepts a list with one number in Send SMS', async () => {
		await driveApp(account()).run(methods.sendSms, { ...sms, to: [to] });
		expect(await control.messages()).toMatchObject([{ to }]);
	});

	it('halts a step without a bulk version with several numbers', async () => {
		const failed = await failure('makeVoiceCall', { ...sms, to: '+233201234567, +233201234568' });
		expect(failed).toMatchObject(haltedFor('To'));
		expect(failed.message).not.toContain('Bulk');
	});
});
