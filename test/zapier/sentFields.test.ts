import { stubServer } from '../support/stubServer';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

const to = '+233201234567';
const sender_id = 'KOFISHOP';
const message = 'Your order is ready.';
const sends = [
	['sendSms', { to, sender_id, segment_count: 1 }, { to, sender_id, message }],
	['sendWhatsappMessage', { to }, { to, message }],
	['sendEmail', { to: 'ama@example.com' }, { to: 'ama@example.com', subject: 'Order', message }],
	['makeVoiceCall', { to }, { to, message }],
	['sendVerificationCode', { to, sender_id }, { phone: to, sender_id }],
] as const;
const OURS = ['to', 'sender_id', 'segment_count'];
const only = (result: unknown) =>
	Object.fromEntries(Object.entries(Object(result) as object).filter(([key]) => OURS.includes(key)));

async function run(step: (typeof sends)[number][0], inputs: object, own: object) {
	const body = JSON.stringify({ message_id: 'm1', verification_id: 7, status: 'submitted', ...own });
	await using server = await stubServer({ status: 200, body });
	const account = driveApp({ base_url: server.baseUrl, api_key: 'sk_sandbox_demo' });
	return await account.run(methods[step], { ...inputs });
}

describe('the output of a send on Zapier', () => {
	it.each(sends)('%s names the recipient, the sender and the segments', async (step, expected, inputs) => {
		expect(only(await run(step, inputs, {}))).toEqual(expected);
	});

	it.each(sends)("%s keeps the service's own fields", async (step, expected, inputs) => {
		const own = Object.fromEntries(Object.keys(expected).map((key) => [key, key === 'segment_count' ? 9 : 'ACME']));
		expect(only(await run(step, inputs, own))).toEqual(own);
	});
});
