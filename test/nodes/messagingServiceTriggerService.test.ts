import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { closedPort } from '../support/closedPort';
import { endRetryWaits } from '../support/endRetryWaits';
import { listen, matching, PHONE, run, type TestSandbox } from '../support/testSandbox';
import { serveTrigger } from '../support/n8n/serveTrigger';
import { startTriggerEngine } from '../support/n8n/triggerEngine';

endRetryWaits();

const secret = 'k3yK3yAbCdEfGhIjKlMnOpQrStUvWxYz';

let service: TestSandbox;
beforeAll(async () => {
	service = await run();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(async () => {
	await service.control('POST', 'reset');
});

const triggerWith = (
	parameters: INodeParameters,
	baseUrl = service.sandbox.baseUrl,
	credential: ICredentialDataDecryptedObject = {},
) =>
	startTriggerEngine(
		{
			messagingServiceWebhookApi: { secret, previousSecret: '' },
			messagingServiceApi: { baseUrl, apiKey: service.sandbox.apiKey, authHeader: 'X-API-Key', ...credential },
		},
		parameters,
	);
const ask = async (path: string): Promise<unknown> => (await service.control('GET', path)).body;
const settings = async (change: object) => expect((await service.control('PUT', 'settings', change)).status).toBe(200);
const fault = async (fault: object) =>
	expect((await service.control('POST', 'faults', fault)).status).toBeLessThan(300);

describe('Forward Inbound SMS', () => {
	const forwarding = (more: INodeParameters = {}, baseUrl?: string) =>
		triggerWith({ triggerOn: ['inboundSms'], forwardInboundSms: true, ...more }, baseUrl);
	const text = (message: string, more: object = {}) => ({ from: PHONE, to: 'KOFISHOP', message, ...more });
	const inbox = async () => (await ask('inbox')) as Array<{ message: string; from: string }>;
	const optOuts = async () => ((await ask('opt-outs')) as Array<{ number: string }>).map(({ number }) => number);

	it("forwards a message to the service's inbox and marks the item as forwarded", async () => {
		const { items } = await (await forwarding()).post({ secret, body: text('HOURS') });
		expect(items).toEqual([expect.objectContaining({ message: 'HOURS', forwarded: true })]);
		expect(items[0]).not.toHaveProperty('forward_error');
		expect(await inbox()).toEqual([expect.objectContaining({ from: PHONE, to: 'KOFISHOP', message: 'HOURS' })]);
	});

	it("forwards a gateway's STOP in the documented fields, also one of several in a request", async () => {
		const engine = await forwarding({ triggerOn: ['inboundSms', 'inboundWhatsapp'] });
		const twilio = { SmsMessageSid: 'SM1', SmsStatus: 'received', Body: 'STOP', To: 'KOFISHOP', From: PHONE };
		const contentType = 'application/x-www-form-urlencoded';
		const { items } = await engine.post({ secret, contentType, body: twilio });
		expect(items).toEqual([expect.objectContaining({ event: 'sms.inbound', keyword: 'stop', forwarded: true })]);
		expect(await optOuts()).toEqual([PHONE]);
		const results = ['HOURS', 'PRICE'].map((words, id) => ({ from: PHONE, to: 'KOFISHOP', text: words, id }));
		await engine.post({ secret, body: { results } });
		expect((await inbox()).map(({ message }) => message).sort()).toEqual(['HOURS', 'PRICE', 'STOP']);
	});

	it.each<[string, INodeParameters, string[]]>([
		['accepted', {}, ['STOP']],
		['filtered out', { filters: { keywords: ['none'] } }, []],
		['beyond the sender’s limit', { options: { maxStartsPerSenderPerHour: 1 } }, ['hello', 'STOP']],
	])('forwards a STOP that is %s, and the service opts the sender out', async (_, more, started) => {
		const engine = await forwarding(more);
		if (started.includes('hello')) expect((await engine.post({ secret, body: text('hello') })).items).toHaveLength(1);
		const { items } = await engine.post({ secret, body: text('STOP') });
		expect(items.map(({ message }) => message)).toEqual(started.filter((message) => message === 'STOP'));
		expect(await optOuts()).toEqual([PHONE]);
		expect((await service.send({ to: PHONE })).status).toBe(422);
	});

	it.each(['„Stop!“', 'EXIT', 'Stop kofishop pls', 'STOP AMASHOP'])(
		'forwards the opt-out %j with a plain STOP, and the service opts the sender out',
		async (message) => {
			const { items } = await (
				await forwarding({ options: { senderIds: 'AMASHOP' } })
			).post({ secret, body: text(message) });
			expect(items).toEqual([expect.objectContaining({ keyword: 'stop', forwarded: true, message })]);
			expect(await optOuts()).toEqual([PHONE]);
			expect((await inbox()).map((inbound) => inbound.message).sort()).toEqual([message, 'STOP'].sort());
		},
	);

	it('forwards a STOP with the name of another shop once, and opts no one out', async () => {
		const { items } = await (await forwarding()).post({ secret, body: text('STOP AMASHOP') });
		expect(items).toEqual([expect.objectContaining({ keyword: null, forwarded: true })]);
		expect(await inbox()).toHaveLength(1);
		expect(await optOuts()).toEqual([]);
	});

	it.each(['delivered', 'accepted', 'sent'])(
		'forwards a STOP with the status %s, and the service opts the sender out',
		async (status) => {
			const engine = await triggerWith({
				triggerOn: ['inboundSms', 'deliveryReceipt'],
				forwardInboundSms: true,
			});
			const { items } = await engine.post({ secret, body: text('STOP', { id: 'in-1', status }) });
			expect(items).toEqual([
				expect.objectContaining({ event: 'sms.inbound', keyword: 'stop', forwarded: true, message_id: 'in-1' }),
			]);
			expect(await optOuts()).toEqual([PHONE]);
		},
	);

	it('does not forward a forged STOP', async () => {
		const { status } = await (await forwarding()).post({ secret: 'forged', body: text('STOP') });
		expect(status).toBe(404);
		expect(await optOuts()).toEqual([]);
	});

	it('responds to the caller before it forwards the message', async () => {
		await fault({ endpoint: 'sms.inbound', kind: 'delay', milliseconds: 500 });
		let respondedAt = Infinity;
		const onResponse = () => (respondedAt = performance.now());
		const { items } = await (await forwarding()).post({ secret, body: text('HOURS'), onResponse });
		expect(items).toEqual([expect.objectContaining({ forwarded: true })]);
		expect(performance.now() - respondedAt).toBeGreaterThan(250);
	});

	it.each<[string, object, number]>([
		['responds with 503 twice', { kind: 'answer', status: 503, times: 2 }, 1],
		['drops the connection', { kind: 'drop_before' }, 1],
		['responds with a web page', { kind: 'html', status: 200 }, 0],
	])('retries forwarding if the service %s', async (_, going, kept) => {
		await fault({ endpoint: 'sms.inbound', ...going });
		const { items } = await (await forwarding()).post({ secret, body: text('HOURS') });
		expect(items).toEqual([expect.objectContaining({ forwarded: true })]);
		expect(await inbox()).toHaveLength(kept);
	});

	it("reports a failed forward in the service's own words", async () => {
		const closed = { message: 'The inbox is closed.' };
		await fault({ endpoint: 'sms.inbound', kind: 'answer', status: 403, body: closed });
		const engine = await forwarding();
		const { items } = await engine.post({ secret, body: text('HOURS') });
		expect(items).toEqual([
			expect.objectContaining({
				message: 'HOURS',
				forwarded: false,
				forward_error: expect.stringContaining(closed.message) as string,
			}),
		]);
		expect(engine.logged()).toEqual([expect.stringMatching(/forwarded.*HTTP 403/)]);
	});

	it('reports a failed forward of a message that starts nothing as an event without a sender', async () => {
		const port = await closedPort();
		const engine = await forwarding({ filters: { keywords: ['help'] } }, `http://127.0.0.1:${port}/api/v1/`);
		const { items } = await engine.post({ secret, body: text('STOP') });
		expect(items).toEqual([
			expect.objectContaining({
				event: 'forward.failed',
				error: expect.stringContaining('ECONNREFUSED') as string,
				not_started: 'filtered out',
				payload: expect.objectContaining({ from: PHONE, message: 'STOP' }) as object,
			}),
		]);
		for (const key of ['from', 'message', 'keyword']) expect(items[0]).not.toHaveProperty(key);
	});

	it('does not forward to a relay as Base URL, and says how to receive then', async () => {
		await using relay = await listen();
		const parameters = { triggerOn: ['inboundSms'], forwardInboundSms: true };
		const engine = await triggerWith(parameters, relay.url, { baseUrlIsRelay: true });
		expect((await engine.post({ secret, body: text('HOURS') })).items).toEqual([
			expect.objectContaining({
				forwarded: false,
				forward_error: expect.stringContaining('set Receive Through to Relay') as string,
			}),
		]);
		expect(relay.received).toEqual([]);
	});

	it("forwards without the caller's headers or the API key", async () => {
		await using receiver = await listen();
		const engine = await forwarding({}, receiver.url);
		await engine.post({ secret, body: text('HOURS'), headers: { 'x-sandbox-text': 'text-1', 'x-other': '1' } });
		expect(receiver.received).toHaveLength(1);
		const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
		expect(JSON.parse(body)).toEqual({ From: PHONE, To: 'KOFISHOP', Message: 'HOURS' });
		expect(headers).toMatchObject({ 'x-passed-on-by': matching(/^[\w-]{22}$/) });
		for (const name of ['x-api-key', 'x-sandbox-text', 'x-other']) expect(headers).not.toHaveProperty(name);
		expect(await inbox()).toEqual([]);
	});

	it("stores a message of the sandbox's phones once, although it arrives directly and forwarded", async () => {
		const engine = await forwarding();
		await using served = await serveTrigger(engine, secret);
		await settings({ inbound_url: served.url, inbound_to_service: true });
		await service.control('POST', `phones/${encodeURIComponent(PHONE)}/texts`, { to: 'KOFISHOP', message: 'STOP' });
		await service.control('POST', 'settle');
		await served.idle();
		expect(served.started).toEqual([expect.objectContaining({ keyword: 'stop', forwarded: true })]);
		expect(await inbox()).toHaveLength(1);
		expect(await optOuts()).toEqual([PHONE]);
	});

	it('rejects a message that it forwarded itself, but accepts one from another trigger', async () => {
		await using receiver = await listen();
		const engine = await forwarding({}, receiver.url);
		await engine.post({ secret, body: text('HOURS') });
		const forwardedBy = String(receiver.received[0]?.headers['x-passed-on-by']);
		const { result } = await engine.post({
			secret,
			body: text('again'),
			headers: { 'x-passed-on-by': `other, ${forwardedBy}` },
		});
		expect(result.webhookResponse).toEqual({ received: true, started: false, reason: 'already forwarded' });
		expect(receiver.received).toHaveLength(1);
		const other = await forwarding({}, receiver.url);
		expect(
			(await other.post({ secret, body: text('HOURS'), headers: { 'x-passed-on-by': forwardedBy } })).items,
		).toHaveLength(1);
		expect(receiver.received[1]?.headers['x-passed-on-by']).toMatch(new RegExp(`^${forwardedBy},[\\w-]{22}$`));
		const many = Array.from({ length: 10 }, (_, index) => `trigger-${index}`).join(',');
		expect((await other.post({ secret, body: text('far'), headers: { 'x-passed-on-by': many } })).items).toEqual([]);
	});

	it('forwards STOP again when its first forward failed', async () => {
		await fault({ endpoint: 'sms.inbound', kind: 'answer', status: 403 });
		const engine = await forwarding();
		expect((await engine.post({ secret, body: text('STOP') })).items).toEqual([
			expect.objectContaining({ forwarded: false }),
		]);
		expect((await engine.post({ secret, body: text('STOP') })).items).toEqual([
			expect.objectContaining({ forwarded: true }),
		]);
		expect(await optOuts()).toEqual([PHONE]);
	});

	it('ends a forwarding loop through a receiver that returns messages without the forward header', async () => {
		// Each forwarded message returns at once, as a new one.
		let coming: Array<Promise<unknown>> = [];
		await using mirror = await listen();
		const options = { deduplicationWindowSeconds: 0, maxStartsPerSenderPerHour: 0 };
		const looping = await forwarding({ options }, mirror.url);
		let starts = 0;
		const post = async () => {
			const before = mirror.received.length;
			starts += (await looping.post({ secret, body: text('HOURS') })).items.length;
			if (mirror.received.length > before) coming.push(post());
		};
		coming.push(post());
		while (coming.length > 0) {
			const now = coming;
			coming = [];
			await Promise.all(now);
		}
		expect({ starts, passed: mirror.received.length }).toEqual({ starts: 6, passed: 5 });
		expect(looping.logged()).toEqual([expect.stringContaining('forwarding loop')]);
	});
});

describe("the service's own callbacks", () => {
	it.each(['flat', 'data', 'message', 'pascal'])(
		'turns callbacks in the shape %s into the same items, as JSON and as forms',
		async (callback_shape) => {
			const seen: unknown[] = [];
			for (const callback_format of ['json', 'form']) {
				await service.control('POST', 'reset');
				await using served = await serveTrigger(
					await triggerWith({ triggerOn: ['deliveryReceipt', 'lowBalance'] }),
					secret,
				);
				await settings({ callback_url: served.url, callback_shape, callback_format, low_balance_threshold: 39.97 });
				const { message_id } = await service.sent({ to: '+233990000012' });
				await service.advance(60_000);
				await service.control('POST', 'settle');
				await served.idle();
				const known: Array<Record<string, unknown>> = served.started.map((item) => ({
					...item,
					body: '',
					received_at: '',
					message_id: '',
					ours: item.message_id === message_id,
				}));
				expect(known).toContainEqual(
					expect.objectContaining({ event: 'wallet.low_balance', balance: 39.95, threshold: 39.97 }),
				);
				// The service sends each callback three times.
				expect(
					known
						.filter(({ event }) => event === 'message.status')
						.map(({ status }) => status)
						.sort(),
				).toEqual(['delivered', 'sent']);
				expect(known.every(({ event, ours }) => event !== 'message.status' || ours === true)).toBe(true);
				seen.push(known);
			}
			expect(seen[0]).toEqual(expect.arrayContaining(seen[1] as unknown[]));
		},
	);

	it('keeps receipts that arrive before the send response, and ignores late ones with an earlier status', async () => {
		await using served = await serveTrigger(await triggerWith({ triggerOn: ['deliveryReceipt'] }), secret);
		await settings({ callback_url: served.url });
		await service.sent({ to: '+233990000010' });
		await service.control('POST', 'settle');
		await served.idle();
		expect(served.started.map(({ status }) => status)).toContain('sent');
		const { message_id } = await service.sent({ to: '+233990000011' });
		// The receipt for sent is five seconds late. The test processes each receipt before it sends the next.
		for (const milliseconds of [2_000, 60_000]) {
			await service.advance(milliseconds);
			await service.control('POST', 'settle');
			await served.idle();
		}
		const reported = served.started.filter((item) => item.message_id === message_id).map(({ status }) => status);
		expect(reported).toEqual(['delivered']);
		expect(served.statuses.every((status) => status === 200)).toBe(true);
	});
});
