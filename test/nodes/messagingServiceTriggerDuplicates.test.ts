import type { INodeParameters } from 'n8n-workflow';
import { startTriggerEngine, type TriggerEngine } from './triggerEngine';

const secret = 'k3yK3yAbCdEfGhIjKlMnOpQrStUvWxYz';
const everything = ['inboundSms', 'inboundWhatsapp', 'deliveryReceipt', 'lowBalance'];
const triggerWith = (options: INodeParameters = {}, more: INodeParameters = {}) =>
	startTriggerEngine(
		{ messagingServiceWebhookApi: { secret, previousSecret: '' } },
		{ triggerOn: everything, options, ...more },
	);
const text = { from: '+233201234567', to: 'KOFISHOP', message: 'YES' };
/** How many of these start the workflow, one after the other. */
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
const standStill = () =>
	jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'], now: Date.now() });

describe('the same post twenty times at once', () => {
	it.each<[string, object]>([
		['a receipt', { message_id: 'm20', status: 'delivered' }],
		['a text', text],
		['a text with an id', { ...text, message_id: '20' }],
		['a low balance', { balance: 4.2, threshold: 5 }],
	])('%s starts the workflow once, and every sender hears 200', async (_, body) => {
		const engine = await triggerWith();
		const received = await Promise.all(Array.from({ length: 20 }, () => engine.post({ secret, body })));
		expect(received.flatMap(({ items }) => items)).toHaveLength(1);
		expect(received.map(({ status }) => status)).toEqual(received.map(() => 200));
		const others = received
			.filter(({ items }) => items.length === 0)
			.map(({ result }) => result.webhookResponse as unknown);
		expect(others).toEqual(others.map(() => ({ received: true, started: false, reason: 'duplicate' })));
	});

	it('starts each of two workflows once', async () => {
		const [one, other] = [await triggerWith(), await triggerWith()];
		expect([await starts(one, [text, text]), await starts(other, [text, text])]).toEqual([1, 1]);
	});

	it('starts one every time while somebody listens in the editor', async () => {
		const engine = await triggerWith();
		for (const body of [text, text, { message_id: 'm', status: 'sent' }, { message_id: 'm', status: 'sent' }]) {
			expect((await engine.post({ secret, body, mode: 'manual' })).items).toHaveLength(1);
		}
		expect(await starts(engine, [text])).toBe(1);
	});
});

describe('the same words again', () => {
	it('from the same person count after a minute', async () => {
		standStill();
		const engine = await triggerWith();
		expect(await starts(engine, [text, text])).toBe(1);
		jest.advanceTimersByTime(59_000);
		expect(await starts(engine, [text])).toBe(0);
		jest.advanceTimersByTime(1_000);
		expect(await starts(engine, [text])).toBe(1);
	});

	it('from others, to others and other words count at once', async () => {
		const others = [
			{ from: '+233201234568' },
			{ to: '1234' },
			{ message: 'NO' },
			{ message_id: '1' },
			{ message_id: '2' },
		];
		expect(await starts(await triggerWith(), [text, ...others.map((other) => ({ ...text, ...other }))])).toBe(6);
	});

	it('count at once where that is chosen', async () => {
		expect(await starts(await triggerWith({ deduplicationWindowSeconds: 0 }), [text, text])).toBe(2);
	});

	it('under the same id do not count for a day, whatever is chosen', async () => {
		standStill();
		const engine = await triggerWith({ deduplicationWindowSeconds: 0 });
		const named = { ...text, message_id: '77' };
		expect(await starts(engine, [named, named])).toBe(1);
		jest.advanceTimersByTime(23 * 3_600_000);
		expect(await starts(engine, [named])).toBe(0);
	});
});

describe('receipts', () => {
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
	])('%j tell %j: a message never goes back', async (received, reported) => {
		expect(await statuses(await triggerWith(), 'm1', received)).toEqual(reported);
	});

	it('of many messages stay apart', async () => {
		const engine = await triggerWith();
		expect(await statuses(engine, 'm1', ['delivered'])).toEqual(['delivered']);
		expect(await statuses(engine, 'm2', ['sent', 'delivered'])).toEqual(['sent', 'delivered']);
	});

	it('that are filtered out still move the message', async () => {
		const engine = await triggerWith({}, { filters: { statuses: ['sent', 'failed'] } });
		expect(await statuses(engine, 'm1', ['delivered', 'sent', 'failed'])).toEqual([]);
	});
});

describe('an alert', () => {
	it('counts again with other amounts, and after ten minutes with the same', async () => {
		standStill();
		const engine = await triggerWith();
		const alert = { balance: 4, threshold: 5, currency: 'GHS' };
		expect(await starts(engine, [alert, alert, { ...alert, balance: 3.95 }])).toBe(2);
		jest.advanceTimersByTime(600_000);
		expect(await starts(engine, [alert])).toBe(1);
	});
});

describe('texts of one sender', () => {
	const words = (count: number, from = text.from) =>
		Array.from({ length: count }, (_, index) => ({ ...text, from, message: `word ${index} ${Math.random()}` }));

	it('start the workflow as often in an hour as is chosen, and others are not held up', async () => {
		standStill();
		const engine = await triggerWith({ maxStartsPerSenderPerHour: 3 });
		expect(await starts(engine, words(5))).toBe(3);
		expect(await starts(engine, words(2, '+233201234599'))).toBe(2);
		expect(engine.logged()).toEqual([expect.stringContaining('3 times within an hour')]);
		jest.advanceTimersByTime(3_600_000);
		expect(await starts(engine, words(1))).toBe(1);
	});

	it('are sixty in an hour unless something else is chosen, and any number where that is chosen', async () => {
		expect(await starts(await triggerWith(), words(70))).toBe(60);
		expect(await starts(await triggerWith({ maxStartsPerSenderPerHour: 0 }), words(70))).toBe(70);
	});

	it('are heard beyond the limit where they say STOP, but not for ever', async () => {
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

	it('that say STOP, START and STOP again end with STOP, however fast they come', async () => {
		const engine = await triggerWith();
		const keywords: unknown[] = [];
		for (const message of ['STOP', 'STOP', 'START', 'STOP', 'START']) {
			const { items } = await engine.post({ secret, body: { ...text, message } });
			keywords.push(...items.map(({ keyword }) => keyword));
		}
		// The last START may be the first one, posted again: nobody is written to for that.
		expect(keywords).toEqual(['stop', 'start', 'stop']);
	});

	it('that are filtered out do not count', async () => {
		const engine = await triggerWith({ maxStartsPerSenderPerHour: 1 }, { filters: { keywords: ['help'] } });
		expect(await starts(engine, [...words(5), { ...text, message: 'HELP' }])).toBe(1);
	});
});
