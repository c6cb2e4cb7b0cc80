import { EventEmitter, once } from 'node:events';
import { relayedTrigger, startRelay, type RelayedOptions, type RelayedTrigger } from '../support/n8n/relayedTrigger';
import type { DeliveryOptions, StubEvent, StubRelay } from '../support/stubRelay';

const timestamp = '2026-11-22T10:00:00.000Z';
let sequence = 0;
const eventOf = (type: string, data: object): StubEvent => {
	sequence += 1;
	return { id: `evt_${sequence}`, type, timestamp, sequence, data: { event: type, ...data } };
};
const message = (words: string, more: object = {}) =>
	eventOf('sms.inbound', {
		...{ from: '+233201234567', to: 'KOFISHOP', message: words },
		...{ message_id: null, keyword: null, ...more },
	});
const receipt = (message_id: string, status: string) =>
	eventOf('message.status', {
		...{ message_id, status, to: '+233201234567', channel: 'sms' },
		provider_status: null,
	});
const alert = (balance: number) => eventOf('wallet.low_balance', { balance, threshold: 5, currency: 'GHS' });
const all = ['inboundSms', 'inboundWhatsapp', 'deliveryReceipt', 'lowBalance'];

/** A published trigger, and a function that delivers events to it. */
async function published(relay: StubRelay, options: RelayedOptions = {}) {
	const { parameters, ...more } = options;
	const trigger = await relayedTrigger(relay, { parameters: { triggerOn: all, ...parameters }, ...more });
	await trigger.activate();
	const deliver = async (events: StubEvent | readonly StubEvent[], deviations?: DeliveryOptions) =>
		await relay.deliver(trigger.registered(), events, deviations);
	const { started, executions } = trigger.served;
	return { ...trigger, deliver, started, executions };
}

/** Rejects the first `times` calls, as n8n's runner does without its database or Redis. */
const failing = (times: number) => {
	let left = times;
	return async () => await (left-- > 0 ? Promise.reject(new Error('SQLITE_BUSY: database is locked')) : undefined);
};

describe('an event from the relay', () => {
	it('starts the workflow with the fields of a direct event, and with the ID and the time of the relay', async () => {
		await using relay = await startRelay();
		await using trigger = await published(relay);
		const { deliver, started } = trigger;
		const events = [message('HELP'), receipt('12345678901234567890', 'delivered'), alert(4.2)];
		for (const event of events) expect(await deliver(event)).toEqual({ status: 200, body: { received: true } });
		const [help, delivered, low] = events;
		expect(started).toEqual([
			{ ...help?.data, keyword: 'help', event_id: help?.id, received_at: timestamp },
			{ ...delivered?.data, event_id: delivered?.id, received_at: timestamp },
			{ ...low?.data, event_id: low?.id, received_at: timestamp },
		]);
	});

	it('puts a relayed message on the output of its Custom Keyword', async () => {
		await using relay = await startRelay();
		const parameters = { customKeywords: 'HOURS', routeByKeyword: true };
		await using trigger = await published(relay, { parameters });
		const batch = [message('hours!'), message('Stop'), message('Hello'), message('hours'), receipt('m1', 'sent')];
		const { result } = await outputsOf(relay, trigger, batch);
		const outputs = result.workflowData?.map((items) => items.map(({ json }) => json.message ?? json.status));
		expect(outputs).toEqual([['Stop'], [], [], ['hours!', 'hours'], ['Hello', 'sent']]);
	});

	it('responds 200 to a relayed event that the filters drop', async () => {
		await using relay = await startRelay();
		const parameters = { filters: { keywords: ['custom'], statuses: ['failed'] }, customKeywords: 'HOURS' };
		await using trigger = await published(relay, { parameters });
		const { deliver, started } = trigger;
		const { status, body } = await deliver([message('Hello'), receipt('m2', 'delivered')]);
		expect([status, body]).toEqual([200, { received: true, started: false, reason: 'filtered out' }]);
		await deliver([message('HOURS'), message('Hello'), receipt('m3', 'failed')]);
		expect(started.map((item) => item.message ?? item.status)).toEqual(['HOURS', 'failed']);
	});

	it('counts relayed messages for Max Starts per Sender per Hour, also within a batch', async () => {
		await using relay = await startRelay();
		await using trigger = await published(relay, {
			parameters: { options: { maxStartsPerSenderPerHour: 2 } },
		});
		const { deliver, started } = trigger;
		await deliver([message('one'), message('two'), message('three'), message('four', { from: '+233207654321' })]);
		await deliver(message('five'));
		await deliver(message('STOP'));
		expect(started.map((item) => item.message)).toEqual(['one', 'two', 'four', 'STOP']);
	});

	it.each(['relay.test', 'relay.forward_failed'])(
		'responds 200 to an event of the type %s and starts nothing',
		async (type) => {
			await using relay = await startRelay();
			await using trigger = await published(relay);
			const { deliver, started } = trigger;
			expect((await deliver(eventOf(type, {}))).status).toBe(200);
			expect(started).toEqual([]);
		},
	);

	it('responds 200 to a relayed event that Trigger On does not include', async () => {
		await using relay = await startRelay();
		await using trigger = await published(relay, { parameters: { triggerOn: ['lowBalance'] } });
		const { deliver, started } = trigger;
		expect((await deliver(message('HOURS'))).status).toBe(200);
		expect(started).toEqual([]);
	});

	it('starts the workflow with a relayed unrecognized request if the option allows it', async () => {
		await using relay = await startRelay();
		await using trigger = await published(relay, {
			parameters: { options: { unrecognizedRequests: 'start' } },
		});
		const { deliver, started } = trigger;
		const event = eventOf('unrecognized', { body: { ping: 1 } });
		for (let tries = 0; tries < 2; tries += 1) await deliver(event);
		expect(started).toEqual([{ event: 'unrecognized', body: { ping: 1 }, event_id: event.id, received_at: timestamp }]);
	});

	it.each([
		['without an ID', { ...message('Hi'), id: '' }],
		['without data', { ...message('Hi'), data: undefined }],
		['with data of another type', { ...receipt('m4', 'sent'), data: message('Hi').data }],
		['with a message that is no text', message('Hi', { message: 7 })],
	])('rejects a relayed event %s with 422, so that the relay keeps it', async (_, event) => {
		await using relay = await startRelay();
		await using trigger = await published(relay);
		const { deliver, started } = trigger;
		expect((await deliver([message('Hello'), event as StubEvent])).status).toBe(422);
		expect(started).toEqual([]);
	});
});

describe('the signature of the relay', () => {
	const forged = (bytes: number) => `v1,${Buffer.alloc(bytes, 1).toString('base64')}`;
	it.each<[string, DeliveryOptions]>([
		['without a signature', { headers: { 'webhook-signature': undefined } }],
		['without an ID', { headers: { 'webhook-id': undefined } }],
		['without a timestamp', { headers: { 'webhook-timestamp': undefined } }],
		['with a signature by another key', { headers: { 'webhook-signature': forged(32) } }],
		['with a shorter signature', { headers: { 'webhook-signature': forged(16) } }],
		['with an empty signature', { headers: { 'webhook-signature': 'v1,' } }],
		['with a signature of another version only', { headers: { 'webhook-signature': forged(32).replace('v1', 'v2') } }],
		['with the ID of another event', { headers: { 'webhook-id': 'evt_other' } }],
		[
			'with a timestamp that was changed',
			{ headers: { 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 5) } },
		],
		['that is older than five minutes', { ageSeconds: 310 }],
		['that is more than five minutes ahead', { ageSeconds: -310 }],
	])('rejects a relayed event %s with 401', async (_, deviation) => {
		await using relay = await startRelay();
		await using trigger = await published(relay);
		const { deliver, started } = trigger;
		expect((await deliver(message('Hi'), deviation)).status).toBe(401);
		expect(started).toEqual([]);
		expect(trigger.engine.logged()).toEqual([expect.stringContaining('signature of the relay')]);
	});

	it('rejects a relayed event that was signed for another trigger of the same n8n', async () => {
		await using relay = await startRelay();
		await using one = await published(relay);
		await using two = await published(relay);
		const { url } = two.registered() ?? {};
		if (url === undefined) throw new Error('The trigger is not registered');
		expect((await one.deliver(message('Hi'), { url })).status).toBe(401);
	});

	it('rejects a request of a gateway that still uses the URL, and names the relay', async () => {
		await using relay = await startRelay();
		await using trigger = await published(relay);
		const { started } = trigger;
		const response = await fetch(trigger.registered()?.url ?? '', {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ From: '+233201234567', To: 'KOFISHOP', Message: 'HOURS' }),
		});
		expect([response.status, await response.text()]).toEqual([401, expect.stringContaining('through the relay only')]);
		expect(started).toEqual([]);
	});

	it.each([4 * 60, -4 * 60])('accepts a signature that is %i seconds old', async (ageSeconds) => {
		await using relay = await startRelay();
		await using trigger = await published(relay);
		const { deliver, started } = trigger;
		expect((await deliver(message('Hi'), { ageSeconds })).status).toBe(200);
		expect(started).toHaveLength(1);
	});

	it('accepts one right signature among several, as during a change of the secret', async () => {
		await using relay = await startRelay();
		await using trigger = await published(relay);
		const { started } = trigger;
		const event = message('Hi');
		const registered = trigger.registered();
		if (!registered) throw new Error('The trigger is not registered');
		const { headers: right } = relay.sign(registered, event);
		const headers = { ...right, 'webhook-signature': `${forged(32)} v2,x ${right['webhook-signature']}` };
		expect((await relay.deliver(registered, event, { headers })).status).toBe(200);
		expect(started).toHaveLength(1);
	});
});

describe('a batch from the relay', () => {
	it('starts one execution for a batch of 500 events, with their items in order', async () => {
		await using relay = await startRelay();
		await using trigger = await published(relay, {
			parameters: { options: { batchSize: 500 } },
		});
		const { deliver, started, executions } = trigger;
		const batch = Array.from({ length: 500 }, (_unused, index) => receipt(`batch-${index}`, 'delivered'));
		expect((await deliver(batch)).status).toBe(200);
		expect(executions).toEqual([500]);
		expect(started.map((item) => item.message_id)).toEqual(batch.map((_unused, index) => `batch-${index}`));
	});

	it('starts the workflow only with the new events of a batch', async () => {
		await using relay = await startRelay();
		await using trigger = await published(relay);
		const { deliver, started, executions } = trigger;
		const [one, two, three] = [message('one'), message('two'), message('three')];
		await deliver([one, two]);
		await deliver([one, two, three, three]);
		expect(started.map((item) => item.message)).toEqual(['one', 'two', 'three']);
		expect(executions).toEqual([2, 1]);
	});

	it('starts the workflow once for a batch that n8n does not accept at first', async () => {
		await using relay = await startRelay();
		await using trigger = await published(relay, { serve: { run: failing(2) } });
		const { deliver, started, executions } = trigger;
		const batch = [message('one'), receipt('m5', 'sent'), alert(3)];
		const statuses = [];
		for (let tries = 0; tries < 4; tries += 1) statuses.push((await deliver(batch)).status);
		expect(statuses).toEqual([500, 500, 200, 200]);
		expect([executions, started.length]).toEqual([[3], 3]);
	});
});

describe('an event that the relay repeats', () => {
	it.each<[string, () => StubEvent]>([
		['an inbound SMS', () => message('HOURS')],
		['a receipt', () => receipt('m6', 'delivered')],
		['a low balance', () => alert(2)],
	])('starts the workflow once for a repeated event that n8n does not accept at first: %s', async (_, make) => {
		await using relay = await startRelay();
		await using trigger = await published(relay, { serve: { run: failing(1) } });
		const { deliver, started } = trigger;
		const event = make();
		const statuses = [];
		for (let tries = 0; tries < 3; tries += 1) statuses.push((await deliver(event)).status);
		expect(statuses).toEqual([500, 200, 200]);
		expect(started).toHaveLength(1);
	});

	it('compares relayed events by their ID only, because equal words may arrive together after an outage', async () => {
		await using relay = await startRelay();
		await using trigger = await published(relay);
		const { deliver, started } = trigger;
		await deliver(message('HOURS'));
		await deliver(message('HOURS'));
		await deliver(receipt('m7', 'delivered'));
		await deliver(receipt('m7', 'sent'));
		expect(started.map((item) => item.message ?? item.status)).toEqual(['HOURS', 'HOURS', 'delivered', 'sent']);
	});

	it('starts each of two workflows with the same relayed event', async () => {
		await using relay = await startRelay();
		await using one = await published(relay);
		await using two = await published(relay);
		const event = message('HOURS');
		for (const { deliver } of [one, two]) await deliver(event);
		expect([one.started.length, two.started.length]).toEqual([1, 1]);
	});

	it('starts the workflow once more for each replay of an event', async () => {
		await using relay = await startRelay();
		await using trigger = await published(relay);
		const { deliver, started } = trigger;
		const event = message('HOURS');
		await deliver(event);
		for (const replay of [1, 1, 2]) await deliver(event, { replay });
		expect(started.map((item) => item.event_id)).toEqual([event.id, event.id, event.id]);
	});

	it('responds 503 to a repeated event while n8n still starts the workflow for it', async () => {
		await using relay = await startRelay();
		let accept: () => void = () => undefined;
		let stored = 0;
		const signs = new EventEmitter();
		const [storing, left] = [once(signs, 'storing'), once(signs, 'left')];
		await using trigger = await published(relay, {
			serve: {
				run: async () => {
					stored += 1;
					await new Promise<void>((resolve) => {
						accept = resolve;
						signs.emit('storing');
					});
				},
				onLeft: () => signs.emit('left'),
			},
		});
		const { deliver, started } = trigger;
		const [first, second] = [message('one'), message('two')];
		const caller = new AbortController();
		const firstTry = deliver(first, { signal: caller.signal }).catch(() => undefined);
		await storing;
		caller.abort();
		await Promise.all([firstTry, left]);
		expect((await deliver([second, first])).status).toBe(503);
		accept();
		await trigger.served.idle();
		expect((await deliver(first)).status).toBe(200);
		expect([stored, started.map((item) => item.message)]).toEqual([1, ['one']]);
	});
});

/** Delivers a batch and returns the outputs of the node. */
async function outputsOf(
	relay: StubRelay,
	{ engine, registered }: Pick<RelayedTrigger, 'engine' | 'registered'>,
	events: readonly StubEvent[],
) {
	const subscription = registered();
	if (!subscription) throw new Error('The trigger is not registered');
	const { headers, body } = relay.sign(subscription, events);
	return await engine.post({ body, headers });
}
