import type { INodeParameters } from 'n8n-workflow';
import { startTriggerEngine, type TriggerEngine } from '../support/n8n/triggerEngine';

const secret = 'k3yK3yAbCdEfGhIjKlMnOpQrStUvWxYz';
const everything = ['inboundSms', 'inboundWhatsapp', 'deliveryReceipt', 'lowBalance'];
const triggerWith = (options: INodeParameters = {}, more: INodeParameters = {}) =>
	startTriggerEngine(
		{ messagingServiceWebhookApi: { secret, previousSecret: '' } },
		{ triggerOn: everything, options, ...more },
	);
const text = { from: '+233201234567', to: 'KOFISHOP', message: 'YES' };
/** Counts the workflow starts for these requests, sent one after the other. */
async function starts(engine: TriggerEngine, bodies: readonly object[]): Promise<number> {
	let count = 0;
	for (const body of bodies) count += (await engine.post({ secret, body })).items.length;
	return count;
}
const statuses = async (engine: TriggerEngine, message_id: string, received: readonly string[]) => {
	const reported: unknown[] = [];
	for (const status of received) {
		const { items } = await engine.post({ secret, body: { message_id, status } });
		reported.push(...items.map((item) => item.status));
	}
	return reported;
};

afterEach(() => jest.useRealTimers());
const freezeClock = () =>
	jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'], now: Date.now() });

describe('twenty duplicates of a webhook at once', () => {
	it.each<[string, object]>([
		['a receipt', { message_id: 'm20', status: 'delivered' }],
		['a message', text],
		['a message with an ID', { ...text, message_id: '20' }],
		['a low-balance alert', { balance: 4.2, threshold: 5 }],
	])(
		'starts the workflow once for twenty concurrent duplicates of %s, and responds to each with 200',
		async (_, body) => {
			const engine = await triggerWith();
			const received = await Promise.all(Array.from({ length: 20 }, () => engine.post({ secret, body })));
			expect(received.flatMap(({ items }) => items)).toHaveLength(1);
			expect(received.map(({ status }) => status)).toEqual(received.map(() => 200));
			const others = received
				.filter(({ items }) => items.length === 0)
				.map(({ result }) => result.webhookResponse as unknown);
			expect(others).toEqual(others.map(() => ({ received: true, started: false, reason: 'duplicate' })));
		},
	);

	it.each(['message_id', 'id', 'sms_id', 'msgId', 'SmsMessageSid', 'uuid', 'timestamp', 'received_at'])(
		'starts the workflow for the same word with another %s, and not for a repeated request',
		async (key) => {
			const [first, second] = [
				{ ...text, [key]: 'a' },
				{ ...text, [key]: 'b' },
			];
			expect(await starts(await triggerWith(), [first, first, second, second])).toBe(2);
		},
	);

	it('starts the workflow for each recipient of a bulk send whose messages share an ID', async () => {
		const sent = (to: string) => ({ message_id: 'bulk', status: 'delivered', to });
		const [one, other] = [sent('+233201234567'), sent('+233201234568')];
		expect(await starts(await triggerWith(), [one, other, one, { results: [one, other] }])).toBe(2);
	});

	it('starts each of two workflows once for a duplicate webhook', async () => {
		const [one, other] = [await triggerWith(), await triggerWith()];
		expect([await starts(one, [text, text]), await starts(other, [text, text])]).toEqual([1, 1]);
	});

	it('starts a test in the editor for each duplicate webhook', async () => {
		const engine = await triggerWith();
		for (const body of [text, text, { message_id: 'm', status: 'sent' }, { message_id: 'm', status: 'sent' }]) {
			expect((await engine.post({ secret, body, mode: 'manual' })).items).toHaveLength(1);
		}
		expect(await starts(engine, [text])).toBe(1);
	});
});

describe('an inbound message with the same words', () => {
	it('counts the same words from the same number as a duplicate for a minute', async () => {
		freezeClock();
		const engine = await triggerWith();
		expect(await starts(engine, [text, text])).toBe(1);
		jest.advanceTimersByTime(59_000);
		expect(await starts(engine, [text])).toBe(0);
		jest.advanceTimersByTime(1_000);
		expect(await starts(engine, [text])).toBe(1);
	});

	it('does not count another sender, recipient, message or ID as a duplicate', async () => {
		const others = [
			{ from: '+233201234568' },
			{ to: '1234' },
			{ message: 'NO' },
			{ message_id: '1' },
			{ message_id: '2' },
		];
		expect(await starts(await triggerWith(), [text, ...others.map((other) => ({ ...text, ...other }))])).toBe(6);
	});

	it('counts no message without an ID as a duplicate with a Deduplication Window of 0', async () => {
		expect(await starts(await triggerWith({ deduplicationWindowSeconds: 0 }), [text, text])).toBe(2);
	});

	it('counts the same message ID as a duplicate for a day, whatever the Deduplication Window', async () => {
		freezeClock();
		const engine = await triggerWith({ deduplicationWindowSeconds: 0 });
		const named = { ...text, message_id: '77' };
		expect(await starts(engine, [named, named])).toBe(1);
		jest.advanceTimersByTime(23 * 3_600_000);
		expect(await starts(engine, [named])).toBe(0);
	});
});

describe('receipts of a message', () => {
	it.each([
		[
			['submitted', 'sent', 'delivered'],
			['submitted', 'sent', 'delivered'],
		],
		[['delivered', 'sent', 'submitted', 'delivered'], ['delivered']],
		[
			['sent', 'submitted', 'sent', 'failed', 'sent'],
			['sent', 'failed'],
		],
		[['delivered', 'failed'], ['delivered']],
		[['Sent', 'SENT', ' sent '], ['sent']],
		[
			['enroute?', 'sent', 'enroute?', 'delivered'],
			['enroute?', 'sent', 'delivered'],
		],
		[
			['delivered', 'read', 'delivered'],
			['delivered', 'read'],
		],
	])('reports the statuses %j as %j, since a message never goes back', async (received, reported) => {
		expect(await statuses(await triggerWith(), 'm1', received)).toEqual(reported);
	});

	it('tracks the status of each message separately', async () => {
		const engine = await triggerWith();
		expect(await statuses(engine, 'm1', ['delivered'])).toEqual(['delivered']);
		expect(await statuses(engine, 'm2', ['sent', 'delivered'])).toEqual(['sent', 'delivered']);
	});

	it('updates the status of a message with receipts that the filters drop', async () => {
		const engine = await triggerWith({}, { filters: { statuses: ['sent', 'failed'] } });
		expect(await statuses(engine, 'm1', ['delivered', 'sent', 'failed'])).toEqual([]);
	});
});

describe('a low-balance alert', () => {
	it('reports an alert with another amount at once, and with the same amount after ten minutes', async () => {
		freezeClock();
		const engine = await triggerWith();
		const alert = { balance: 4, threshold: 5, currency: 'GHS' };
		expect(await starts(engine, [alert, alert, { ...alert, balance: 3.95 }])).toBe(2);
		jest.advanceTimersByTime(600_000);
		expect(await starts(engine, [alert])).toBe(1);
	});
});

describe('inbound messages of one sender', () => {
	const words = (count: number, from = text.from) =>
		Array.from({ length: count }, (_, index) => ({ ...text, from, message: `word ${index} ${Math.random()}` }));

	it('starts the workflow at most Max Starts per Sender per Hour times, and other senders are not affected', async () => {
		freezeClock();
		const engine = await triggerWith({ maxStartsPerSenderPerHour: 3 });
		expect(await starts(engine, words(5))).toBe(3);
		expect(await starts(engine, words(2, '+233201234599'))).toBe(2);
		expect(engine.logged()).toEqual([expect.stringMatching(/\b3 times\b/)]);
		jest.advanceTimersByTime(3_600_000);
		expect(await starts(engine, words(1))).toBe(1);
	});

	it('limits a sender to sixty starts per hour by default, and to none with 0', async () => {
		expect(await starts(await triggerWith(), words(70))).toBe(60);
		expect(await starts(await triggerWith({ maxStartsPerSenderPerHour: 0 }), words(70))).toBe(70);
	});

	it("accepts STOP beyond the sender's limit, but not indefinitely", async () => {
		const engine = await triggerWith({ maxStartsPerSenderPerHour: 3, deduplicationWindowSeconds: 0 });
		expect(await starts(engine, words(5))).toBe(3);
		expect(await starts(engine, [{ ...text, message: 'STOP' }])).toBe(1);
		expect(
			await starts(
				engine,
				Array.from({ length: 9 }, () => ({ ...text, message: 'STOP' })),
			),
		).toBe(2);
	});

	it('ends with STOP after a quick STOP, START and STOP', async () => {
		const engine = await triggerWith();
		const keywords: unknown[] = [];
		for (const message of ['STOP', 'STOP', 'START', 'STOP', 'START']) {
			const { items } = await engine.post({ secret, body: { ...text, message } });
			keywords.push(...items.map(({ keyword }) => keyword));
		}
		// The last START may be a duplicate of the first. Do not message a recipient because of it.
		expect(keywords).toEqual(['stop', 'start', 'stop']);
	});

	it('does not count filtered messages for Max Starts per Sender per Hour', async () => {
		const engine = await triggerWith({ maxStartsPerSenderPerHour: 1 }, { filters: { keywords: ['help'] } });
		expect(await starts(engine, [...words(5), { ...text, message: 'HELP' }])).toBe(1);
	});
});
