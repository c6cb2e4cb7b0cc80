import { z } from 'zod/v4';
import { anyString, type Entry, listen, matching, PHONE, run, type TestSandbox } from '../support/testSandbox';

async function post(sandbox: TestSandbox, type: string, body: string | FormData): Promise<Response> {
	return await fetch(`${sandbox.sandbox.url}/webhooks/inbound/sms`, {
		method: 'POST',
		...(type ? { headers: { 'content-type': type } } : {}),
		body,
	});
}

const inbox = async (sandbox: TestSandbox) => (await sandbox.control('GET', 'inbox')).body;
const optOuts = async (sandbox: TestSandbox) => (await sandbox.control('GET', 'opt-outs')).body;

describe('inbound webhook', () => {
	it.each([
		['JSON', 'application/json', JSON.stringify({ From: PHONE, To: 'KOFISHOP', Message: 'HOURS' })],
		[
			'JSON in lower case',
			'application/json; charset=utf-8',
			JSON.stringify({ from: PHONE, to: 'KOFISHOP', message: 'HOURS' }),
		],
		['a form', 'application/x-www-form-urlencoded', 'From=%2B233201234567&To=KOFISHOP&Message=HOURS'],
		['a number without its plus sign', 'application/json', '{"From":233201234567,"To":"KOFISHOP","Message":"HOURS"}'],
	])('accepts %s into the inbox', async (_name, type, body) => {
		await using sandbox = await run();
		expect((await post(sandbox, type, body)).status).toBe(200);
		expect(await inbox(sandbox)).toMatchObject([{ from: PHONE, to: 'KOFISHOP', message: 'HOURS', keyword: null }]);
		expect(await optOuts(sandbox)).toEqual([]);
	});

	it('accepts a multipart form', async () => {
		await using sandbox = await run();
		const form = new FormData();
		for (const [name, value] of Object.entries({ From: PHONE, To: 'KOFISHOP', Message: 'HOURS' }))
			form.set(name, value);
		expect((await post(sandbox, '', form)).status).toBe(200);
		expect(await inbox(sandbox)).toMatchObject([{ from: PHONE, message: 'HOURS' }]);
	});

	it.each(['STOP', 'unsubscribe', ' StopAll ', 'cancel', 'END', 'quit', 'OptOut\n'])(
		'adds the sender of %j to the opt-out list, and START removes it',
		async (message) => {
			await using sandbox = await run();
			await post(sandbox, 'application/json', JSON.stringify({ From: PHONE, To: 'KOFISHOP', Message: message }));
			expect(await optOuts(sandbox)).toMatchObject([{ number: PHONE }]);
			expect((await sandbox.send()).status).toBe(422);
			await post(sandbox, 'application/json', JSON.stringify({ From: PHONE, To: 'KOFISHOP', Message: 'start' }));
			expect(await optOuts(sandbox)).toEqual([]);
			expect((await sandbox.send()).status).toBe(200);
			expect(await inbox(sandbox)).toMatchObject([{ keyword: 'opt_in' }, { keyword: 'opt_out' }]);
		},
	);

	it('opts out only if the message is the keyword alone, and only once', async () => {
		await using sandbox = await run();
		const texts = ['please stop by the shop', 'STOP', 'STOP'];
		for (const Message of texts)
			await post(sandbox, 'application/json', JSON.stringify({ From: PHONE, To: 'A', Message }));
		expect(await inbox(sandbox)).toHaveLength(3);
		expect(await optOuts(sandbox)).toHaveLength(1);
	});

	it.each([
		['application/json', '{"From":"+233201234567"}', 422, /to is missing; message is missing/],
		['application/x-www-form-urlencoded', 'Message=x', 422, /from is missing; to is missing/],
		['application/json', '{', 422, /not JSON/],
		['multipart/form-data; boundary=x', 'nonsense', 422, /not a form/],
		['text/plain', 'hello', 415, /not text\/plain/],
		['application/json', JSON.stringify({ From: PHONE, To: 'A', Message: 'x'.repeat(65_536) }), 413, /64 KiB/],
	])('rejects %s %.30s', async (type, body, status, message) => {
		await using sandbox = await run();
		const response = await post(sandbox, type, body);
		expect(response.status).toBe(status);
		expect(await response.json()).toMatchObject({ success: false, message: matching(message) });
		expect(await inbox(sandbox)).toEqual([]);
	});

	it('rejects a body that is too long but announces no length', async () => {
		await using sandbox = await run();
		const response = await fetch(`${sandbox.sandbox.url}/webhooks/inbound/sms`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: new Blob(['x'.repeat(100_000)]).stream(),
			duplex: 'half',
		} as RequestInit);
		expect(response.status).toBe(413);
	});
});

describe('phones', () => {
	it('send JSON or a form to the set URL, and never auto-reply', async () => {
		await using sandbox = await run();
		await using other = await listen();
		await sandbox.control('PUT', 'settings', { inbound_url: other.url });
		const text = { to: 'KOFISHOP', message: 'Ɛte sɛn? 50% & more' };
		expect(await sandbox.control('POST', `phones/${PHONE}/texts`, text)).toMatchObject({
			status: 202,
			body: { id: anyString, direction: 'sent', status: 'posting', delivery: { url: other.url } },
		});
		await sandbox.thread(PHONE, (entries) => entries.every(({ status }) => status === 'posted'));
		await sandbox.control('PUT', 'settings', { inbound_format: 'form' });
		await sandbox.control('POST', `phones/${PHONE}/texts`, text);
		const thread = await sandbox.thread(
			PHONE,
			(entries) => entries.length === 2 && entries.every(({ status }) => status === 'posted'),
		);
		expect(thread).toMatchObject([{ delivery: { http_status: 200, problem: null } }, { direction: 'sent' }]);

		const fields = { From: PHONE, To: 'KOFISHOP', Message: text.message };
		const [json, form] = other.received;
		expect(json).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } });
		expect(JSON.parse(json?.body ?? '')).toEqual(fields);
		expect(form?.headers['content-type']).toBe('application/x-www-form-urlencoded');
		expect(Object.fromEntries(new URLSearchParams(form?.body))).toEqual(fields);
		expect(other.received).toHaveLength(2);
		expect(await inbox(sandbox)).toEqual([]);
	});

	it('send to the service’s own webhook by default', async () => {
		await using sandbox = await run();
		await sandbox.control('POST', `phones/${PHONE}/texts`, { to: 'AKWAABA', message: 'HOURS' });
		await sandbox.thread(PHONE, ([entry]) => entry?.status === 'posted');
		expect(await inbox(sandbox)).toMatchObject([{ from: PHONE, to: 'AKWAABA', message: 'HOURS' }]);
	});

	it('send WhatsApp messages to the URL set for them, where no chatbot replies, and retry them', async () => {
		await using sandbox = await run();
		await using sms = await listen();
		await using whatsapp = await listen(503);
		await sandbox.control('PUT', 'settings', { inbound_url: sms.url, whatsapp_inbound_url: whatsapp.url });
		const text = { to: 'KOFISHOP', message: 'HOURS', channel: 'whatsapp' };
		const { body } = await sandbox.control('POST', `phones/${PHONE}/texts`, text);
		await sandbox.control('POST', 'settle');
		whatsapp.answer(200);
		await sandbox.advance(5000);
		await sandbox.control('POST', 'settle');
		const fields = { from: PHONE, to: 'KOFISHOP', message: 'HOURS', message_id: (body as Entry).id };
		expect(whatsapp.received.map((request): unknown => JSON.parse(request.body))).toEqual([fields, fields]);
		await sandbox.thread(PHONE, (entries) => entries.every(({ status }) => status === 'posted'));
		expect(sms.received).toEqual([]);
		expect(await inbox(sandbox)).toEqual([]);
		expect((await sandbox.control('GET', 'messages')).body).toEqual([]);
	});

	it('send WhatsApp messages to the service again after their URL responded with 410', async () => {
		await using sandbox = await run();
		await using gone = await listen(410);
		await sandbox.control('PUT', 'settings', { whatsapp_inbound_url: gone.url });
		for (const message of ['One', 'Two']) {
			await sandbox.control('POST', `phones/${PHONE}/texts`, { to: 'KOFISHOP', message, channel: 'whatsapp' });
			await sandbox.control('POST', 'settle');
		}
		expect(gone.received).toHaveLength(1);
		expect(await inbox(sandbox)).toMatchObject([{ channel: 'whatsapp', message: 'Two' }]);
		expect((await sandbox.control('GET', 'settings')).body).toMatchObject({ whatsapp_inbound_url: null });
	});

	it('sends messages also to the service if set, which recognizes them when forwarded', async () => {
		await using sandbox = await run();
		await using other = await listen();
		await sandbox.control('PUT', 'settings', { inbound_url: other.url, inbound_to_service: true });
		for (const message of ['YES', 'YES', 'STOP']) {
			await sandbox.control('POST', `phones/${PHONE}/texts`, { to: 'KOFISHOP', message });
		}
		await sandbox.control('POST', 'settle');
		expect(await inbox(sandbox)).toHaveLength(3);
		expect(await optOuts(sandbox)).toHaveLength(1);
		for (const { body } of other.received) {
			const response = await post(sandbox, 'application/json', body);
			expect(await response.json()).toMatchObject({ success: true, duplicate: true });
		}
		expect(other.received).toHaveLength(3);
		expect(await inbox(sandbox)).toHaveLength(3);
		await post(sandbox, 'application/json', JSON.stringify({ From: PHONE, To: 'KOFISHOP', Message: 'NO' }));
		expect(await inbox(sandbox)).toHaveLength(4);
	});

	it('send to the service and several receivers, and the service recognizes forwarded messages', async () => {
		await using sandbox = await run();
		await using one = await listen();
		await using other = await listen(500);
		await sandbox.control('PUT', 'settings', { inbound_urls: [one.url, other.url] });
		for (const message of ['YES', 'YES']) {
			await sandbox.control('POST', `phones/${PHONE}/texts`, { to: 'KOFISHOP', message });
		}
		await sandbox.control('POST', 'settle');
		expect([one.received.length, other.received.length]).toEqual([2, 2]);
		expect(await inbox(sandbox)).toHaveLength(2);
		expect((await sandbox.control('GET', `phones/${PHONE}`)).body).toMatchObject({
			entries: [
				{
					status: 'failed',
					delivery: { url: other.url, http_status: 500 },
					deliveries: [
						{ url: `${sandbox.sandbox.url}/webhooks/inbound/sms`, status: 'posted' },
						{ url: one.url, status: 'posted' },
						{ url: other.url, status: 'failed' },
					],
				},
				{ status: 'failed' },
			],
		});
		for (const { body, headers } of one.received) {
			expect(headers['x-sandbox-text']).toEqual(anyString);
			expect(await (await post(sandbox, 'application/json', body)).json()).toMatchObject({ duplicate: true });
		}
		expect(await inbox(sandbox)).toHaveLength(2);
		await post(sandbox, 'application/json', JSON.stringify({ From: PHONE, To: 'KOFISHOP', Message: 'NO' }));
		expect(await inbox(sandbox)).toHaveLength(3);
		await sandbox.advance(600_001);
		await post(sandbox, 'application/json', one.received[0]?.body ?? '');
		expect(await inbox(sandbox)).toHaveLength(4);
	});

	it('send a header that identifies a forwarded message even later, if its content is the same', async () => {
		await using sandbox = await run();
		await using receiver = await listen();
		await sandbox.control('PUT', 'settings', { inbound_url: receiver.url });
		await sandbox.control('POST', `phones/${PHONE}/texts`, { to: 'KOFISHOP', message: 'YES' });
		await sandbox.control('POST', 'settle');
		expect(await inbox(sandbox)).toEqual([]);
		const id = String(receiver.received[0]?.headers['x-sandbox-text']);
		const forward = async (Message: string) =>
			await fetch(`${sandbox.sandbox.url}/webhooks/inbound/sms`, {
				method: 'POST',
				headers: { 'content-type': 'application/json', 'x-sandbox-text': id },
				body: JSON.stringify({ From: PHONE, To: 'KOFISHOP', Message }),
			});
		await sandbox.advance(3_600_000);
		expect(await (await forward('YES')).json()).not.toHaveProperty('duplicate');
		expect(await (await forward('YES')).json()).toMatchObject({ duplicate: true });
		expect(await (await forward('something else')).json()).not.toHaveProperty('duplicate');
		expect(await inbox(sandbox)).toMatchObject([{ message: 'something else' }, { message: 'YES' }]);
	});

	it('let the service store two equal messages once each if forwarded without the header', async () => {
		await using sandbox = await run();
		await using receiver = await listen();
		await sandbox.control('PUT', 'settings', { inbound_url: receiver.url });
		for (const message of ['YES', 'YES'])
			await sandbox.control('POST', `phones/${PHONE}/texts`, { to: 'KOFISHOP', message });
		await sandbox.control('POST', 'settle');
		const counts: unknown[] = [];
		for (let time = 1; time <= 3; time += 1) {
			await post(sandbox, 'application/json', receiver.received[0]?.body ?? '');
			counts.push(await inbox(sandbox));
		}
		expect(counts).toMatchObject([{ length: 1 }, { length: 2 }, { length: 2 }]);
	});

	it('let the service store a message once even if a receiver forwards it first', async () => {
		await using sandbox = await run();
		await using receiver = await listen();
		await sandbox.control('PUT', 'settings', { inbound_urls: [receiver.url] });
		await sandbox.control('POST', 'faults', { endpoint: 'sms.inbound', kind: 'delay', milliseconds: 300 });
		await sandbox.control('POST', `phones/${PHONE}/texts`, { to: 'KOFISHOP', message: 'STOP' });
		await receiver.next;
		await post(sandbox, 'application/json', JSON.stringify({ From: PHONE, To: 'KOFISHOP', Message: 'STOP' }));
		expect(await inbox(sandbox)).toHaveLength(1);
		await sandbox.control('POST', 'settle');
		expect(await inbox(sandbox)).toHaveLength(1);
	});

	it('reject receivers that are not URLs, and more than ten', async () => {
		await using sandbox = await run();
		const put = async (inbound_urls: unknown) => await sandbox.control('PUT', 'settings', { inbound_urls });
		expect(await put(['http://127.0.0.1/', 'nowhere'])).toMatchObject({
			status: 422,
			body: { message: matching(/^inbound_urls\.1 /) },
		});
		expect((await put(Array.from({ length: 11 }, () => 'http://127.0.0.1/'))).status).toBe(422);
	});

	it('show why a message could not be delivered', async () => {
		await using sandbox = await run();
		await sandbox.control('PUT', 'settings', { inbound_url: 'http://127.0.0.1:1/hook' });
		await sandbox.control('POST', `phones/${PHONE}/texts`, { to: 'KOFISHOP', message: 'x' });
		const [entry] = await sandbox.thread(PHONE, ([first]) => first?.status === 'failed');
		expect(entry?.delivery).toEqual({
			url: 'http://127.0.0.1:1/hook',
			http_status: null,
			problem: 'connection refused',
		});
	});

	it.each([404, 500, 302])('treat a response of %i as a failure and follow no redirect', async (status) => {
		await using sandbox = await run();
		await using target = await listen();
		await using other = await listen(status, status === 302 ? { location: target.url } : {});
		await sandbox.control('PUT', 'settings', { inbound_url: other.url });
		await sandbox.control('POST', `phones/${PHONE}/texts`, { to: 'KOFISHOP', message: 'x' });
		const [entry] = await sandbox.thread(PHONE, ([first]) => first?.status === 'failed');
		expect(entry?.delivery).toMatchObject({ http_status: status, problem: `responded with ${status}` });
		expect(target.received).toEqual([]);
	});

	it('show both directions in order, live, each phone its own', async () => {
		await using sandbox = await run();
		await sandbox.sent({ message: 'one' });
		await sandbox.advance(10);
		await sandbox.control('POST', `phones/${PHONE}/texts`, { to: 'KOFISHOP', message: 'two' });
		await sandbox.advance(10);
		await sandbox.sent({ to: '+233209999999', message: 'for another number' });
		const live = sandbox.thread(PHONE, (entries) => entries.length === 3);
		await sandbox.sent({ message: 'three', sender_id: 'AKWAABA' });
		expect(await live).toMatchObject([
			{ direction: 'received', text: 'one', sender: 'KOFISHOP' },
			{ direction: 'sent', text: 'two', sender: PHONE },
			{ direction: 'received', text: 'three', sender: 'AKWAABA' },
		]);
		expect((await sandbox.control('GET', 'phones/+233209999999')).body).toMatchObject({
			entries: [{ text: 'for another number' }],
		});
	});

	it('say when a scheduled message leaves, until it does', async () => {
		await using sandbox = await run();
		const { body } = await sandbox.control('GET', 'clock');
		const now = Date.parse(z.object({ now: z.string() }).parse(body).now);
		const leaves = new Date(Math.ceil(now / 1000) * 1000 + 3_600_000).toISOString();
		const schedule_at = leaves.slice(0, 19).replace('T', ' ');
		await sandbox.api('POST', 'sms/bulk', { to: [PHONE], sender_id: 'KOFISHOP', message: 'Later', schedule_at });
		const [waiting] = await sandbox.thread(PHONE, (entries) => entries.length === 1);
		expect(waiting).toMatchObject({ status: 'queued', scheduled_at: leaves });
		await sandbox.advance(Date.parse(leaves) - now);
		const [left] = await sandbox.thread(PHONE, (entries) => entries.length === 1);
		expect(left?.status).not.toBe('queued');
		expect(left).not.toHaveProperty('scheduled_at');
	});

	it.each([
		[PHONE, { to: '', message: 'x' }, /^to is empty/],
		[PHONE, { to: 'KOFISHOP' }, /^message is missing/],
		['12', { to: 'KOFISHOP', message: 'x' }, /^number /],
	])('reject %s %j', async (number, body, message) => {
		await using sandbox = await run();
		expect(await sandbox.control('POST', `phones/${number}/texts`, body)).toMatchObject({
			status: 422,
			body: { message: matching(message) },
		});
	});
});

describe('a phone message that an inbound URL does not accept', () => {
	const post = async (sandbox: TestSandbox) => {
		await sandbox.control('POST', `phones/${PHONE}/texts`, { to: 'KOFISHOP', message: 'Hello' });
		await sandbox.control('POST', 'settle');
	};
	const logged = async (sandbox: TestSandbox) => {
		const list = (await sandbox.control('GET', 'callbacks')).body as { id: number }[];
		expect(list).toHaveLength(1);
		return (await sandbox.control('GET', `callbacks/${list[0]?.id}`)).body;
	};
	const advance = async (sandbox: TestSandbox, milliseconds: number) => {
		await sandbox.advance(milliseconds);
		await sandbox.control('POST', 'settle');
	};

	it('retries an inbound webhook unchanged with growing delays until accepted, and stores every attempt', async () => {
		await using sandbox = await run();
		await using receiver = await listen(503);
		await sandbox.control('PUT', 'settings', { inbound_url: receiver.url });
		await post(sandbox);
		expect(await logged(sandbox)).toMatchObject({
			event: 'sms.inbound',
			status: 'waiting',
			attempts: [{ http_status: 503, problem: 'responded with 503', request: { url: receiver.url } }],
		});
		await advance(sandbox, 4999);
		expect(receiver.received).toHaveLength(1);
		await advance(sandbox, 1);
		expect(receiver.received).toHaveLength(2);
		receiver.answer(200);
		await advance(sandbox, 29_999);
		expect(receiver.received).toHaveLength(2);
		await advance(sandbox, 1);
		const [first, second, third] = receiver.received;
		expect(third?.body).toBe(first?.body);
		expect(second?.headers['x-sandbox-text']).toBe(first?.headers['x-sandbox-text']);
		expect(await logged(sandbox)).toMatchObject({ status: 'delivered', attempt_count: 3 });
		expect((await sandbox.control('GET', `phones/${PHONE}`)).body).toMatchObject({
			entries: [{ status: 'posted', delivery: { http_status: 200, problem: null } }],
		});
		await advance(sandbox, 10_000_000);
		expect(receiver.received).toHaveLength(3);
	});

	it('gives up an inbound webhook after six attempts, and delivers it once more with Replay', async () => {
		await using sandbox = await run();
		await using receiver = await listen(500);
		await sandbox.control('PUT', 'settings', { inbound_url: receiver.url });
		await post(sandbox);
		for (let time = 0; time < 7; time += 1) await advance(sandbox, 3_600_000);
		expect(receiver.received).toHaveLength(6);
		expect(await logged(sandbox)).toMatchObject({ status: 'given_up', next_attempt_at: null });
		receiver.answer(200);
		const [{ id }] = (await sandbox.control('GET', 'callbacks')).body as [{ id: number }];
		expect((await sandbox.control('POST', `callbacks/${id}/replay`)).status).toBe(202);
		await sandbox.control('POST', 'settle');
		expect(receiver.received).toHaveLength(7);
		expect(await logged(sandbox)).toMatchObject({ status: 'delivered' });
	});

	it('gives up an inbound webhook at once after a 410, and sends the URL nothing more', async () => {
		await using sandbox = await run();
		await using receiver = await listen(410);
		await using other = await listen();
		await sandbox.control('PUT', 'settings', { inbound_url: other.url, inbound_urls: [receiver.url] });
		await post(sandbox);
		await post(sandbox);
		await advance(sandbox, 10_000_000);
		expect(receiver.received).toHaveLength(1);
		expect(other.received).toHaveLength(2);
		expect((await sandbox.control('GET', 'settings')).body).toMatchObject({ inbound_url: other.url, inbound_urls: [] });
	});
});
