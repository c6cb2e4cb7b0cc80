import { accept, listEvents, readEvent, subscribe } from '../support/relay/api';
import { isLong } from '../support/random';
import { describeOnEachDatabase, useDatabase } from '../support/relay/databases';
import { startReceiver, type Receiver } from '../support/relay/receiver';
import type { Relay } from '../support/relay/relay';
import { inbound, receipt } from '../support/relay/requests';

describeOnEachDatabase('deduplication', (database) => {
	let relay: Relay;
	let receiver: Receiver;

	beforeAll(async () => {
		relay = await database().start();
		receiver = await startReceiver();
		await subscribe(relay, { url: receiver.url });
	});
	afterAll(async () => await receiver.close());

	it('makes one event of a STOP that arrives twice, however it is written', async () => {
		const first = await accept(relay, inbound({ from: '+233202220001', message: 'STOP' }));
		const second = await accept(relay, inbound({ from: '+233202220001', message: 'stop!' }));
		expect(first.duplicate).toBe(false);
		expect(second).toMatchObject({ id: first.id, duplicate: true });
		expect((await readEvent(relay, first.id ?? '')).copies).toBe(2);
	});

	it('makes a new event of a STOP after a START', async () => {
		const words = ['STOP', 'START', 'STOP', 'STOP'];
		const results = [];
		for (const message of words) results.push(await accept(relay, inbound({ from: '+233202220002', message })));
		expect(results.map(({ duplicate }) => duplicate)).toEqual([false, false, false, true]);
	});

	it('makes one event of equal words from one sender, and two from two senders', async () => {
		const results = [];
		for (const from of ['+233202220003', '+233202220003', '+233202220004']) {
			results.push(await accept(relay, inbound({ from, message: 'Is my order ready?' })));
		}
		expect(results.map(({ duplicate }) => duplicate)).toEqual([false, true, false]);
	});

	it('makes one event of a message ID that arrives twice, and two of equal words with other IDs', async () => {
		const results = [];
		for (const message_id of ['in-1', 'in-1', 'in-2']) {
			results.push(await accept(relay, inbound({ from: '+233202220005', message: 'Hello', message_id })));
		}
		expect(results.map(({ duplicate }) => duplicate)).toEqual([false, true, false]);
	});

	it('makes two events of equal words with other IDs or times of the provider, whatever their names', async () => {
		const results = [];
		for (const more of [{ sms_id: 'a' }, { sms_id: 'b' }, { timestamp: 1 }, { timestamp: 2 }, { timestamp: 2 }]) {
			results.push(await accept(relay, inbound({ from: '+233202220007', message: '1', ...more })));
		}
		expect(results.map(({ duplicate }) => duplicate)).toEqual([false, false, false, false, true]);
	});

	it('makes one event for each recipient of a bulk send whose messages share an ID', async () => {
		const results = [];
		for (const to of ['+233201234567', '+233201234568', '+233201234568']) {
			results.push(await accept(relay, receipt('bulk-id', 'delivered', { to })));
		}
		expect(results.map(({ duplicate }) => duplicate)).toEqual([false, false, true]);
	});

	it('makes one event of a receipt that arrives three times', async () => {
		const results = [];
		for (let copy = 0; copy < 3; copy += 1) results.push(await accept(relay, receipt('three-times', 'sent')));
		expect(results.map(({ duplicate }) => duplicate)).toEqual([false, true, true]);
		expect(await listEvents(relay, '?q=three-times')).toHaveLength(1);
	});

	it('logs a receipt that is behind its message as late, and does not deliver it', async () => {
		await accept(relay, receipt('late-1', 'delivered'));
		const late = await accept(relay, receipt('late-1', 'sent'));
		await accept(relay, receipt('after-late', 'sent'));
		expect(await readEvent(relay, late.id ?? '')).toMatchObject({ late: true, deliveries: [] });
		const isAfter = ({ data }: { data: Readonly<Record<string, unknown>> }) => data.message_id === 'after-late';
		for (let count = 1; !receiver.events().some(isAfter); count += 1) await receiver.waitFor(count);
		const posted = receiver.events().filter(({ data }) => data.message_id === 'late-1');
		expect(posted.map(({ data }) => data.status)).toEqual(['delivered']);
	});

	it('makes one event of 30 equal requests at the same moment', async () => {
		const body = inbound({ from: '+233202220006', message: 'All at once' });
		const results = await Promise.all(Array.from({ length: 30 }, async () => await accept(relay, body)));
		expect(results.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
		const [id] = new Set(results.map((one) => one.id));
		expect((await readEvent(relay, id ?? '')).copies).toBe(30);
	});
});

describe('deduplication over time (postgres)', () => {
	const database = useDatabase('postgres');
	let relay: Relay;

	beforeAll(async () => {
		relay = await database().start();
	});

	async function pass(seconds: number): Promise<void> {
		await database().query(`update relay.seen set until = until - $1 * interval '1 second'`, [seconds]);
	}

	it('recognizes words without an ID for the window of 60 seconds', async () => {
		const body = inbound({ message: 'HOURS' });
		await accept(relay, body);
		await pass(50);
		expect((await accept(relay, body)).duplicate).toBe(true);
		await pass(20);
		expect((await accept(relay, body)).duplicate).toBe(false);
	});

	it('recognizes a message ID for a day', async () => {
		const body = inbound({ message_id: 'in-day' });
		await accept(relay, body);
		await pass(23 * 3600);
		expect((await accept(relay, body)).duplicate).toBe(true);
		await pass(2 * 3600);
		expect((await accept(relay, body)).duplicate).toBe(false);
	});
});

/** How often all requests arrive at the same moment. */
const ROUNDS = isLong ? 200 : 10;

describe('deduplication in two processes (postgres)', () => {
	const database = useDatabase('postgres');

	it('makes one event of 50 equal requests at the same moment, again and again', async () => {
		const relays = await Promise.all([database().start(), database().start()]);
		for (let round = 0; round < ROUNDS; round += 1) {
			const bodies = [inbound({ message_id: `race-${round}` }), receipt(`race-${round}`, 'sent')];
			const results = await Promise.all(
				Array.from({ length: 50 }, async (_, index) => {
					const relay = relays[index % 2];
					if (!relay) throw new Error('There is no relay');
					return await Promise.all(bodies.map(async (body) => await accept(relay, body)));
				}),
			);
			for (const kind of [0, 1]) {
				expect(results.filter((pair) => pair[kind]?.duplicate === false)).toHaveLength(1);
			}
		}
	}, 600_000);
});
