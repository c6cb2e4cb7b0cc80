import { z } from 'zod/v4';
import { endpoints } from '../../shared/contract';
import { anyString, PHONE, run } from '../support/testSandbox';

const featuresBody = z.array(z.object({ setting: z.string(), name: z.string() }));
const clockBody = z.object({ now: z.string(), ahead_milliseconds: z.number(), running: z.boolean() });

describe('control routes', () => {
	it('count and sum in the overview', async () => {
		await using sandbox = await run();
		await sandbox.control('POST', 'clock/set', { now: '2040-01-01T10:00:00Z' });
		await sandbox.control('POST', 'packages', { credits: 2 });
		await sandbox.sent();
		await sandbox.sent({ message: 'a'.repeat(200), to: '+233990000002' });
		await sandbox.advance(2000);
		await sandbox.api('POST', 'whatsapp/send', { to: PHONE, message: 'x' });
		await sandbox.advance(3_600_000);
		await sandbox.sent();
		const { body } = await sandbox.control('GET', 'overview?by=hour&count=2');
		expect(body).toMatchObject({
			balance: 39.92,
			currency: 'GHS',
			package_credits: 0,
			messages: { delivered: 2, failed: 1, submitted: 1 },
			channels: { sms: 3, whatsapp: 1 },
			series: [
				{ from: anyString, messages: 3, spent: 0.08 },
				{ from: anyString, messages: 1, spent: 0 },
			],
		});
		expect((await sandbox.control('GET', 'overview?by=week')).status).toBe(422);
	});

	it('list each feature that must be set up, with its setting and name', async () => {
		await using sandbox = await run();
		const { body } = await sandbox.control('GET', 'settings/features');
		const needed = endpoints.flatMap(({ id, setUp }) =>
			setUp ? [{ setting: `${id.split('.')[0]}_set_up`, name: setUp.name }] : [],
		);
		expect(needed.map(({ name }) => name)).toEqual(expect.arrayContaining(['Email', 'Voice', 'WhatsApp']));
		expect(body).toEqual([...needed, { setting: 'chatbot_set_up', name: 'Chatbot' }]);
		for (const { setting } of featuresBody.parse(body)) {
			const changed = await sandbox.control('PUT', 'settings', { [setting]: false });
			expect(changed).toMatchObject({ status: 200, body: { [setting]: false } });
		}
		expect((await sandbox.control('PUT', 'settings', { unknown_set_up: false })).status).toBe(422);
	});

	it('request, approve and reject sender IDs', async () => {
		await using sandbox = await run();
		expect((await sandbox.control('POST', 'sender-ids', { name: 'NEWNAME' })).body).toMatchObject({
			status: 'pending',
		});
		expect((await sandbox.control('POST', 'sender-ids', { name: 'NEWNAME' })).status).toBe(422);
		expect((await sandbox.control('POST', 'sender-ids', { name: 'much too long a name' })).status).toBe(422);
		expect((await sandbox.send({ sender_id: 'NEWNAME' })).status).toBe(422);
		await sandbox.control('PUT', 'sender-ids/NEWNAME', { status: 'approved' });
		expect((await sandbox.send({ sender_id: 'NEWNAME' })).status).toBe(200);
		await sandbox.control('PUT', 'sender-ids/NEWNAME', { status: 'rejected' });
		expect((await sandbox.send({ sender_id: 'NEWNAME' })).status).toBe(422);
		expect((await sandbox.control('GET', 'sender-ids')).body).toEqual(['KOFISHOP', 'AKWAABA']);
		expect((await sandbox.control('GET', 'sender-ids/all')).body).toHaveLength(5);
		expect((await sandbox.control('PUT', 'sender-ids/UNKNOWN', { status: 'approved' })).status).toBe(404);
		await sandbox.control('POST', 'sender-ids', { name: '1234' });
		await sandbox.control('PUT', 'sender-ids/1234', { status: 'approved' });
		expect((await sandbox.send({ sender_id: '1234' })).status).toBe(200);
	});

	it('find messages, and wait for them', async () => {
		await using sandbox = await run();
		await sandbox.sent({ message: 'one' });
		await sandbox.sent({ to: '+233209999999', message: 'two' });
		const found = async (query: string) => (await sandbox.control('GET', `messages?${query}`)).body;
		expect(await found(`to=${encodeURIComponent(PHONE)}`)).toMatchObject([{ message: 'one' }]);
		expect(await found('contains=wo')).toMatchObject([{ message: 'two' }]);
		expect(await found('limit=1&offset=1')).toMatchObject([{ message: 'one' }]);
		expect(await found('channel=voice')).toEqual([]);
		expect(await found('contains=never&wait=20')).toEqual([]);
		const waiting = found('contains=three&wait=20000');
		await sandbox.sent({ message: 'three' });
		expect(await waiting).toMatchObject([{ message: 'three' }]);
	});

	it('set the status of a message by hand, and refund a failed one', async () => {
		await using sandbox = await run();
		const { message_id } = await sandbox.sent({ to: '+233990000016' });
		expect((await sandbox.control('POST', `messages/${message_id}/status`, { status: 'sent' })).body).toMatchObject({
			status: 'sent',
		});
		await sandbox.control('POST', `messages/${message_id}/status`, { status: 'failed' });
		await sandbox.control('POST', `messages/${message_id}/status`, { status: 'delivered' });
		expect(await sandbox.status(message_id)).toMatchObject({ status: 'failed' });
		expect((await sandbox.wallet()).balance).toBe(40);
		expect((await sandbox.control('POST', 'messages/none/status', { status: 'sent' })).status).toBe(404);
	});

	it('set, freeze and run the clock', async () => {
		await using sandbox = await run({ clock: 'running' });
		const read = async (path = 'clock', method = 'GET', body?: unknown) =>
			clockBody.parse((await sandbox.control(method, path, body)).body);
		expect((await read()).running).toBe(true);
		const frozen = await read('clock/freeze', 'POST');
		expect(frozen.running).toBe(false);
		expect((await read()).now).toBe(frozen.now);
		const later = new Date(Date.parse(frozen.now) + 90_000).toISOString();
		expect((await read('clock/set', 'POST', { now: later })).now).toBe(later);
		expect((await sandbox.control('POST', 'clock/set', { now: frozen.now })).status).toBe(422);
		const going = await read('clock/run', 'POST');
		expect(going.running).toBe(true);
		expect(Date.parse(going.now)).toBeGreaterThanOrEqual(Date.parse(later));
		// jest ends a test earlier than this.
		expect(Date.parse(going.now)).toBeLessThan(Date.parse(later) + 60_000);
	});

	it('restore everything with a snapshot', async () => {
		await using sandbox = await run();
		const { message_id } = await sandbox.sent();
		await sandbox.advance(400);
		await sandbox.control('PUT', 'settings', { requests_per_second: 7 });
		await sandbox.control('PUT', 'snapshots/half-way');
		await sandbox.advance(5000);
		await sandbox.sent();
		await sandbox.control('POST', 'keys/1/revoke');
		await sandbox.control('POST', 'reset');
		expect((await sandbox.control('GET', 'messages')).body).toEqual([]);
		expect((await sandbox.control('GET', 'snapshots')).body).toEqual(['half-way']);
		expect((await sandbox.control('POST', 'snapshots/half-way/restore')).status).toBe(200);
		expect((await sandbox.wallet()).balance).toBe(39.95);
		expect(await sandbox.status(message_id)).toMatchObject({ status: 'sent' });
		expect((await sandbox.control('GET', 'settings')).body).toMatchObject({ requests_per_second: 7 });
		await sandbox.advance(600);
		expect(await sandbox.status(message_id)).toMatchObject({ status: 'delivered' });
		expect((await sandbox.control('POST', 'snapshots/none/restore')).status).toBe(404);
	});

	it('send events with the changed kinds', async () => {
		await using sandbox = await run();
		const abort = new AbortController();
		const response = await fetch(`${sandbox.sandbox.url}/_sandbox/events`, { signal: abort.signal });
		expect(response.headers.get('content-type')).toBe('text/event-stream');
		const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
		const decoder = new TextDecoder();
		let text = '';
		const until = async (kind: string) => {
			while (!text.includes(`"${kind}"`)) text += decoder.decode((await reader.read()).value, { stream: true });
		};
		expect(decoder.decode((await reader.read()).value)).toContain('event: change\ndata: {"kinds":[]}');
		await sandbox.sent();
		await until('messages');
		await until('wallet');
		await sandbox.control('POST', 'keys', { name: 'x' });
		await until('keys');
		await sandbox.control('POST', 'opt-outs', { number: PHONE });
		await until('opt_outs');
		abort.abort();
	});

	it('never make the balance negative with an adjustment', async () => {
		await using sandbox = await run();
		expect((await sandbox.control('POST', 'wallet/adjust', { amount: -40.01 })).status).toBe(422);
		expect((await sandbox.control('POST', 'wallet/adjust', { amount: -0.0001 })).body).toMatchObject({
			balance: 39.9999,
		});
		expect((await sandbox.control('GET', 'transactions?limit=1')).body).toMatchObject([
			{ type: 'adjustment', amount: -0.0001, balance: 39.9999 },
		]);
	});
});

it('returns a long list in pages, with its total length', async () => {
	await using sandbox = await run();
	await sandbox.control('POST', 'wallet/adjust', { amount: 1000 });
	await sandbox.control('PUT', 'settings', { requests_per_second: 1_000_000 });
	const to = Array.from({ length: 1005 }, (_none, index) => `+23320${String(index).padStart(7, '0')}`);
	await sandbox.api('POST', 'sms/bulk', { to, sender_id: 'KOFISHOP', message: 'Hi' });
	await sandbox.advance(60_000);
	const all = await sandbox.control('GET', 'messages');
	expect(all.body).toHaveLength(1000);
	expect(all.headers.get('x-total-count')).toBe('1005');
	const rest = await sandbox.control('GET', 'messages?limit=10&offset=1000');
	expect(rest.body).toMatchObject([4, 3, 2, 1, 0].map((index) => ({ to: `+23320000000${index}` })));
	expect((await sandbox.control('GET', 'messages?limit=1001')).status).toBe(422);
	const transactions = await sandbox.control('GET', 'transactions?limit=1');
	expect(transactions.body).toHaveLength(1);
	expect(transactions.headers.get('x-total-count')).toBe('3');
});

it('finds a message by part of its text, number in any notation, or address', async () => {
	await using sandbox = await run();
	await sandbox.sent({ to: '+233201234567', message: 'Apples' });
	await sandbox.sent({ to: '+233244000111', message: 'Code 201234' });
	await sandbox.api('POST', 'email/send', { to: 'ama@shop.example', subject: 'Hello', message: 'Pears' });
	const found = async (search: string) => {
		const { body, headers } = await sandbox.control('GET', `messages?search=${encodeURIComponent(search)}`);
		const texts = (body as { message: string }[]).map(({ message }) => message);
		expect(headers.get('x-total-count')).toBe(String(texts.length));
		return texts;
	};
	expect(await found('pple')).toEqual(['Apples']);
	expect(await found('20123')).toEqual(['Code 201234', 'Apples']);
	expect(await found('020 123')).toEqual(['Apples']);
	expect(await found('+233 20-12')).toEqual(['Apples']);
	expect(await found('4000')).toEqual(['Code 201234']);
	expect(await found('@shop')).toEqual(['Pears']);
	expect(await found('%')).toEqual([]);
});

it('removes one fault and keeps the others', async () => {
	await using sandbox = await run();
	const add = async (kind: string) =>
		((await sandbox.control('POST', 'faults', { endpoint: '*', kind })).body as { id: number }).id;
	const first = await add('html');
	const second = await add('drop_before');
	expect((await sandbox.control('DELETE', `faults/${first}`)).body).toMatchObject([
		{ id: second, kind: 'drop_before' },
	]);
	expect((await sandbox.control('DELETE', `faults/${first}`)).status).toBe(404);
});

it('creates a top-up as the API does', async () => {
	await using sandbox = await run();
	const { status, body } = await sandbox.control('POST', 'top-ups', { amount: 20 });
	expect(status).toBe(201);
	const { reference } = body as { reference: string };
	expect(body).toMatchObject({ status: 'pending', checkout_url: `${sandbox.sandbox.url}/checkout/${reference}` });
	expect((await sandbox.api('GET', `wallet/topup/${reference}`)).body).toMatchObject({ status: 'pending', amount: 20 });
	expect((await sandbox.control('POST', 'top-ups', { amount: 0 })).status).toBe(422);
	expect((await sandbox.control('POST', 'top-ups', { amount: 'x' })).body).toMatchObject({ code: 'validation' });
});

it('shows the thread of an email address', async () => {
	await using sandbox = await run();
	await sandbox.api('POST', 'email/send', { to: 'ama@shop.example', subject: 'Hello', message: 'Pears' });
	expect((await sandbox.control('GET', 'phones/ama@shop.example')).body).toMatchObject({
		entries: [{ channel: 'email', subject: 'Hello', text: 'Pears', direction: 'received' }],
	});
	expect((await sandbox.control('GET', 'phones/abc')).status).toBe(422);
	expect((await sandbox.control('POST', 'phones/ama@shop.example/texts', { to: 'X', message: 'x' })).status).toBe(422);
});
