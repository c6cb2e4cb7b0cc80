import { contract, createClient, type Endpoint, type Outcome, type Transport } from '../../shared';

const responding = (body: unknown, status = 200): Transport => ({
	send: () => Promise.resolve({ status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) }),
	sleep: () => Promise.resolve(),
});

/** The result of a call to a service that responds with this body. */
async function outcomeOf(endpoint: Endpoint, body: unknown, more: object = {}): Promise<Outcome<unknown>> {
	const client = createClient({
		baseUrl: 'https://service.example',
		apiKey: 'sk_test_1',
		transport: responding(body),
		retry: { attempts: 1 },
	});
	return await client.call(endpoint, { ...endpoint.example.input, ...more });
}

const once = [
	contract.sms.send,
	contract.verification.start,
	contract.whatsapp.send,
	contract.email.send,
	contract.voice.send,
] as const;

describe.each(once.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (id, endpoint) => {
	const key = id === 'verification.start' ? 'verification_id' : 'message_id';

	it.each([
		{ sms: { success: false, [key]: '1', error: 'Insufficient balance' } },
		{ success: true, results: [{ [key]: '1', status: 'failed', error: 'blocked' }] },
		{ success: true, [key]: '1', status: 'blocked' },
		{ success: true, [key]: '1', status: 'not_sent' },
		{ success: true, [key]: '1', status: 'OPTED_OUT' },
		{ success: true, [key]: '1', status: 'insufficientBalance' },
		{ success: true, [key]: '1', sent: false },
		{ success: true, [key]: '1', result: 'failed' },
		{ success: true, data: { [key]: '1', opted_out: true } },
		{ success: true, data: { [key]: '1', failure_reason: 'No route' } },
		{ success: true, [key]: '1', status: 'on hold' },
		{ [key]: '1', status: { groupId: 1, groupName: 'PENDING', name: 'REJECTED_NETWORK' } },
		{ success: true, [key]: '1', status: { id: 5, groupName: 'REJECTED', name: 'REJECTED_DND' } },
		{ success: true, [key]: '1', meta: { gateway: [{ errorCode: 'NO_ROUTE' }] } },
		{ success: true, [key]: '1', accepted: [], rejected: ['+233201234567'] },
		{ success: true, [key]: '1', accepted: 0 },
		{ success: true, [key]: '1', trace: { a: { b: { c: { d: { e: { ok: false } } } } } } },
	])('does not report a call as accepted after %j, because it is not certain', async (body) => {
		expect((await outcomeOf(endpoint, body)).outcome).toBe('unknown');
	});

	it.each([
		{ success: true, [key]: '1', error: null, errors: [], failed: 0, message: 'No errors' },
		{ success: true, [key]: '1', failed: [], rejected: 0, error_code: 0, error_message: '' },
		{ success: true, [key]: '1', error: { code: 0, message: 'Success' }, status: 'queued' },
		{ status: 'success', data: { [key]: '1', status: 'pending', failed_at: null, error_url: 'https://x.example/f' } },
		{ [key]: '1', status: { groupId: 1, groupName: 'PENDING', name: 'Accepted', description: 'To the carrier' } },
		{ success: true, [key]: '1', message: 'Code sent. Do not share it. If delivery fails, you are refunded.' },
		{ success: true, [key]: '1', message: 'Sent, 0 failed, without errors', expires_at: '2026-11-20 12:00:00' },
		{ success: true, [key]: '1', delivered: false, delivered_at: null, warnings: ['slow'] },
	])('accepts a call after %j', async (body) => {
		expect((await outcomeOf(endpoint, body)).outcome).toBe('accepted');
	});

	it.each([
		['a text of 500,000 characters', { [key]: '1', status: 'not '.repeat(125_000) }],
		['a list of 500,000 entries', { [key]: '1', x: Array.from({ length: 500_000 }, () => 1) }],
		['nesting of 100,000 levels', `{"${key}":"1","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
	])(
		'does not report a call as accepted after %s',
		async (_, body) => {
			expect((await outcomeOf(endpoint, body)).outcome).toBe('unknown');
		},
		5_000,
	);

	it('describes an error in its own words, also beside a status', async () => {
		const outcome = await outcomeOf(endpoint, { [key]: '1', status: 'on hold', error: 'No route to handset' });
		expect(outcome).toMatchObject({ outcome: 'unknown', error: { message: 'No route to handset' } });
	});

	it('describes the failure if the response has no text about it', async () => {
		const outcome = await outcomeOf(endpoint, { sms: { [key]: '1', delivery: { state: 'rejected_by_carrier' } } });
		expect(outcome).toMatchObject({
			outcome: 'unknown',
			error: { message: expect.stringContaining('rejected_by_carrier') as string },
		});
	});
});

describe('a send on a channel without a documented response', () => {
	const channels = [contract.whatsapp.send, contract.email.send, contract.voice.send] as const;
	const each = channels.map((endpoint) => [endpoint.id, endpoint] as const);

	describe.each(each)('%s', (_, endpoint) => {
		it.each([
			{ message: 'WhatsApp is not enabled on your account' },
			{ sent: false },
			{ result: 'failed' },
			{},
			{ message: 'Hello' },
			{ info: 'See your dashboard' },
			{ status: 'in review' },
			{ balance: 39.9 },
			{ user: { id: 7, name: 'Kofi' } },
			{ success: 'maybe' },
		])('does not accept a send for %j', async (body) => {
			expect((await outcomeOf(endpoint, body)).outcome).not.toBe('accepted');
		});

		it.each([
			{ success: true },
			{ status: 'queued' },
			{ id: 7 },
			{ data: { status: 'SUBMITTED' } },
			{ whatsapp: { message_id: 'm1', status: 'accepted' } },
		])('accepts a send for %j', async (body) => {
			expect((await outcomeOf(endpoint, body)).outcome).toBe('accepted');
		});
	});
});

describe('a 2xx response with success: false', () => {
	it.each([
		{ success: false, message: 'The gateway is closed' },
		{ data: { success: false, message: 'The gateway is closed' } },
		{ sms: { success: false, error: 'The gateway is closed' } },
	])('rejects a call if the body has no trace of an accepted message: %j', async (body) => {
		const outcome = await outcomeOf(contract.sms.send, body);
		expect(outcome).toMatchObject({
			outcome: 'rejected',
			error: { message: expect.stringContaining('closed') as string },
		});
	});

	it.each([
		{ success: false, message_id: 'm1' },
		{ success: false, data: { message_id: 'm1' } },
		{ success: true, data: { success: false, message: 'x' } },
		{ success: false, cost: 0.05 },
		{ success: false, results: [{ message_id: 'm1', status: 'sent' }, { message_id: 'm2' }] },
	])('reports unknown if the body has a trace of an accepted message: %j', async (body) => {
		expect((await outcomeOf(contract.sms.send, body)).outcome).toBe('unknown');
	});
});

describe('a response that repeats the request', () => {
	const message = 'Your payment failed: the card was declined';

	it.each([
		{ success: true, message_id: 'm1', message },
		{ success: true, data: { message_id: 'm1', text: message, to: '+233201234567' } },
		{ message_id: 'm1', status: 'sent', body: message, sms: `  ${message.replaceAll(' ', '\n ')}` },
		{ message_id: 'm1', status: 'sent', preview: `${message.slice(0, 30)}...`, message: `${message.slice(0, 25)}…` },
	])('ignores the repeated request in %j', async (body) => {
		expect((await outcomeOf(contract.sms.send, body, { message })).outcome).toBe('accepted');
		expect((await outcomeOf(contract.whatsapp.send, body, { message })).outcome).toBe('accepted');
	});

	it('does not accept a response that only repeats the message, or has it as an error', async () => {
		expect((await outcomeOf(contract.whatsapp.send, { message }, { message })).outcome).toBe('unknown');
		const failed = { success: true, message_id: 'm1', error: message };
		expect((await outcomeOf(contract.whatsapp.send, failed, { message })).outcome).toBe('unknown');
	});

	it.each([
		[{ success: 'false', status: 'failed', error: 'none of yours' }],
		[{ error: 'Wrong size', status: 'rejected' }],
		[{ success: false, failed: 3, code: 404 }],
	])('accepts a contact if the record has the fields of the request: %j', async (fields) => {
		const record = { id: 7, phone: '+233201234567', ...fields };
		expect((await outcomeOf(contract.contact.create, record, fields)).outcome).toBe('accepted');
		expect((await outcomeOf(contract.contact.create, { success: true, contact: record }, fields)).outcome).toBe(
			'accepted',
		);
	});

	it.each([
		[{ success: false, message: 'The phone exists' }, { success: false }],
		[{ status: 'failed', message: 'x' }, { status: 'active' }],
		[{ id: 7, phone: '+233201234567', error: 'Denied' }, { error: 'Yes' }],
		[{}, {}],
	])('rejects a contact if the response reports an error: %j after %j', async (body, fields) => {
		expect((await outcomeOf(contract.contact.create, body, fields)).outcome).not.toBe('accepted');
	});
});

describe('a list', () => {
	it.each([
		{ error: 'x', data: [] },
		{ status: 'error', data: [] },
		{ success: true, data: { error: 'moved', items: [] } },
		{ ok: false, transactions: [] },
		{ history: { error: 'moved', items: [] } },
		{ success: true, history: { data: { status: 'failed', transactions: [] } } },
		{ code: 503, data: [] },
	])('does not read %j as an empty list', async (body) => {
		expect((await outcomeOf(contract.wallet.listTransactions, body)).outcome).toBe('rejected');
	});

	it.each([
		{ data: [], message: 'No transactions found' },
		{ transactions: [], wallet: { status: 'suspended' } },
		{ success: true, error: null, data: [{ id: 1, status: 'failed', error: 'declined' }] },
	])('reads a list from %j', async (body) => {
		expect((await outcomeOf(contract.wallet.listTransactions, body)).outcome).toBe('accepted');
	});
});

describe('the status of a record in an envelope', () => {
	it.each([
		{ status: 'success', topup: { status: 'pending' } },
		{ status: 'success', data: { topup: { status: 'pending' } } },
		{ status: 'ok', topup: { reference: 'r', status: 'pending' }, user: { id: 4, status: 'active' } },
	])('reads the status of the record in %j', async (body) => {
		expect(await outcomeOf(contract.wallet.getTopUp, body)).toMatchObject({ output: { status: 'pending' } });
	});

	it.each([
		{ status: 'success', sms: { id: 'm1', status: 'sent' } },
		{ status: true, message: { id: 'm1', status: 'sent' } },
		{ success: true, status: 200, data: [{ id: 'm1', status: 'sent' }] },
	])('reads the status of the message in %j', async (body) => {
		expect(await outcomeOf(contract.sms.get, body)).toMatchObject({ output: { message_id: 'm1', status: 'sent' } });
	});

	it('reads the status of a failed message', async () => {
		const body = { success: true, message_id: 'm1', status: 'failed', error: 'Unreachable' };
		expect(await outcomeOf(contract.sms.get, body)).toMatchObject({
			outcome: 'accepted',
			output: { status: 'failed' },
		});
	});

	it('does not read a status from an error envelope', async () => {
		const body = { status: 'error', message: 'Try again' };
		expect((await outcomeOf(contract.sms.get, body)).outcome).toBe('rejected');
	});
});

describe('a missing record', () => {
	it.each([
		[422, { message: 'Message not found' }],
		[400, { error: { message: 'No such message' } }],
		[200, { success: false, message: 'Message not found' }],
		[200, { status: 'error', message: 'The message does not exist' }],
		[404, { message: 'Message not found' }],
		[404, { detail: 'Not found.' }],
		[404, { code: 'message_not_found' }],
	])('reports a missing record for %i %j', async (status, body) => {
		const client = createClient({
			baseUrl: 'https://service.example',
			apiKey: 'sk_test_1',
			transport: responding(body, status),
		});
		await expect(client.message.get({ id: 'm1' })).rejects.toMatchObject({ meaning: 'not_found', sent: 'no' });
	});

	it.each([
		'<html><h1>404 Not Found</h1><p>nginx</p></html>',
		'',
		'Not Found',
		'{"message":"The route api/v1/messages/m1 could not be found."}',
		'{"statusCode":404,"message":"Cannot GET /api/v1/messages/m1","error":"Not Found"}',
		'{"error":"No such endpoint"}',
	])('does not report a missing record for a wrong address: 404 %s', async (body) => {
		const client = createClient({
			baseUrl: 'https://service.example',
			apiKey: 'sk_test_1',
			transport: responding(body, 404),
		});
		const error: unknown = await client.message.get({ id: 'm1' }).catch((caught: unknown) => caught);
		expect(error).toMatchObject({ status: 404, hint: expect.stringContaining('base URL') as string });
		expect(error).not.toMatchObject({ meaning: 'not_found' });
	});
});
