import { setTimeout } from 'node:timers/promises';
import { accept, eventWhere, readEvent, readSubscription, subscribe } from '../support/relay/api';
import { describeOnEachDatabase, useDatabase } from '../support/relay/databases';
import { eventually } from '../support/eventually';
import { PATIENT, QUICK } from '../support/relay/quick';
import { startReceiver, type Receiver, type ReceiverResponse } from '../support/relay/receiver';
import type { Relay } from '../support/relay/relay';
import { receipt } from '../support/relay/requests';

/** The pause after the first probe is longer than a test. */
const LONG_SECOND_PAUSE = { ...QUICK, retry: { ...QUICK.retry, probes: [0.5, 300] } };

describe('a pause by hand', () => {
	const database = useDatabase('postgres');
	let web: Relay;

	beforeAll(async () => {
		// Another process delivers than the one that gets the request to pause.
		web = await database().start({ role: 'web', settings: QUICK });
		await database().start({ role: 'worker', settings: QUICK });
	});

	it('lets requests in flight end, and sends nothing else that was already fetched', async () => {
		const receiver = await startReceiver();
		const release: Array<(response: ReceiverResponse) => void> = [];
		receiver.respond = async () => await new Promise((resolve) => release.push(resolve));
		const { id } = await subscribe(web, { url: receiver.url, types: ['message.status'], reference: 'held' });
		const setState = async (state: string) => await web.api('PATCH', `/v1/subscriptions/${id}`, { state });

		// All wait when the worker begins, so that it fetches them at once. Ten requests may be in flight.
		await setState('paused');
		const [first] = [await accept(web, receipt('msg_0', 'sent')), await accept(web, receipt('msg_0', 'delivered'))];
		for (let index = 1; index <= 10; index += 1) await accept(web, receipt(`msg_${index}`, 'sent'));
		await setState('active');
		await eventually('ten requests in flight', () => (release.length === 10 ? true : undefined));

		expect((await setState('paused')).status).toBe(200);
		// The relay may act on an answer that is 50 ms old (docs/relay.md, "Pause and probe").
		await setTimeout(60);
		for (const respond of release) respond(200);
		await eventWhere(web, first.id ?? '', ({ deliveries }) => deliveries[0]?.state === 'delivered');
		// Another receiver gets a later event, so the relay had its chance.
		const witness = await startReceiver();
		await subscribe(web, { url: witness.url, types: ['sms.inbound'], reference: 'witness' });
		await accept(web, { from: '+233201234567', to: 'KOFISHOP', message: 'Are you open?' });
		await witness.waitFor(1);
		expect(receiver.requests).toHaveLength(10);
		expect((await readSubscription(web, id))?.health.pending).toBe(2);

		receiver.respond = () => 200;
		await setState('active');
		const events = await receiver.waitFor(12);
		expect(new Set(events.map((event) => event.id)).size).toBe(12);
		const statuses = events.filter(({ data }) => data.message_id === 'msg_0').map(({ data }) => data.status);
		expect(statuses).toEqual(['sent', 'delivered']);
		await receiver.close();
		await witness.close();
	});
});

describe('a receiver that the relay leaves alone', () => {
	const database = useDatabase('folder');
	let relay: Relay;
	let receiver: Receiver;

	beforeAll(async () => {
		relay = await database().start({ settings: LONG_SECOND_PAUSE });
		receiver = await startReceiver();
	});
	afterAll(async () => await receiver.close());

	it('shows when the next probe comes, and does not wait for it after a retry by hand', async () => {
		receiver.respond = () => 503;
		const { id } = await subscribe(relay, { url: receiver.url, types: ['message.status'] });
		const events: string[] = [];
		for (let index = 0; index < 6; index += 1) {
			events.push((await accept(relay, receipt(`away_${index}`, 'sent'))).id ?? '');
		}
		await eventually('the pause after the first probe', async () => {
			const health = (await readSubscription(relay, id))?.health;
			return Date.parse(health?.next_probe_at ?? '') > Date.now() + 10_000 ? true : undefined;
		});
		const asked = receiver.requests.length;
		receiver.respond = () => 200;
		const retry = await relay.api('POST', `/v1/deliveries/${id}:${events[0]}/retry`);
		expect(retry.status).toBe(202);
		await eventually('the retry', () => (receiver.requests.length > asked ? true : undefined));
		const health = await eventually('a healthy receiver', async () => {
			const found = (await readSubscription(relay, id))?.health;
			return found?.failing_since === null ? found : undefined;
		});
		expect(health.next_probe_at).toBeNull();
		await receiver.waitFor(6);
	});
});

describeOnEachDatabase('a worker that takes one job at a time', (database) => {
	let relay: Relay;
	let receiver: Receiver;

	beforeAll(async () => {
		// Long enough for the first attempts of all events.
		const retry = { ...LONG_SECOND_PAUSE.retry, schedule: [4, 300] };
		relay = await database().start({ settings: { ...LONG_SECOND_PAUSE, retry } });
	});
	beforeEach(async () => {
		receiver = await startReceiver();
	});
	afterEach(async () => await receiver.close());

	it('takes the retry by hand at once, although an older job of its event is due', async () => {
		receiver.respond = () => 503;
		const { id } = await subscribe(relay, { url: receiver.url, types: ['message.status'] });
		const events: string[] = [];
		for (let index = 0; index < 5; index += 1) {
			const event = (await accept(relay, receipt(`older_${index}`, 'sent'))).id ?? '';
			events.push(event);
			// One after the other, so that the jobs of the second attempts have the order of the events.
			await eventWhere(relay, event, ({ deliveries }) => deliveries[0]?.attempts === 1);
		}
		// While the relay leaves the receiver alone, the second attempts become due. The worker takes the oldest job first.
		const oldest = await eventually('a second attempt that is due after the first probe', async () => {
			const next = (await readSubscription(relay, id))?.health.next_probe_at;
			if (Date.parse(next ?? '') < Date.now() + 10_000) return undefined;
			const all = await Promise.all(events.map(async (event) => (await readEvent(relay, event)).deliveries[0]));
			const first = all.find((delivery) => delivery?.attempts === 1);
			return Date.parse(first?.next_attempt_at ?? '') < Date.now() ? first?.id : undefined;
		});
		receiver.respond = () => 200;
		expect((await relay.api('POST', `/v1/deliveries/${oldest}/retry`)).status).toBe(202);
		// If the old job ends the look for jobs, the next one comes after 30 seconds.
		await receiver.waitFor(5, 15_000);
	});

	it('delivers a backlog to a receiver that takes batches of one event', async () => {
		const batch = { max: 1, wait_ms: 5_000 };
		const { id } = await subscribe(relay, { url: receiver.url, types: ['message.status'], batch, reference: 'one' });
		for (let index = 0; index < 5; index += 1) await accept(relay, receipt(`single_${index}`, 'sent'));
		// Without another look after each event, they would need 25 seconds.
		await receiver.waitFor(5, 15_000);
		await eventually('no pending events', async () =>
			(await readSubscription(relay, id))?.health.pending === 0 ? true : undefined,
		);
	});
});

describe('a receiver that works again', () => {
	const database = useDatabase('postgres');

	it('gets the waiting deliveries at once from a process that did not pause', async () => {
		const paused = await database().start({ settings: PATIENT });
		const receiver = await startReceiver();
		receiver.respond = () => 503;
		const { id } = await subscribe(paused, { url: receiver.url, types: ['message.status'] });
		for (let index = 0; index < 5; index += 1) await accept(paused, receipt(`elsewhere_${index}`, 'sent'));
		await eventually('the pause', async () => (await readSubscription(paused, id))?.health.next_probe_at ?? undefined);
		receiver.respond = () => 200;
		const other = await database().start({ settings: PATIENT });
		await accept(other, receipt('elsewhere_new', 'sent'));
		const events = await receiver.waitFor(6);
		expect(new Set(events.map((event) => event.id)).size).toBe(6);
		await paused.stop();
		await other.stop();
		await receiver.close();
	});

	it('gets the deliveries that wait for their next attempt at once', async () => {
		const retry = { ...PATIENT.retry, probes: [0.3] };
		const relay = await database().start({ settings: { ...PATIENT, retry } });
		const receiver = await startReceiver();
		receiver.respond = () => 503;
		const { id } = await subscribe(relay, { url: receiver.url, types: ['message.status'] });
		for (let index = 0; index < 5; index += 1) await accept(relay, receipt(`waits_${index}`, 'sent'));
		await eventually('the pause', async () => (await readSubscription(relay, id))?.health.next_probe_at ?? undefined);
		// By their own schedule, they would arrive in two hours.
		receiver.respond = () => 200;
		await accept(relay, receipt('new', 'sent'));
		const events = await receiver.waitFor(6);
		expect(new Set(events.map((event) => event.id)).size).toBe(6);
		await receiver.close();
	});
});
