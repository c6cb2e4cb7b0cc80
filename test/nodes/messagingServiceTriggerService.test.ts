import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { closedPort } from '../support/closedPort';
import { endRetryWaits } from '../support/endRetryWaits';
import { skipWaits } from '../support/skipWaits';
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
	const forwarding = (more: INodeParameters = {}) =>
		triggerWith({ triggerOn: ['inboundSms'], beforeStarting: ['forwardInboundSms'], ...more });
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
				beforeStarting: ['forwardInboundSms', 'confirm'],
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
		const engine = await forwarding({
			filters: { keywords: ['help'] },
			options: { forwardUrl: `http://127.0.0.1:${port}/webhooks/inbound/sms` },
		});
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

	it('does not forward to a relay as Base URL, and asks for a Forward URL', async () => {
		await using relay = await listen();
		const parameters = { triggerOn: ['inboundSms'], beforeStarting: ['forwardInboundSms'] };
		const engine = await triggerWith(parameters, relay.url, { baseUrlIsRelay: true });
		expect((await engine.post({ secret, body: text('HOURS') })).items).toEqual([
			expect.objectContaining({
				forwarded: false,
				forward_error: expect.stringContaining('enter the address of the service') as string,
			}),
		]);
		expect(relay.received).toEqual([]);
	});

	it("forwards to the Forward URL without the caller's headers or the API key", async () => {
		await using receiver = await listen();
		const engine = await forwarding({ options: { forwardUrl: receiver.url } });
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
		const engine = await forwarding({ options: { forwardUrl: receiver.url } });
		await engine.post({ secret, body: text('HOURS') });
		const forwardedBy = String(receiver.received[0]?.headers['x-passed-on-by']);
		const { result } = await engine.post({
			secret,
			body: text('again'),
			headers: { 'x-passed-on-by': `other, ${forwardedBy}` },
		});
		expect(result.webhookResponse).toEqual({ received: true, started: false, reason: 'already forwarded' });
		expect(receiver.received).toHaveLength(1);
		const other = await forwarding({ options: { forwardUrl: receiver.url } });
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

	it('does not forward a message to itself', async () => {
		const parameters = {
			triggerOn: ['inboundSms'],
			beforeStarting: ['forwardInboundSms'],
			options: { forwardUrl: '' },
		};
		const engine = await triggerWith(parameters);
		await using served = await serveTrigger(engine, secret);
		parameters.options.forwardUrl = served.url;
		const { items } = await engine.post({ secret, body: text('HOURS') });
		expect(items).toEqual([
			expect.objectContaining({
				forwarded: false,
				forward_error: expect.stringContaining('this trigger') as string,
			}),
		]);
		expect(served.statuses).toEqual([]);
	});

	it('ends a forwarding loop through a receiver that returns messages without the forward header', async () => {
		// Each forwarded message returns at once, as a new one.
		let coming: Array<Promise<unknown>> = [];
		await using mirror = await listen();
		const looping = await triggerWith({
			triggerOn: ['inboundSms'],
			beforeStarting: ['forwardInboundSms'],
			options: { deduplicationWindowSeconds: 0, maxStartsPerSenderPerHour: 0, forwardUrl: mirror.url },
		});
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

describe('Confirm with the Service', () => {
	const confirming = (more: INodeParameters = {}, baseUrl?: string) =>
		triggerWith({ triggerOn: ['deliveryReceipt', 'lowBalance'], beforeStarting: ['confirm'], ...more }, baseUrl);

	it("uses the service's status of a message, and reports each status once", async () => {
		using _ = skipWaits(1_000, 3_000);
		const engine = await confirming();
		const { message_id } = await service.sent();
		const forged = await engine.post({ secret, body: { message_id, status: 'failed' } });
		expect(forged.items).toEqual([
			expect.objectContaining({
				message_id,
				status: 'submitted',
				confirmed: true,
				channel: 'sms',
				body: { message_id, status: 'failed' },
			}),
		]);
		expect((await engine.post({ secret, body: { message_id, status: 'failed' } })).items).toEqual([]);
		await service.advance(60_000);
		const [first, second] = await Promise.all([
			engine.post({ secret, body: { message_id, status: 'delivered' } }),
			engine.post({ secret, body: { message_id, status: 'delivered' } }),
		]);
		expect([...first.items, ...second.items]).toEqual([
			expect.objectContaining({ message_id, status: 'delivered', provider_status: 'DELIVRD', confirmed: true }),
		]);
	});

	it('ignores a receipt for a message that the service does not know, and logs it', async () => {
		using waits = skipWaits(1_000, 3_000);
		const engine = await confirming();
		const { items, status } = await engine.post({ secret, body: { message_id: 'forged', status: 'delivered' } });
		expect({ items, status, waits: waits.lengths }).toEqual({ items: [], status: 200, waits: [1_000, 3_000] });
		expect(engine.logged()).toEqual([expect.stringContaining('does not know')]);
	});

	it('retries if the service does not know the message yet', async () => {
		const { message_id } = await service.sent();
		await fault({ endpoint: 'message.get', kind: 'answer', status: 404, body: { message: 'Not found' } });
		const { items } = await (await confirming()).post({ secret, body: { message_id, status: 'submitted' } });
		expect(items).toEqual([expect.objectContaining({ message_id, confirmed: true })]);
	});

	it('retries if the service reports an earlier status', async () => {
		using _ = skipWaits(1_000);
		const { message_id } = await service.sent();
		await service.advance(60_000);
		const behind = { message_id, status: 'sent', channel: 'sms' };
		await fault({ endpoint: 'message.get', kind: 'answer', status: 200, body: behind });
		const { items } = await (await confirming()).post({ secret, body: { message_id, status: 'delivered' } });
		expect(items).toEqual([expect.objectContaining({ status: 'delivered', confirmed: true })]);
	});

	it('responds to the caller before it asks the service', async () => {
		const { message_id } = await service.sent();
		await fault({ endpoint: 'message.get', kind: 'delay', milliseconds: 500 });
		let respondedAt = Infinity;
		const onResponse = () => (respondedAt = performance.now());
		await (await confirming()).post({ secret, body: { message_id, status: 'submitted' }, onResponse });
		expect(performance.now() - respondedAt).toBeGreaterThan(250);
	});

	it.each([
		['message_id', { message_id: 'm1', status: 'delivered' }],
		['balance', { balance: 3, threshold: 5 }],
	])("reports a failed confirmation as an item without %s, in the service's own words", async (key, body) => {
		const words = { message: 'This key may not read.' };
		for (const endpoint of ['message.get', 'wallet.getBalance']) {
			await fault({ endpoint, kind: 'answer', status: 403, body: words });
		}
		const engine = await confirming();
		const { items } = await engine.post({ secret, body });
		expect(items).toEqual([
			expect.objectContaining({
				event: 'confirmation.failed',
				error: expect.stringContaining(words.message) as string,
				payload: expect.objectContaining(body) as object,
			}),
		]);
		for (const absent of [key, 'status']) expect(items[0]).not.toHaveProperty(absent);
		expect(engine.logged()).toEqual([expect.stringContaining('HTTP 403')]);
		// The event was not processed, so a duplicate asks the service again.
		await service.control('DELETE', 'faults');
		if (key === 'balance') {
			await service.control('POST', 'wallet/adjust', { amount: -37 });
			expect((await engine.post({ secret, body })).items).toEqual([expect.objectContaining({ confirmed: true })]);
		}
	});

	it('ignores a low-balance alert that the service does not confirm, and reports a confirmed balance', async () => {
		const engine = await confirming();
		expect((await engine.post({ secret, body: { balance: 3, threshold: 5 } })).items).toEqual([]);
		expect(engine.logged()).toEqual([expect.stringContaining('does not confirm')]);
		await service.control('POST', 'wallet/adjust', { amount: -36 });
		expect((await engine.post({ secret, body: { balance: 3, threshold: 5 } })).items).toEqual([
			expect.objectContaining({
				event: 'wallet.low_balance',
				balance: 4,
				threshold: 5,
				currency: 'GHS',
				confirmed: true,
			}),
		]);
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
