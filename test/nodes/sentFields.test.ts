import type { INodeParameters } from 'n8n-workflow';
import { jsonServer } from '../support/jsonServer';
import { startEngine } from '../support/n8n/engine';

const senderId = { __rl: true, mode: 'name', value: ' KOFISHOP ' };
const sms = { to: '+233201234567', sender_id: 'KOFISHOP' };
const long = 'x'.repeat(161);
const sends: ReadonlyArray<[string, INodeParameters, object]> = [
	['sms.send', { senderId, to: '020 123 4567', message: long }, { ...sms, segment_count: 2 }],
	[
		'sms.sendLater',
		{ senderId, to: '020 123 4567', message: 'Hi', sendAt: '2030-01-01T09:00:00Z' },
		{ ...sms, segment_count: 1 },
	],
	['whatsapp.send', { to: '020 123 4567', message: long }, { to: sms.to }],
	['email.send', { to: ' Ama@Example.com ', subject: 'Hi', message: long }, { to: 'Ama@Example.com' }],
	['voice.send', { to: '020 123 4567', message: long }, { to: sms.to }],
	['verification.start', { senderId, phone: '020 123 4567' }, sms],
];
const OURS = ['to', 'sender_id', 'segment_count'];

async function rowOf(operation: string, fields: INodeParameters, response: object) {
	await using server = await jsonServer(() => response);
	const engine = await startEngine({
		messagingServiceApi: { baseUrl: server.baseUrl, apiKey: 'sk_sandbox_demo', authHeader: 'X-API-Key' },
	});
	const [resource = '', name = ''] = operation.split('.');
	const { outputs, error } = await engine.run({ parameters: { resource, operation: name, ...fields } });
	expect(error).toBeUndefined();
	return outputs[0]?.[0]?.json ?? {};
}
const accepted = { success: true, message_id: 'm1', batch_id: 'b1', verification_id: 7, status: 'submitted' };
const only = (row: object) => Object.fromEntries(Object.entries(row).filter(([key]) => OURS.includes(key)));

describe('the output of a send', () => {
	it.each(sends)('%s names the recipient, the sender and the segments', async (operation, fields, expected) => {
		const row = await rowOf(operation, fields, accepted);
		expect(only(row)).toEqual(expected);
		expect(row).toMatchObject({ outcome: 'accepted', success: true, status: 'submitted' });
	});

	it.each(sends)("%s keeps the service's own fields", async (operation, fields) => {
		const own = { to: '233201234567', sender_id: 'ACME', segment_count: 9 };
		expect(only(await rowOf(operation, fields, { ...accepted, ...own }))).toEqual(own);
	});

	it.each(sends)('%s fills in fields that the service returns as null', async (operation, fields, expected) => {
		const own = Object.fromEntries(Object.keys(expected).map((key) => [key, null]));
		expect(only(await rowOf(operation, fields, { ...accepted, ...own }))).toEqual(expected);
	});

	it('names the sender and the segments in each accepted row of a bulk send', async () => {
		const fields = { senderId, to: '020 123 4567, 020 123 4568, 12', message: long };
		await using server = await jsonServer(() => ({ ...accepted, total_recipients: 2 }));
		const engine = await startEngine({
			messagingServiceApi: { baseUrl: server.baseUrl, apiKey: 'sk_sandbox_demo', authHeader: 'X-API-Key' },
		});
		const { outputs } = await engine.run({ parameters: { resource: 'sms', operation: 'sendBulk', ...fields } });
		const facts = { sender_id: 'KOFISHOP', segment_count: 2, outcome: 'accepted' };
		const rows = outputs[0]?.map(({ json }) => json);
		expect(rows).toMatchObject([
			{ to: '+233201234567', ...facts },
			{ to: '+233201234568', ...facts },
			{ to: '12', outcome: 'skipped' },
		]);
		expect(rows?.[2]).not.toHaveProperty('sender_id');
	});

	it('a lookup sends nothing, so it has none of these fields', async () => {
		const response = { valid: true, carrier: 'MTN', country: 'GH', cost: 0.1 };
		expect(only(await rowOf('phoneNumber.lookUp', { phone: '0201234567' }, response))).toEqual({});
	});
});
