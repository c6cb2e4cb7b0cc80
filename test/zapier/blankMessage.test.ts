import { startSandbox, type Sandbox } from '../../sandbox/server';
import { sandboxControl } from '../fixtures/sandboxControl';
import { driveApp, methods } from './zapierTestApp';

let sandbox: Sandbox;
let control: ReturnType<typeof sandboxControl>;

beforeAll(async () => {
	sandbox = await startSandbox({ clock: 'stopped' });
	control = sandboxControl(sandbox);
});
afterAll(() => sandbox.stop());
beforeEach(async () => {
	await control.reset();
});

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
			expect(failure.message).toMatch(/^(Message|Text) is empty: /);
			expect(await control.requests()).toEqual([]);
		},
	);
});

it('keeps the spaces and line breaks around a message', async () => {
	const app = driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey });
	await app.run(methods.sendSms, { to, sender_id, message: '\n  Ready \n' });
	expect(await control.messages()).toMatchObject([{ message: '\n  Ready \n' }]);
});
