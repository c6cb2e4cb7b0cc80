import { connect } from 'node:net';
import { once } from 'node:events';
import { request } from 'undici';
import { listen, matching, PHONE, run, type Running } from './running';

const dropped = { cause: { code: 'UND_ERR_SOCKET' } };

async function fault(running: Running, fault: Record<string, unknown>): Promise<void> {
	expect((await running.control('POST', 'faults', fault)).status).toBe(201);
}

async function countMessages(running: Running): Promise<number> {
	const { body } = await running.control('GET', 'messages');
	return Array.isArray(body) ? body.length : NaN;
}

describe('faults', () => {
	it('answer: gives the asked answer and accepts nothing, as often as asked', async () => {
		await using running = await run();
		await fault(running, {
			endpoint: 'sms.send',
			kind: 'answer',
			times: 2,
			status: 503,
			headers: { 'retry-after': '7' },
			body: { oops: true },
		});
		expect((await running.api('GET', 'balance')).status).toBe(200);
		for (let time = 1; time <= 2; time += 1) {
			const answer = await running.send();
			expect(answer).toMatchObject({ status: 503, body: { oops: true } });
			expect(answer.headers.get('retry-after')).toBe('7');
		}
		expect((await running.wallet()).balance).toBe(40);
		expect((await running.send()).status).toBe(200);
	});

	it('answer: sends a text as it is', async () => {
		await using running = await run();
		await fault(running, {
			endpoint: '*',
			kind: 'answer',
			status: 200,
			headers: { 'content-type': 'text/html' },
			body: '<h1>Gateway</h1>',
		});
		const answer = await request(`${running.sandbox.baseUrl}balance`, {
			headers: { 'x-api-key': running.sandbox.apiKey },
		});
		expect(answer.headers['content-type']).toBe('text/html');
		expect(await answer.body.text()).toBe('<h1>Gateway</h1>');
	});

	it('drop_before: closes the connection and accepts nothing', async () => {
		await using running = await run();
		await fault(running, { endpoint: 'sms.send', kind: 'drop_before' });
		await expect(running.send()).rejects.toMatchObject(dropped);
		expect(await countMessages(running)).toBe(0);
		expect((await running.wallet()).balance).toBe(40);
	});

	it('drop_after: accepts and charges exactly once, and closes the connection', async () => {
		await using running = await run();
		await fault(running, { endpoint: 'sms.send', kind: 'drop_after' });
		await expect(running.send()).rejects.toMatchObject(dropped);
		expect(await countMessages(running)).toBe(1);
		expect((await running.wallet()).balance).toBe(39.95);
		expect((await running.control('GET', 'requests')).body).toMatchObject([
			{ endpoint: 'sms.send', status: null, fault: 'drop_after' },
		]);
	});

	it('truncate: accepts, promises the full answer, sends half of it', async () => {
		await using running = await run();
		await fault(running, { endpoint: 'sms.send', kind: 'truncate' });
		const { port } = new URL(running.sandbox.url);
		const socket = connect(Number(port), '127.0.0.1');
		const body = JSON.stringify({ to: PHONE, sender_id: 'KOFISHOP', message: 'Hello' });
		socket.write(
			`POST /api/v1/sms/send HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${running.sandbox.apiKey}\r\n` +
				`Content-Length: ${body.length}\r\n\r\n${body}`,
		);
		let got = '';
		socket.setEncoding('utf8').on('data', (chunk: string) => (got += chunk));
		await once(socket, 'close');
		const [head = '', half = ''] = got.split('\r\n\r\n');
		expect(head).toMatch(/^HTTP\/1\.1 200 /);
		const promised = Number(/content-length: (\d+)/i.exec(head)?.[1]);
		expect(half).toHaveLength(Math.floor(promised / 2));
		expect(half).toMatch(/^\{"success":true,"message_id"/);
		expect((await running.wallet()).balance).toBe(39.95);
	});

	it('delay: waits and then handles', async () => {
		await using running = await run();
		await fault(running, { endpoint: 'wallet.getBalance', kind: 'delay', milliseconds: 200 });
		const start = performance.now();
		expect((await running.api('GET', 'balance')).status).toBe(200);
		expect(performance.now() - start).toBeGreaterThanOrEqual(195);
	});

	it('hang: never answers and accepts nothing', async () => {
		await using running = await run();
		await fault(running, { endpoint: 'sms.send', kind: 'hang' });
		const answer = request(`${running.sandbox.baseUrl}sms/send`, {
			method: 'POST',
			headers: { 'x-api-key': running.sandbox.apiKey },
			body: JSON.stringify({ to: PHONE, sender_id: 'KOFISHOP', message: 'Hello' }),
			headersTimeout: 300,
		});
		await expect(answer).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
		expect(await countMessages(running)).toBe(0);
	});

	it.each(['hang', 'delay'])('%s: does not keep the sandbox from stopping', async (kind) => {
		const running = await run();
		await fault(running, { endpoint: '*', kind, ...(kind === 'delay' ? { milliseconds: 600_000 } : {}) });
		const failed = expect(running.send()).rejects.toMatchObject(dropped);
		// The fault leaves the queue at the moment the request meets it.
		while (JSON.stringify((await running.control('GET', 'faults')).body) !== '[]');
		await running.sandbox.stop();
		await failed;
	});

	it('does not meet requests that are not let in', async () => {
		await using running = await run();
		await fault(running, { endpoint: 'sms.send', kind: 'drop_before' });
		expect((await running.api('POST', 'sms/send', {}, { 'x-api-key': 'no' })).status).toBe(401);
		expect((await running.control('GET', 'faults')).body).toMatchObject([{ kind: 'drop_before', times: 1 }]);
		await running.control('DELETE', 'faults');
		expect((await running.control('GET', 'faults')).body).toEqual([]);
		expect((await running.send()).status).toBe(200);
	});

	it('html: answers with a page and accepts nothing', async () => {
		await using running = await run();
		await fault(running, { endpoint: 'sms.send', kind: 'html' });
		const answer = await fetch(`${running.sandbox.baseUrl}sms/send`, {
			method: 'POST',
			headers: { 'x-api-key': running.sandbox.apiKey },
			body: JSON.stringify({ to: PHONE, sender_id: 'KOFISHOP', message: 'Hello' }),
		});
		expect(answer.status).toBe(502);
		expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
		expect(await answer.text()).toMatch(/^<!doctype html>/);
		expect(await countMessages(running)).toBe(0);
	});

	it('half_json: accepts, and gives half of the answer as all of it', async () => {
		await using running = await run();
		await fault(running, { endpoint: 'sms.send', kind: 'half_json' });
		await expect(running.send()).rejects.toThrow(SyntaxError);
		expect(await countMessages(running)).toBe(1);
	});

	it.each([
		['sms.inbound', 'webhooks/inbound/sms'],
		['whatsapp.inbound', 'webhooks/whatsapp/inbound'],
	])('%s: meets what is posted to the service’s webhook, and * does not', async (endpoint, path) => {
		await using running = await run();
		const text = { from: PHONE, to: 'KOFISHOP', message: 'Hi' };
		const post = async () =>
			await fetch(`${running.sandbox.url}/${path}`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(text),
			});
		const inbox = async () => (await running.control('GET', 'inbox')).body;
		await fault(running, { endpoint: '*', kind: 'answer', status: 503 });
		expect((await post()).status).toBe(200);
		await fault(running, { endpoint, kind: 'answer', status: 503 });
		expect((await post()).status).toBe(503);
		await fault(running, { endpoint, kind: 'drop_before' });
		await expect(post()).rejects.toMatchObject(dropped);
		expect(await inbox()).toHaveLength(1);
		await fault(running, { endpoint, kind: 'drop_after' });
		await expect(post()).rejects.toMatchObject(dropped);
		expect(await inbox()).toHaveLength(2);
		expect((await running.api('GET', 'balance')).status).toBe(503);
	});

	it('posts of texts are doubled, sent as a form, late or overtaken', async () => {
		await using running = await run();
		await using receiver = await listen();
		await running.control('PUT', 'settings', { inbound_url: receiver.url });
		const text = async (message: string) =>
			await running.control('POST', `phones/${PHONE}/texts`, { to: 'KOFISHOP', message });
		await fault(running, { endpoint: 'sms.inbound', kind: 'post_copies', copies: 3 });
		await text('three');
		await running.control('POST', 'settle');
		expect(receiver.received).toHaveLength(3);
		await fault(running, { endpoint: '*', kind: 'post_form' });
		await text('form');
		await running.control('POST', 'settle');
		expect(receiver.received.at(-1)?.body).toBe('From=%2B233201234567&To=KOFISHOP&Message=form');
		await fault(running, { endpoint: 'sms.inbound', kind: 'post_reordered' });
		await text('first');
		await text('second');
		await running.control('POST', 'settle');
		expect(receiver.received.slice(4).map(({ body }) => /"Message":"(\w+)"/.exec(body)?.[1])).toEqual([
			'second',
			'first',
		]);
		await fault(running, { endpoint: 'sms.inbound', kind: 'post_late', milliseconds: 200 });
		const began = performance.now();
		await text('late');
		await running.control('POST', 'settle');
		expect(performance.now() - began).toBeGreaterThanOrEqual(195);
		expect(receiver.received).toHaveLength(7);
	});

	it('posts of receipts are doubled, sent as a form, late or overtaken', async () => {
		await using running = await run();
		await using receiver = await listen();
		await running.control('PUT', 'settings', { callback_url: receiver.url });
		const deliver = async () => {
			const { message_id } = await running.sent();
			for (const milliseconds of [300, 700]) {
				await running.advance(milliseconds);
				await running.control('POST', 'settle');
			}
			return message_id;
		};
		const statuses = () =>
			receiver.received.splice(0).map(({ body }) => /status[":=]+(sent|delivered)/.exec(body)?.[1]);
		await fault(running, { endpoint: 'message.status', kind: 'post_copies', times: 2 });
		await deliver();
		expect(statuses()).toEqual(['sent', 'sent', 'delivered', 'delivered']);
		await fault(running, { endpoint: 'message.status', kind: 'post_reordered' });
		await deliver();
		await running.advance(5000);
		await running.control('POST', 'settle');
		expect(statuses()).toEqual(['delivered', 'sent']);
		await fault(running, { endpoint: 'message.status', kind: 'post_late', milliseconds: 60_000, times: 2 });
		await deliver();
		expect(statuses()).toEqual([]);
		await running.advance(60_000);
		await running.control('POST', 'settle');
		expect(statuses()).toEqual(['sent', 'delivered']);
		await fault(running, { endpoint: 'wallet.low_balance', kind: 'post_copies' });
		await fault(running, { endpoint: 'message.status', kind: 'post_form' });
		await deliver();
		expect(receiver.received.map(({ headers }) => headers['content-type'])).toEqual([
			'application/x-www-form-urlencoded',
			'application/json',
		]);
	});

	it.each([
		[{ endpoint: 'sms.sendd', kind: 'hang' }, /^endpoint is neither \* nor one of sms\.send, /],
		[{ endpoint: 'sms.send', kind: 'post_form' }, /^endpoint is neither \* nor one of sms\.inbound, /],
		[{ endpoint: 'message.status', kind: 'hang' }, /^endpoint is neither \* nor one of sms\.send, /],
		[{ endpoint: '*', kind: 'post_copies', copies: 1 }, /^copies is below 2/],
		[{ endpoint: '*', kind: 'explode' }, /^kind is none of answer, /],
		[{ endpoint: '*' }, /^kind is missing/],
		[{ endpoint: '*', kind: 'hang', times: 0 }, /^times is below 1/],
		[{ endpoint: '*', kind: 'hang', often: 2 }, /unknown: often/],
		[{ endpoint: '*', kind: 'delay' }, /^milliseconds is missing/],
		[{ endpoint: '*', kind: 'answer', status: 99 }, /^status is below 200/],
	])('refuses %j', async (body, message) => {
		await using running = await run();
		expect(await running.control('POST', 'faults', body)).toMatchObject({
			status: 422,
			body: { code: 'validation', message: matching(message) },
		});
		expect((await running.control('GET', 'faults')).body).toEqual([]);
	});
});
