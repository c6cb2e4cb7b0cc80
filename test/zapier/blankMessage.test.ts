import { useSandbox } from '../support/useSandbox';
import { haltedFor } from '../support/zapier/haltedFor';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

const { sandbox, control } = useSandbox();

const to = '+233201234567';
const sender_id = 'KOFISHOP';
const sends: ReadonlyArray<[keyof typeof methods, Readonly<Record<string, unknown>>]> = [
	['sendSms', { to, sender_id }],
	['sendBulkSms', { to: [to], sender_id, recipients_from: 'list' }],
	['sendWhatsappMessage', { to }],
	['sendEmail', { to: 'ama@example.com', subject: 'Order' }],
	['makeVoiceCall', { to }],
];

describe.each(sends)('%s', (name, inputs) => {
	it.each([' ', '\n\t ', '\u00a0', '\u200b\u2060'])(
		'rejects the blank message %j without a request',
		async (message) => {
			const app = driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey });
			const failure = await app.failure(methods[name], { ...inputs, message });
			expect(failure).toMatchObject(haltedFor('Message'));
			expect(await control.requests()).toEqual([]);
		},
	);

	it.each<[unknown, string]>([
		['Hi [object Object], ready', 'contains [object Object]'],
		['Hi {{123__name}}', 'contains {{123__name}}'],
		['We come on Invalid Date', 'contains Invalid Date'],
		['null', 'is only null'],
		[false, 'is only false'],
		[['Hi'], 'is a list'],
		[{ text: 'Hi' }, 'is an object'],
	])('rejects the broken message %j without a request', async (message, why) => {
		const app = driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey });
		const failure = await app.failure(methods[name], { ...inputs, message });
		expect(failure).toMatchObject(haltedFor('Message', why));
		expect(failure.message).toContain('Nothing was sent or charged.');
		expect(await control.requests()).toEqual([]);
	});
});

it.each(['Hi {{123__name}}', ['Order'], 'Order\r\nBcc: other@example.com'])(
	'rejects the subject %j of an email without a request',
	async (subject) => {
		const app = driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey });
		const inputs = { to: 'ama@example.com', subject, message: 'Ready' };
		expect(await app.failure(methods.sendEmail, inputs)).toMatchObject(haltedFor('Subject'));
		expect(await control.requests()).toEqual([]);
	},
);

it('keeps the spaces and line breaks around a message', async () => {
	const app = driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey });
	await app.run(methods.sendSms, { to, sender_id, message: '\n  Ready \n' });
	expect(await control.messages()).toMatchObject([{ message: '\n  Ready \n' }]);
});
