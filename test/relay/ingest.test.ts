import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { z } from 'zod/v4';
import { describeOnEachDatabase } from '../support/relay/databases';
import { accept, acceptUnrecognized, listEvents, readEvent, subscribe } from '../support/relay/api';
import { inbound, receipt } from '../support/relay/requests';
import { INGEST_SECRET, type Relay } from '../support/relay/relay';
import { QUICK, QUICK_ENV } from '../support/relay/quick';
import { startReceiver } from '../support/relay/receiver';

const received = z.object({ recognized: z.boolean(), message: z.string() });
const status = z.object({ unrecognized_messages_24h: z.number() });

/** How many requests an alarm of the page is about. */
async function unrecognizedMessages(relay: Relay): Promise<number> {
	return status.parse(await (await relay.api('GET', '/v1/status')).json()).unrecognized_messages_24h;
}

describeOnEachDatabase('ingest', (database) => {
	let relay: Relay;

	beforeAll(async () => {
		relay = await database().start();
	});

	it('accepts JSON, form and multipart bodies as the same kind of event', async () => {
		const form = new FormData();
		form.set('from', '+233201110003');
		form.set('to', '+233241234567');
		form.set('message', 'Hello from multipart');
		const multipart = await new Response(form).text();
		const type = `multipart/form-data; boundary=${multipart.slice(2, multipart.indexOf('\r\n'))}`;

		await accept(relay, inbound({ from: '+233201110001', message: 'Hello from JSON' }), { path: '/sms' });
		await accept(relay, 'from=%2B233201110002&to=%2B233241234567&message=Hello+from+a+form', {
			type: 'application/x-www-form-urlencoded',
			path: '/sms',
		});
		await accept(relay, multipart, { type, path: '/sms' });

		const events = await listEvents(relay, '?type=sms.inbound&q=%2B23320111000');
		expect(events.map(({ data }) => [data.from, data.message])).toEqual([
			['+233201110003', 'Hello from multipart'],
			['+233201110002', 'Hello from a form'],
			['+233201110001', 'Hello from JSON'],
		]);
	});

	const ask = async (path: string, init: RequestInit) => await fetch(`${relay.url}/in/${INGEST_SECRET}${path}`, init);
	const post = async (body: Uint8Array, headers: Record<string, string>) =>
		await ask('/sms', { method: 'POST', headers, body: Buffer.from(body) });
	const newest = async () => (await listEvents(relay, '?limit=1'))[0];
	const latin1 = (text: string) => Buffer.from(text, 'latin1');
	let senders = 0;
	const JSON_TYPE = 'application/json';
	const FORM = 'application/x-www-form-urlencoded';
	const stop = JSON.stringify({ from: '+233201110009', to: '1234', message: 'Arrêt' });
	const part = (text: string) => latin1(`--x\r\nContent-Disposition: form-data; name="${text}\r\n`);
	const multipart = ['from"\r\n\r\n+233201110009', 'to"\r\n\r\n1234', 'message"\r\n\r\nArrêt'].map(part);

	it.each<[string, string, Uint8Array]>([
		['a form in ISO-8859-1', `${FORM}; charset=ISO-8859-1`, latin1('from=%2B233201110009&to=1234&message=Arr%EAt')],
		['a form in windows-1252 that declares nothing', FORM, latin1('from=%2B233201110009&to=1234&message=Arr%EAt')],
		['JSON in ISO-8859-1', `${JSON_TYPE}; charset=iso-8859-1`, latin1(stop)],
		['JSON in windows-1252 that declares nothing', JSON_TYPE, latin1(stop)],
		[
			'a multipart form in windows-1252',
			'multipart/form-data; boundary=x',
			Buffer.concat([...multipart, latin1('--x--\r\n')]),
		],
		['JSON as text', 'text/plain', Buffer.from(stop)],
		['JSON that is labelled as a form', FORM, Buffer.from(stop)],
	])('reads an opt-out with an accent in %s', async (_, type, body) => {
		senders += 1;
		// Another number, because a second STOP of a number is a duplicate.
		const own = latin1(
			Buffer.from(body)
				.toString('latin1')
				.replace('201110009', `20111${1_000 + senders}`),
		);
		const response = await post(own, { 'content-type': type });
		expect(await response.json()).toMatchObject({ received: true, duplicate: false });
		expect(await newest()).toMatchObject({ type: 'sms.inbound', data: { message: 'Arrêt', keyword: 'stop' } });
	});

	it.each<[string, (body: Uint8Array) => Uint8Array]>([
		['gzip', (body) => gzipSync(body)],
		['X-GZIP', (body) => gzipSync(body)],
		['deflate', (body) => deflateSync(body)],
		['deflate ', (body) => deflateRawSync(body)],
		['br', (body) => brotliCompressSync(body)],
		['identity', (body) => body],
		['gzip, br', (body) => brotliCompressSync(gzipSync(body))],
	])('reads a body with the content encoding %s', async (encoding, encode) => {
		const response = await post(encode(Buffer.from(JSON.stringify(inbound()))), {
			'content-type': JSON_TYPE,
			'content-encoding': encoding,
		});
		expect([response.status, await response.json()]).toMatchObject([200, { received: true, duplicate: false }]);
	});

	it.each<[string, number, Record<string, string>, Uint8Array]>([
		['an unknown character set', 415, { 'content-type': `${JSON_TYPE}; charset=klingon` }, Buffer.from(stop)],
		['bytes that are not in the character set', 415, { 'content-type': `${FORM}; charset=shift_jis` }, latin1('a=%FF')],
		['an unknown content encoding', 415, { 'content-encoding': 'zstd' }, Buffer.from(stop)],
		['three content encodings', 415, { 'content-encoding': 'gzip, gzip, gzip' }, Buffer.from(stop)],
		['a cut gzip body', 400, { 'content-encoding': 'gzip' }, gzipSync(Buffer.from(stop)).subarray(0, 30)],
		['a body that is not gzip', 400, { 'content-encoding': 'gzip' }, Buffer.from(stop)],
		['a gzip bomb', 413, { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(50_000_000))],
		[
			'a gzip bomb in a gzip body',
			413,
			{ 'content-encoding': 'gzip, gzip' },
			gzipSync(gzipSync(Buffer.alloc(50_000_000))),
		],
	])('rejects %s, and stores nothing', async (_, status, headers, body) => {
		const before = await newest();
		const response = await post(body, { 'content-type': JSON_TYPE, ...headers });
		expect(response.status).toBe(status);
		expect(await newest()).toEqual(before);
	});

	it('reads the fields of a GET like those of a form', async () => {
		const query = 'From=%2B233201110008&To=1234&Message=Arr%EAt';
		expect((await ask(`/sms?${query}`, {})).status).toBe(200);
		expect(await newest()).toMatchObject({ type: 'sms.inbound', data: { from: '+233201110008', message: 'Arrêt' } });
		const { id } = received.extend({ id: z.string() }).parse(await (await ask('?text=hi', {})).json());
		expect(await readEvent(relay, id)).toMatchObject({ type: 'unrecognized', body: 'text=hi' });
	});

	it('responds to a request that only looks whether the URL exists, and stores nothing', async () => {
		const before = await newest();
		const probes = [ask('', {}), ask('/sms?', {}), ask('?From=1', { method: 'HEAD' })];
		expect((await Promise.all(probes)).map(({ status }) => status)).toEqual([200, 200, 200]);
		const put = await ask('', { method: 'PUT', body: stop });
		expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
		expect((await fetch(`${relay.url}/in/wrong?From=1`)).status).toBe(404);
		expect(await newest()).toEqual(before);
	});

	it('stores an inbound message as SMS or WhatsApp, as the path says', async () => {
		const sms = await accept(relay, inbound(), { path: '/sms' });
		const whatsapp = await accept(relay, inbound(), { path: '/whatsapp' });
		expect((await readEvent(relay, sms.id ?? '')).type).toBe('sms.inbound');
		expect((await readEvent(relay, whatsapp.id ?? '')).type).toBe('whatsapp.inbound');
	});

	it('makes one event of each record of a request, and keeps one that it cannot read as unrecognized', async () => {
		const body = { results: [receipt('several-1', 'sent'), { color: 'several' }, receipt('several-2', 'sent')] };
		const response = await relay.post(body);
		expect(response.status).toBe(202);
		const events = (await listEvents(relay)).slice(0, 3).toReversed();
		expect(events.map(({ data }) => data.message_id ?? data.body)).toEqual([
			'several-1',
			{ color: 'several' },
			'several-2',
		]);
	});

	it.each([
		['text that is not JSON', 'Hello Kofi', 'text/plain'],
		['broken JSON', '{"message_id":', 'application/json'],
		['an object without known fields', '{"color":"blue"}', 'application/json'],
		['an empty body', '', 'application/json'],
	])('keeps %s in the log as unrecognized', async (_name, body, type) => {
		const id = await acceptUnrecognized(relay, body, type);
		expect(await readEvent(relay, id)).toMatchObject({ type: 'unrecognized', body, content_type: type });
	});

	it.each([
		['/sms', 'from=%2B233201110004&message=STOP', 'application/x-www-form-urlencoded'],
		['/sms', '{"from":"+233201110004","to":"1234","say":"STOP"}', 'application/json'],
		['/whatsapp', '{"who":"+233201110004","message":"STOP"}', 'application/json'],
	])('says that a STOP which it cannot read reaches no one, and counts it: %s %s', async (path, body, type) => {
		const before = await unrecognizedMessages(relay);
		// The same body at the callback URL is no message that was lost.
		await acceptUnrecognized(relay, body, type);
		expect(await unrecognizedMessages(relay)).toBe(before);
		const response = await relay.post(body, { type, path });
		expect(response.status).toBe(202);
		const { recognized, message } = received.parse(await response.json());
		expect(recognized).toBe(false);
		expect(message).toContain('a STOP in it is not forwarded to the service');
		expect(message).toContain('Send the fields from, to and message.');
		expect(await unrecognizedMessages(relay)).toBe(before + 1);
	});

	it('rejects a wrong secret and an unknown channel with 404, and stores nothing', async () => {
		const before = await listEvents(relay, '?limit=1');
		const wrong = await fetch(`${relay.url}/in/wrong-secret-000000000000000000`, { method: 'POST', body: '{}' });
		const channel = await relay.post(inbound(), { path: '/fax' });
		expect([wrong.status, channel.status]).toEqual([404, 404]);
		expect(await listEvents(relay, '?limit=1')).toEqual(before);
	});

	it('accepts a body of 256 KB and rejects a larger one with 413', async () => {
		const largest = receipt('large-1', 'sent', { note: '' });
		const note = 'x'.repeat(256 * 1024 - JSON.stringify(largest).length);
		expect((await relay.post({ ...largest, note })).status).toBe(200);
		expect((await relay.post({ ...largest, note: `${note}x` })).status).toBe(413);
	});

	it('accepts the next requests of a sender whose body was too large', async () => {
		expect((await relay.post({ note: 'x'.repeat(256 * 1024) })).status).toBe(413);
		for (let index = 0; index < 20; index += 1) await accept(relay, receipt(`after-large-${index}`, 'sent'));
	});

	it('keeps every digit of a long integer ID', async () => {
		const { id } = await accept(relay, '{"message_id":12345678901234567890123,"status":"sent","to":"+233201234567"}');
		const event = await readEvent(relay, id ?? '');
		expect(event.data.message_id).toBe('12345678901234567890123');
		expect(event.body).toContain('12345678901234567890123');
	});

	it('stores a text with NUL and a lone surrogate, and its neighbors of the same moment', async () => {
		const bad = `{"from":"+233201234567","to":"+233241234567","message":"Zero \\u0000 and half \\ud800 ${'é'.repeat(2_000)}"}`;
		const responses = await Promise.all(
			Array.from({ length: 30 }, async (_, index) =>
				index % 10 === 5
					? await relay.post(bad.replace('Zero', `Zero ${index}`), { path: '/sms' })
					: await relay.post(receipt(`neighbor-${index}`, 'sent')),
			),
		);
		expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
		const [bad5] = await listEvents(relay, '?q=Zero%205');
		const event = await readEvent(relay, bad5?.id ?? '');
		expect(event.data.message).toMatch(/^Zero 5 \uFFFD and half \uFFFD é/);
		// The request as it arrived.
		expect(event.body).toContain('\\u0000 and half \\ud800');
		expect(await listEvents(relay, '?q=neighbor-&limit=100')).toHaveLength(27);
	});

	it('has an event on disk before it responds', async () => {
		const receiver = await startReceiver();
		await subscribe(relay, { url: receiver.url });
		receiver.respond = () => 503;
		const ids: string[] = [];
		await relay.stop();
		for (let round = 0; round < 2; round += 1) {
			const killed = await database().startProcess({ env: QUICK_ENV });
			const { id } = await accept(killed, receipt(`durable-${round}`, 'sent'));
			await killed.kill();
			ids.push(id ?? '');
		}
		await database().abandonJobs();
		relay = await database().start({ settings: { ...QUICK, waits: { ...QUICK.waits, jobs: 1_000 } } });
		receiver.respond = () => 200;
		const events = await receiver.waitFor(2);
		expect(events.map(({ id }) => id).sort()).toEqual(ids.sort());
		await receiver.close();
	});
});
