import { z } from 'zod/v4';
import { describeOnEachDatabase } from '../support/relay/databases';
import { accept, acceptUnrecognized, listEvents, readEvent, subscribe } from '../support/relay/api';
import { inbound, receipt } from '../support/relay/requests';
import type { RelayProcess } from '../support/relay/relayProcess';
import { startReceiver } from '../support/relay/receiver';

const received = z.object({ recognized: z.boolean(), message: z.string() });
const status = z.object({ unrecognized_messages_24h: z.number() });

/** How many requests an alarm of the page is about. */
async function unrecognizedMessages(relay: RelayProcess): Promise<number> {
	return status.parse(await (await relay.api('GET', '/v1/status')).json()).unrecognized_messages_24h;
}

describeOnEachDatabase('ingest', (database) => {
	let relay: RelayProcess;

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

	it('stores an inbound message as SMS or WhatsApp, as the path says', async () => {
		const sms = await accept(relay, inbound(), { path: '/sms' });
		const whatsapp = await accept(relay, inbound(), { path: '/whatsapp' });
		expect((await readEvent(relay, sms.id ?? '')).type).toBe('sms.inbound');
		expect((await readEvent(relay, whatsapp.id ?? '')).type).toBe('whatsapp.inbound');
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
		['/sms', '{"from":"+233201110004","to":"1234","text":"STOP"}', 'application/json'],
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
		for (let round = 0; round < 2; round += 1) {
			const { id } = await accept(relay, receipt(`durable-${round}`, 'sent'));
			await relay.kill();
			ids.push(id ?? '');
			relay = await database().start();
		}
		receiver.respond = () => 200;
		const events = await receiver.waitFor(2, 60_000);
		expect(events.map(({ id }) => id).sort()).toEqual(ids.sort());
		await receiver.close();
	}, 120_000);
});
