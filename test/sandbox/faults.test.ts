import { connect } from 'node:net';
import { once } from 'node:events';
import { request } from 'undici';
import { eventually } from '../support/eventually';
import { listen, matching, PHONE, run, type TestSandbox } from '../support/testSandbox';

const dropped = { cause: { code: 'UND_ERR_SOCKET' } };

async function fault(sandbox: TestSandbox, fault: Record<string, unknown>): Promise<void> {
	expect((await sandbox.control('POST', 'faults', fault)).status).toBe(201);
}

async function countMessages(sandbox: TestSandbox): Promise<number> {
	const { body } = await sandbox.control('GET', 'messages');
	return Array.isArray(body) ? body.length : NaN;
}

describe('faults', () => {
	it('answer: returns the given response and accepts nothing, as often as asked', async () => {
		await using sandbox = await run();
		await fault(sandbox, {
			endpoint: 'sms.send',
			kind: 'answer',
			times: 2,
			status: 503,
			headers: { 'retry-after': '7' },
			body: { oops: true },
		});
		expect((await sandbox.api('GET', 'balance')).status).toBe(200);
		for (let time = 1; time <= 2; time += 1) {
			const response = await sandbox.send();
			expect(response).toMatchObject({ status: 503, body: { oops: true } });
			expect(response.headers.get('retry-after')).toBe('7');
		}
		expect((await sandbox.wallet()).balance).toBe(40);
		expect((await sandbox.send()).status).toBe(200);
	});

	it('answer: sends a string body unchanged', async () => {
		await using sandbox = await run();
		await fault(sandbox, {
			endpoint: '*',
			kind: 'answer',
			status: 200,
			headers: { 'content-type': 'text/html' },
			body: '<h1>Gateway</h1>',
		});
		const response = await request(`${sandbox.sandbox.baseUrl}balance`, {
			headers: { 'x-api-key': sandbox.sandbox.apiKey },
		});
		expect(response.headers['content-type']).toBe('text/html');
		expect(await response.body.text()).toBe('<h1>Gateway</h1>');
	});

	it('drop_before: closes the connection and accepts nothing', async () => {
		await using sandbox = await run();
		await fault(sandbox, { endpoint: 'sms.send', kind: 'drop_before' });
		await expect(sandbox.send()).rejects.toMatchObject(dropped);
		expect(await countMessages(sandbox)).toBe(0);
		expect((await sandbox.wallet()).balance).toBe(40);
	});

	it('drop_after: accepts and charges exactly once, and closes the connection', async () => {
		await using sandbox = await run();
		await fault(sandbox, { endpoint: 'sms.send', kind: 'drop_after' });
		await expect(sandbox.send()).rejects.toMatchObject(dropped);
		expect(await countMessages(sandbox)).toBe(1);
		expect((await sandbox.wallet()).balance).toBe(39.95);
		expect((await sandbox.control('GET', 'requests')).body).toMatchObject([
			{ endpoint: 'sms.send', status: null, fault: 'drop_after' },
		]);
	});

	it('truncate: accepts, announces the full response, sends half of it', async () => {
		await using sandbox = await run();
		await fault(sandbox, { endpoint: 'sms.send', kind: 'truncate' });
		const { port } = new URL(sandbox.sandbox.url);
		const socket = connect(Number(port), '127.0.0.1');
		const body = JSON.stringify({ to: PHONE, sender_id: 'KOFISHOP', message: 'Hello' });
		socket.write(
			`POST /api/v1/sms/send HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${sandbox.sandbox.apiKey}\r\n` +
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
		expect((await sandbox.wallet()).balance).toBe(39.95);
	});

	it('delay: waits, then handles the request', async () => {
		await using sandbox = await run();
		await fault(sandbox, { endpoint: 'wallet.getBalance', kind: 'delay', milliseconds: 200 });
		const start = performance.now();
		expect((await sandbox.api('GET', 'balance')).status).toBe(200);
		expect(performance.now() - start).toBeGreaterThanOrEqual(195);
	});

	it('hang: never responds and accepts nothing', async () => {
		await using sandbox = await run();
		await fault(sandbox, { endpoint: 'sms.send', kind: 'hang' });
		const response = request(`${sandbox.sandbox.baseUrl}sms/send`, {
			method: 'POST',
			headers: { 'x-api-key': sandbox.sandbox.apiKey },
			body: JSON.stringify({ to: PHONE, sender_id: 'KOFISHOP', message: 'Hello' }),
			headersTimeout: 300,
		});
		await expect(response).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
		expect(await countMessages(sandbox)).toBe(0);
	});

	it.each(['hang', 'delay'])('%s: does not keep the sandbox from stopping', async (kind) => {
		const sandbox = await run();
		await fault(sandbox, { endpoint: '*', kind, ...(kind === 'delay' ? { milliseconds: 600_000 } : {}) });
		const failed = expect(sandbox.send()).rejects.toMatchObject(dropped);
		// The fault leaves the queue when the request arrives.
		await eventually('the fault to be used', async () => {
			const { body } = await sandbox.control('GET', 'faults');
			return JSON.stringify(body) === '[]' ? true : undefined;
		});
		await sandbox.sandbox.stop();
		await failed;
	});

	it('applies no fault to requests without a valid key', async () => {
		await using sandbox = await run();
		await fault(sandbox, { endpoint: 'sms.send', kind: 'drop_before' });
		expect((await sandbox.api('POST', 'sms/send', {}, { 'x-api-key': 'no' })).status).toBe(401);
		expect((await sandbox.control('GET', 'faults')).body).toMatchObject([{ kind: 'drop_before', times: 1 }]);
		await sandbox.control('DELETE', 'faults');
		expect((await sandbox.control('GET', 'faults')).body).toEqual([]);
		expect((await sandbox.send()).status).toBe(200);
	});

	it('html: returns a web page and accepts nothing', async () => {
		await using sandbox = await run();
		await fault(sandbox, { endpoint: 'sms.send', kind: 'html' });
		const response = await fetch(`${sandbox.sandbox.baseUrl}sms/send`, {
			method: 'POST',
			headers: { 'x-api-key': sandbox.sandbox.apiKey },
			body: JSON.stringify({ to: PHONE, sender_id: 'KOFISHOP', message: 'Hello' }),
		});
		expect(response.status).toBe(502);
		expect(response.headers.get('content-type')).toMatch(/^text\/html/);
		expect(await response.text()).toMatch(/^<!doctype html>/);
		expect(await countMessages(sandbox)).toBe(0);
	});

	it('half_json: accepts, and sends half of the response as if complete', async () => {
		await using sandbox = await run();
		await fault(sandbox, { endpoint: 'sms.send', kind: 'half_json' });
		await expect(sandbox.send()).rejects.toThrow(SyntaxError);
		expect(await countMessages(sandbox)).toBe(1);
	});

	it.each([
		['sms.inbound', 'webhooks/inbound/sms'],
		['whatsapp.inbound', 'webhooks/whatsapp/inbound'],
	])('%s: applies to requests to the service’s webhook, and * does not', async (endpoint, path) => {
		await using sandbox = await run();
		const text = { from: PHONE, to: 'KOFISHOP', message: 'Hi' };
		const post = async () =>
			await fetch(`${sandbox.sandbox.url}/${path}`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(text),
			});
		const inbox = async () => (await sandbox.control('GET', 'inbox')).body;
		await fault(sandbox, { endpoint: '*', kind: 'answer', status: 503 });
		expect((await post()).status).toBe(200);
		await fault(sandbox, { endpoint, kind: 'answer', status: 503 });
		expect((await post()).status).toBe(503);
		await fault(sandbox, { endpoint, kind: 'drop_before' });
		await expect(post()).rejects.toMatchObject(dropped);
		expect(await inbox()).toHaveLength(1);
		await fault(sandbox, { endpoint, kind: 'drop_after' });
		await expect(post()).rejects.toMatchObject(dropped);
		expect(await inbox()).toHaveLength(2);
		expect((await sandbox.api('GET', 'balance')).status).toBe(503);
	});

	it('deliver phone messages twice, as a form, late or after the next one', async () => {
		await using sandbox = await run();
		await using receiver = await listen();
		await sandbox.control('PUT', 'settings', { inbound_url: receiver.url });
		const text = async (message: string) =>
			await sandbox.control('POST', `phones/${PHONE}/texts`, { to: 'KOFISHOP', message });
		await fault(sandbox, { endpoint: 'sms.inbound', kind: 'post_copies', copies: 3 });
		await text('three');
		await sandbox.control('POST', 'settle');
		expect(receiver.received).toHaveLength(3);
		await fault(sandbox, { endpoint: '*', kind: 'post_form' });
		await text('form');
		await sandbox.control('POST', 'settle');
		expect(receiver.received.at(-1)?.body).toBe('From=%2B233201234567&To=KOFISHOP&Message=form');
		await fault(sandbox, { endpoint: 'sms.inbound', kind: 'post_reordered' });
		await text('first');
		await text('second');
		await sandbox.control('POST', 'settle');
		expect(receiver.received.slice(4).map(({ body }) => /"Message":"(\w+)"/.exec(body)?.[1])).toEqual([
			'second',
			'first',
		]);
		await fault(sandbox, { endpoint: 'sms.inbound', kind: 'post_late', milliseconds: 200 });
		const began = performance.now();
		await text('late');
		await sandbox.control('POST', 'settle');
		expect(performance.now() - began).toBeGreaterThanOrEqual(195);
		expect(receiver.received).toHaveLength(7);
	});

	it('deliver receipts twice, as a form, late or after the next one', async () => {
		await using sandbox = await run();
		await using receiver = await listen();
		await sandbox.control('PUT', 'settings', { callback_url: receiver.url });
		const deliver = async () => {
			const { message_id } = await sandbox.sent();
			for (const milliseconds of [300, 700]) {
				await sandbox.advance(milliseconds);
				await sandbox.control('POST', 'settle');
			}
			return message_id;
		};
		const statuses = () =>
			receiver.received.splice(0).map(({ body }) => /status[":=]+(sent|delivered)/.exec(body)?.[1]);
		await fault(sandbox, { endpoint: 'message.status', kind: 'post_copies', times: 2 });
		await deliver();
		expect(statuses()).toEqual(['sent', 'sent', 'delivered', 'delivered']);
		await fault(sandbox, { endpoint: 'message.status', kind: 'post_reordered' });
		await deliver();
		await sandbox.advance(5000);
		await sandbox.control('POST', 'settle');
		expect(statuses()).toEqual(['delivered', 'sent']);
		await fault(sandbox, { endpoint: 'message.status', kind: 'post_late', milliseconds: 60_000, times: 2 });
		await deliver();
		expect(statuses()).toEqual([]);
		await sandbox.advance(60_000);
		await sandbox.control('POST', 'settle');
		expect(statuses()).toEqual(['sent', 'delivered']);
		await fault(sandbox, { endpoint: 'wallet.low_balance', kind: 'post_copies' });
		await fault(sandbox, { endpoint: 'message.status', kind: 'post_form' });
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
		[{ endpoint: '*', kind: 'explode' }, /^kind is not one of answer, /],
		[{ endpoint: '*' }, /^kind is missing/],
		[{ endpoint: '*', kind: 'hang', times: 0 }, /^times is below 1/],
		[{ endpoint: '*', kind: 'hang', often: 2 }, /unknown fields: often/],
		[{ endpoint: '*', kind: 'delay' }, /^milliseconds is missing/],
		[{ endpoint: '*', kind: 'answer', status: 99 }, /^status is below 200/],
	])('rejects the fault %j', async (body, message) => {
		await using sandbox = await run();
		expect(await sandbox.control('POST', 'faults', body)).toMatchObject({
			status: 422,
			body: { code: 'validation', message: matching(message) },
		});
		expect((await sandbox.control('GET', 'faults')).body).toEqual([]);
	});
});
