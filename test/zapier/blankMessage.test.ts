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
});

it('keeps the spaces and line breaks around a message', async () => {
	const app = driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey });
	await app.run(methods.sendSms, { to, sender_id, message: '\n  Ready \n' });
	expect(await control.messages()).toMatchObject([{ message: '\n  Ready \n' }]);
});
