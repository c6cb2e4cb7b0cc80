import { NOTHING_SENT } from '../support/promises';
import { stubServer } from '../support/stubServer';
import { useSandbox } from '../support/useSandbox';
import { driveApp, methods, type Account } from '../support/zapier/zapierTestApp';

/** Errors of triggers and free searches, which never send. */
const { sandbox } = useSandbox();
const app = (more: Account = {}) => driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey, ...more });

describe('errors of triggers and free searches', () => {
	it.each<[keyof typeof methods, Readonly<Record<string, unknown>>, string]>([
		['lowWalletBalance', { threshold: 'low' }, 'Threshold is not a number: use digits and a point, e.g. 12.50.'],
		['findContact', { phone: '', name: '' }, 'Phone and Name are both empty: fill in one of them.'],
		['findWalletBalance', { threshold: 'low' }, 'Threshold is not a number: use digits and a point, e.g. 12.50.'],
		[
			'findMessage',
			{ message_id: '' },
			'Message ID is empty or not an ID: give the message ID that the send returned.',
		],
		[
			'findWalletTopUp',
			{ reference: '' },
			'Reference is empty or not an ID: give the reference that creating the top-up returned.',
		],
		[
			'estimateSmsCost',
			{ message: 'Hi', recipients: 'many' },
			'Number of Recipients is not a number: use digits and a point, e.g. 12.50.',
		],
	])('%s with %j says only which field is wrong', async (method, inputs, message) => {
		expect(await app().failure(methods[method], inputs)).toEqual({ name: 'HaltedError', message });
	});

	it.each(['lowWalletBalance', 'newWalletTransaction', 'newContact', 'senderIds', 'contacts', 'findMessage'] as const)(
		'%s says nothing about sending if the base URL is wrong',
		async (method) => {
			const failed = await app({ base_url: 'service' }).failure(methods[method], { threshold: 1, message_id: 'm' });
			expect(failed).toMatchObject({ name: 'AppError', code: 'InvalidConnection' });
			expect(failed.message).toMatch(/^Base URL /);
			expect(failed.message).not.toContain(NOTHING_SENT);
		},
	);

	it('New Contact says nothing about sending after a stray 401', async () => {
		await using service = await stubServer((url) =>
			url.includes('balance')
				? { status: 200, body: '{"balance": 40, "currency": "GHS"}' }
				: { status: 401, body: '{"message": "The gateway is closed"}' },
		);
		const failed = await app({ base_url: service.baseUrl, api_key: 'sk_1' }).failure(methods.newContact);
		expect(failed).toMatchObject({ name: 'AppError', status: 401 });
		expect(failed.message).toBe(
			'The gateway is closed. The account stays connected, because the service did not reject the API key a second time. Try again later.',
		);
	});

	it('Look Up Phone Number and Send SMS still say that nothing was sent or charged', async () => {
		const sms = { to: '12345', sender_id: 'KOFISHOP', message: 'Hi' };
		expect((await app().failure(methods.lookUpPhoneNumber, { phone: '12345' })).message).toContain(NOTHING_SENT);
		expect((await app().failure(methods.sendSms, sms)).message).toContain(NOTHING_SENT);
	});
});
