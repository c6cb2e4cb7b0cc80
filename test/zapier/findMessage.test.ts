import { findMessage } from '../../zapier/searches/findMessage';
import { endRetryWaits } from '../support/endRetryWaits';
import { stubServer } from '../support/stubServer';
import { useSandbox } from '../support/useSandbox';
import { haltedFor } from '../support/zapier/haltedFor';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

endRetryWaits();

const { sandbox, control } = useSandbox();
let app: ReturnType<typeof driveApp>;

beforeAll(() => {
	app = driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey });
});

const sendOne = async () => {
	await app.run(methods.sendSms, { to: '+233201234567', sender_id: 'KOFISHOP', message: 'Hello' });
	const [message] = await control.messages();
	return message?.message_id ?? '';
};

describe('Find Message', () => {
	it('finds a sent message with all fields of the sample', async () => {
		const message_id = await sendOne();
		await control.advanceClock(5_000);
		const found = await app.run(methods.findMessage, { message_id: ` ${message_id} ` });
		expect(found).toEqual([
			expect.objectContaining({
				message_id,
				status: 'delivered',
				provider_status: 'DELIVRD',
				cost: 0.05,
				channel: 'sms',
			}),
		]);
		const shown = Object.fromEntries(
			Object.entries(findMessage.operation.sample ?? {}).map(([key]) => [key, expect.anything() as unknown]),
		);
		expect(found).toMatchObject([shown]);
	});

	it('returns the Message ID even if the service omits it', async () => {
		await using server = await stubServer({ status: 200, body: '{"data": {"status": "sent"}}' });
		const elsewhere = driveApp({ base_url: server.baseUrl, api_key: 'sk_1' });
		const found = await elsewhere.run(methods.findMessage, { message_id: 'msg_7' });
		expect(found).toMatchObject([{ message_id: 'msg_7', status: 'sent' }]);
		expect(server.received[0]?.url).toBe('/api/v1/messages/msg_7');
	});

	it('finds nothing for an unknown ID', async () => {
		expect(await app.run(methods.findMessage, { message_id: 'msg_none' })).toEqual([]);
	});

	it.each(['', ' ', null, undefined, '..'])('rejects %p as an ID without a request', async (message_id) => {
		const failure = await app.failure(methods.findMessage, { message_id });
		expect(failure).toMatchObject(haltedFor('Message ID'));
		expect(await control.requests()).toEqual([]);
	});

	it('expires the connection if the key is no longer valid', async () => {
		const other = driveApp({ base_url: sandbox.baseUrl, api_key: 'sk_sandbox_other' });
		const failure = await other.failure(methods.findMessage, { message_id: 'msg_1' });
		expect(failure).toMatchObject({
			name: 'ExpiredAuthError',
			message: expect.stringContaining('API key') as string,
		});
	});

	it('fails if the service is down, so Zapier may rerun it', async () => {
		await control.fault({ endpoint: 'message.get', kind: 'drop_before', times: 3 });
		expect(await app.failure(methods.findMessage, { message_id: 'msg_1' })).toMatchObject({ name: 'AppError' });
		const body = { code: 'down', message: 'We are down' };
		await control.fault({ endpoint: 'message.get', kind: 'answer', status: 503, body, times: 3 });
		const failure = await app.failure(methods.findMessage, { message_id: 'msg_1' });
		expect(failure).toMatchObject({ name: 'AppError', code: 'down', status: 503 });
		expect(failure.message).toMatch(/^We are down\. /);
	});
});

describe('dropdown of the Sender ID field', () => {
	it('shows the approved sender IDs, sorted', async () => {
		expect(await app.run(methods.senderIds)).toEqual([
			{ id: 'AKWAABA', name: 'AKWAABA' },
			{ id: 'KOFISHOP', name: 'KOFISHOP' },
		]);
	});

	it('shows each name once, in any list format', async () => {
		await using server = await stubServer({ status: 200, body: '{"sender_ids": ["B", {"sender_id": "A"}, "B"]}' });
		const listed = await driveApp({ base_url: server.baseUrl, api_key: 'sk_1' }).run(methods.senderIds);
		expect(listed).toEqual([
			{ id: 'A', name: 'A' },
			{ id: 'B', name: 'B' },
		]);
	});

	it("gives the service's message if the list cannot be read", async () => {
		const body = { message: 'This key was revoked' };
		await control.fault({ endpoint: 'senderId.list', kind: 'answer', status: 401, body });
		await control.fault({ endpoint: 'wallet.getBalance', kind: 'answer', status: 401 });
		const failure = await app.failure(methods.senderIds);
		expect(failure).toMatchObject({
			name: 'ExpiredAuthError',
			message: expect.stringContaining(body.message) as string,
		});
	});
});
