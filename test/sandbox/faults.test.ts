import { connect } from 'node:net';
import { once } from 'node:events';
import { request } from 'undici';
import { matching, PHONE, run, type Running } from './running';

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

	it.each([
		[{ endpoint: 'sms.sendd', kind: 'hang' }, /^endpoint is neither \* nor one of sms\.send, /],
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
