import { startSandbox, type Sandbox } from '../../sandbox/server';
import { sandboxControl } from '../fixtures/sandboxControl';
import { driveApp, methods } from './zapierTestApp';

/** `{{name}} {{note}}` with two empty fields makes a blank message, which would be sent and charged. */
const to = '+233201234567';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ clock: 'stopped' });
});
afterAll(() => sandbox.stop());

describe.each<[keyof typeof methods, Record<string, unknown>]>([
	['sendSms', { to, sender_id: 'KOFISHOP' }],
	['sendWhatsappMessage', { to }],
	['sendEmail', { to: 'ama@example.com', subject: 'Order' }],
	['makeVoiceCall', { to }],
])('%s', (name, inputs) => {
	it.each([' ', '\n\t ', '\u00a0', '\u200b'])('halts if Message is only white space: %j', async (message) => {
		const app = driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey });
		const failure = await app.failure(methods[name], { ...inputs, message });
		expect(failure.name).toBe('HaltedError');
		expect(failure.message).toMatch(/^Message /);
		expect(await sandboxControl(sandbox).requests()).toEqual([]);
	});
});

it.each(['success', 'status', 'error', 'code', 'message'])(
	'Create Contact keeps a custom field named %s',
	async (field) => {
		const control = sandboxControl(sandbox);
		await control.reset();
		const app = driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey });
		const other_fields = { [field]: 'failed' };
		expect(await app.attempt(methods.createContact, { phone: to, other_fields })).toHaveProperty('results');
	},
);
