import { eventually } from '../support/eventually';
import { accept, createToken, eventWhere, listEvents, readSubscription, subscribe } from '../support/relay/api';
import { passUntil, testClock } from '../support/relay/clock';
import { describeOnEachDatabase, type TestDatabase } from '../support/relay/databases';
import { startReceiver, type Receiver, type ReceiverResponse } from '../support/relay/receiver';
import type { RelayProcess } from '../support/relay/relayProcess';
import { inbound, receipt } from '../support/relay/requests';
import { addServerClock, shareClock, type SharedClock } from '../support/relay/serverClock';

const MINUTE = 60_000;
const HOURS = 3 * 60 * MINUTE;

/** The next maintenance and, after it, the longest wait after a second failed attempt. */
const REPAIRED_WITHIN = 2 * MINUTE;
const STEP = 5_000;

const DAYS = 31 * 24 * 60 * MINUTE;

/** A little longer than the time between two runs of the maintenance. */
const MAINTENANCE = MINUTE + 1_000;

/** Each event was accepted once, and in the order of its message. */
function expectOnceInOrder(receiver: Receiver, messages: readonly string[], statuses: readonly string[]): void {
	const got = receiver.events().map(({ data }) => `${String(data.message_id)} ${String(data.status)}`);
	expect(got.toSorted()).toEqual(messages.flatMap((message) => statuses.map((one) => `${message} ${one}`)).toSorted());
	for (const message of messages) {
		expect(got.filter((one) => one.startsWith(`${message} `))).toEqual(statuses.map((one) => `${message} ${one}`));
	}
}

/** Starts a relay with a clock of the test, which PostgreSQL shares. */
async function startWithClock(database: TestDatabase): Promise<{ relay: RelayProcess; clock: SharedClock }> {
	const own = testClock();
	const isServer = database.kind === 'postgres';
	if (isServer) await addServerClock(database);
	const relay = await database.startProcess({ env: own.env });
	return { relay, clock: isServer ? await shareClock(database, own) : own };
}

describeOnEachDatabase('a clock that is set while the relay runs', (database) => {
	let clock: SharedClock;
	let relay: RelayProcess;

	beforeAll(async () => {
		({ relay, clock } = await startWithClock(database()));
	});

	it('lets a Zapier hook get its next event at once after the clock was set back', async () => {
		const hook = await startReceiver();
		const token = await createToken(relay, 'zapier');
		const { id } = await subscribe(relay, { url: hook.url, types: ['message.status'], reference: 'zap' }, token);
		await accept(relay, receipt('zap-1', 'sent'));
		await hook.waitFor(1);
		await clock.move(relay, -HOURS);
		await accept(relay, receipt('zap-2', 'sent'));
		await hook.waitFor(2);
		expectOnceInOrder(hook, ['zap-1', 'zap-2'], ['sent']);
		await clock.move(relay, HOURS);
		await accept(relay, receipt('zap-3', 'sent'));
		await hook.waitFor(3);
		await end(hook, id);
	});

	it('delivers failed and waiting events soon after the clock was set back', async () => {
		const receiver = await startReceiver();
		receiver.respond = () => 400;
		const { id } = await subscribe(relay, { url: receiver.url, types: ['message.status'], reference: 'back' });
		const messages = ['back-1', 'back-2', 'back-3'];
		for (const status of ['sent', 'delivered']) {
			for (const message of messages) await accept(relay, receipt(message, status));
		}
		await eventually('the first failures', () => (receiver.requests.length >= 3 ? true : undefined));
		await clock.move(relay, -HOURS);
		receiver.respond = () => 200;
		await settle(id);
		expectOnceInOrder(receiver, messages, ['sent', 'delivered']);
		await end(receiver, id);
	});

	it('delivers soon the events that arrived while the clock was ahead', async () => {
		const receiver = await startReceiver();
		const { id } = await subscribe(relay, { url: receiver.url, types: ['message.status'], reference: 'ahead' });
		const setState = async (state: string) => await relay.api('PATCH', `/v1/subscriptions/${id}`, { state });
		await setState('paused');
		const messages = ['ahead-1', 'ahead-2', 'ahead-3'];
		for (const message of messages) await accept(relay, receipt(message, 'sent'));
		await clock.move(relay, HOURS);
		for (const message of messages) await accept(relay, receipt(message, 'delivered'));
		await clock.move(relay, -HOURS);
		await setState('active');
		await settle(id);
		expectOnceInOrder(receiver, messages, ['sent', 'delivered']);
		await end(receiver, id);
	});

	it('sends no event twice whose request is in flight while the clock is set ahead', async () => {
		const receiver = await startReceiver();
		const release: Array<(response: ReceiverResponse) => void> = [];
		receiver.respond = async () => await new Promise((resolve) => release.push(resolve));
		const { id } = await subscribe(relay, { url: receiver.url, types: ['message.status'], reference: 'held' });
		const setState = async (state: string) => await relay.api('PATCH', `/v1/subscriptions/${id}`, { state });
		// All wait when the worker begins, so that it fetches them at once.
		await setState('paused');
		const first = await accept(relay, receipt('held-1', 'sent'));
		await accept(relay, receipt('held-2', 'sent'));
		await accept(relay, receipt('held-1', 'delivered'));
		await setState('active');
		await eventually('two requests in flight', () => (release.length === 2 ? true : undefined));
		await clock.move(relay, HOURS);
		// The queue looks for interrupted jobs every ten seconds.
		await clock.pass(relay, 12_000);
		const witness = await startReceiver();
		await subscribe(relay, { url: witness.url, types: ['wallet.low_balance'], reference: 'witness' });
		await accept(relay, { balance: 4, threshold: 5, currency: 'GHS' });
		await witness.waitFor(1);
		expect(receiver.requests).toHaveLength(2);
		receiver.respond = () => 200;
		for (const respond of release) respond(200);
		await eventWhere(relay, first.id ?? '', ({ deliveries }) => deliveries.every(({ state }) => state === 'delivered'));
		await settle(id);
		expect(receiver.requests).toHaveLength(3);
		await end(receiver, id);
		await witness.close();
	});

	it('accepts a message and an alert as new that equal those from before the clock was set back', async () => {
		const alert = { balance: 3, threshold: 5, currency: 'GHS' };
		const bodies = [inbound({ message: 'YES' }), inbound({ message_id: 'again-1' }), alert];
		const acceptAll = async () => {
			const results = [];
			for (const body of bodies) results.push((await accept(relay, body)).duplicate);
			return results;
		};
		expect(await acceptAll()).toEqual([false, false, false]);
		await clock.move(relay, -HOURS);
		expect(await acceptAll()).toEqual([false, false, false]);
		expect(await acceptAll()).toEqual([true, true, true]);
		await clock.move(relay, HOURS);
	});

	it('accepts a STOP after a START as new also if the clock was set back in between', async () => {
		const words = async (...all: string[]) => {
			const results = [];
			for (const message of all) results.push((await accept(relay, inbound({ message }))).duplicate);
			return results;
		};
		expect(await words('STOP', 'START')).toEqual([false, false]);
		await clock.move(relay, -MINUTE / 2);
		expect(await words('STOP', 'STOP')).toEqual([false, true]);
		await clock.move(relay, MINUTE / 2);
	});

	/** Later events are for the receivers of their own test. */
	async function end(receiver: Receiver, id: string): Promise<void> {
		await relay.api('DELETE', `/v1/subscriptions/${id}`);
		await receiver.close();
	}

	/** Lets at most {@link REPAIRED_WITHIN} pass until nothing is pending. */
	async function settle(id: string): Promise<void> {
		let passed = 0;
		await eventually('all deliveries', async () => {
			if ((await readSubscription(relay, id))?.health.pending === 0) return true;
			if (passed < REPAIRED_WITHIN) {
				passed += STEP;
				await clock.pass(relay, STEP);
			}
			return undefined;
		});
		expect((await readSubscription(relay, id))?.health.failed).toBe(0);
	}
});

describeOnEachDatabase('a clock that is set 31 days ahead', (database) => {
	let clock: SharedClock;
	let relay: RelayProcess;
	let receiver: Receiver;
	let id: string;
	const message = inbound({ message_id: 'kept-1' });

	beforeAll(async () => {
		({ relay, clock } = await startWithClock(database()));
		receiver = await startReceiver();
		id = (await subscribe(relay, { url: receiver.url, types: ['message.status', 'sms.inbound'] })).id;
		await relay.api('PATCH', `/v1/subscriptions/${id}`, { state: 'paused' });
		await accept(relay, receipt('kept', 'sent'));
		await accept(relay, message);
	});
	afterAll(async () => await receiver.close());

	const maintain = async () => await clock.pass(relay, MAINTENANCE);
	const warnings = () => relay.output().filter((line) => line.includes('went ahead by 31 days')).length;

	it('removes no event, no duplicate and no progress of a message, and says what to do', async () => {
		await clock.move(relay, DAYS);
		for (let count = 0; count < 3; count += 1) {
			await maintain();
			await eventually('the warning', () => (warnings() === 1 ? true : undefined));
			expect(await listEvents(relay)).toHaveLength(2);
		}
		expect(relay.output().join('\n')).toMatch(/removes nothing for an hour.*correct it/);
		await clock.move(relay, -DAYS);
		expect((await accept(relay, receipt('kept', 'sent'))).duplicate).toBe(true);
		expect((await accept(relay, message)).duplicate).toBe(true);
		await relay.api('PATCH', `/v1/subscriptions/${id}`, { state: 'active' });
		await passUntil('all deliveries', maintain, async () => (await readSubscription(relay, id))?.health.pending === 0);
		expect(receiver.events()).toHaveLength(2);
	});

	it('removes old events an hour later, if no one sets it back', async () => {
		await clock.move(relay, DAYS);
		await passUntil('the warning', maintain, () => warnings() === 2);
		expect(await listEvents(relay)).toHaveLength(2);
		const passHour = async () => await clock.pass(relay, 60 * MINUTE);
		await passUntil('the events to be removed', passHour, async () => (await listEvents(relay)).length === 0);
	});
});
