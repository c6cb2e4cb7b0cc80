import { eventually } from '../support/eventually';
import { accept, createToken, eventWhere, readEvent, readSubscription, subscribe } from '../support/relay/api';
import { passUntil, testClock } from '../support/relay/clock';
import { describeOnEachDatabase, useDatabase } from '../support/relay/databases';
import { startReceiver, type Receiver } from '../support/relay/receiver';
import type { RelayProcess } from '../support/relay/relayProcess';
import { inbound, receipt } from '../support/relay/requests';
import { addServerClock, shareClock, type SharedClock } from '../support/relay/serverClock';

/** A little longer than a deleted subscription of n8n keeps its events, and than the time between two maintenances. */
const KEPT_MS = 11 * 60_000;

const OFF = 'off';

describeOnEachDatabase('forwarding that is turned off for a while', (database) => {
	let service: Receiver;
	let callback: Receiver;
	let clock: SharedClock;
	const own = testClock();
	const on = () => ({
		RELAY_SERVICE_URL: new URL('/api/v1', service.url).href,
		RELAY_CALLBACK_URL: callback.url,
		RELAY_FORWARD_WHATSAPP: 'true',
	});

	beforeAll(async () => {
		[service, callback] = await Promise.all([startReceiver(), startReceiver()]);
		clock = own;
		if (database().kind === 'postgres') await addServerClock(database());
	});
	afterAll(async () => await Promise.all([service.close(), callback.close()]));

	/** Waits for the end of a maintenance that began after this call. */
	async function maintained(relay: RelayProcess): Promise<void> {
		for (const reference of ['n8n/main/workflow/first', 'n8n/main/workflow/second']) {
			const { id } = await subscribe(relay, { url: service.url, types: ['wallet.low_balance'], reference });
			await relay.api('DELETE', `/v1/subscriptions/${id}`);
			const event = await accept(relay, { balance: Math.random(), threshold: 5, currency: 'GHS' });
			// A maintenance begins with the subscriptions that left, and the second one follows the end of the first one.
			const pass = async () => await clock.pass(relay, KEPT_MS);
			await passUntil('the maintenance', pass, async () => {
				const { deliveries } = await readEvent(relay, event.id ?? '');
				return deliveries.some(({ subscription, state }) => subscription.id === id && state === 'canceled');
			});
		}
	}

	async function expectForwarded(relay: RelayProcess): Promise<void> {
		const before = [service.requests.length, callback.requests.length];
		const sms = await accept(relay, inbound());
		const whatsapp = await accept(relay, inbound(), { path: '/whatsapp' });
		const status = await accept(relay, receipt(`message-${Math.random()}`, 'sent'));
		for (const { id } of [sms, whatsapp, status]) {
			await eventWhere(relay, id ?? '', ({ deliveries }) => deliveries[0]?.state === 'delivered');
		}
		expect([service.requests.length, callback.requests.length]).toEqual([(before[0] ?? 0) + 2, (before[1] ?? 0) + 1]);
	}

	it('works again after the relay has removed what it does not need', async () => {
		const first = await database().startProcess({ env: { ...own.env, ...on() } });
		await expectForwarded(first);
		await first.stop();
		const env = { RELAY_SERVICE_URL: OFF, RELAY_CALLBACK_URL: OFF, RELAY_FORWARD_WHATSAPP: 'false' };
		const off = await database().startProcess({ env: { ...own.env, ...env } });
		if (database().kind === 'postgres') clock = await shareClock(database(), own);
		await maintained(off);
		const { id } = await accept(off, inbound());
		expect((await readEvent(off, id ?? '')).deliveries).toEqual([]);
		await off.stop();
		const again = await database().startProcess({ env: { ...own.env, ...on() } });
		await expectForwarded(again);
	});
});

describeOnEachDatabase('a relay that starts without the variables of its forwards', (database) => {
	let service: Receiver;
	const on = () => ({ RELAY_SERVICE_URL: new URL('/api/v1', service.url).href, RELAY_FORWARD_WHATSAPP: 'true' });

	beforeAll(async () => {
		service = await startReceiver();
		service.respond = () => 422;
	});
	afterAll(async () => await service.close());

	const stateOf = async (relay: RelayProcess, event: string) => (await readEvent(relay, event)).deliveries[0]?.state;

	it('keeps a pending STOP, says so, and ends forwarding only if it is turned off', async () => {
		let relay = await database().startProcess({ env: on() });
		const stop = await accept(relay, inbound({ message: 'STOP' }));
		const id = stop.id ?? '';
		await eventWhere(relay, id, ({ deliveries }) => deliveries[0]?.attempts === 1);
		await relay.stop();

		relay = await database().startProcess();
		expect(await stateOf(relay, id)).toBe('pending');
		const { origin } = new URL(service.url);
		const warnings = relay.output().filter((line) => line.startsWith('WARNING: '));
		expect(warnings).toEqual([
			`WARNING: RELAY_SERVICE_URL is not set. Inbound SMS are still forwarded to ${origin}. Set it again, or set it to off to end this.`,
			`WARNING: RELAY_FORWARD_WHATSAPP is not set. Inbound WhatsApp messages are still forwarded to ${origin}. Set it again, or set it to false to end this.`,
		]);
		service.respond = () => 200;
		await eventWhere(relay, id, ({ deliveries }) => deliveries[0]?.state === 'delivered', 60_000);

		service.respond = () => 422;
		const last = await accept(relay, inbound({ from: '+233206660010', message: 'STOP' }));
		await eventWhere(relay, last.id ?? '', ({ deliveries }) => deliveries[0]?.attempts === 1);
		await relay.stop();
		relay = await database().startProcess({ env: { RELAY_SERVICE_URL: OFF } });
		expect(await stateOf(relay, last.id ?? '')).toBe('canceled');
		expect(relay.output().join('\n')).toContain('RELAY_SERVICE_URL is off. The service does not see a STOP');
		await relay.stop();
	});
});

describe('a worker (postgres)', () => {
	const database = useDatabase('postgres');

	it('leaves forwarding as the other processes set it, whatever its own variables are', async () => {
		const service = await startReceiver();
		service.respond = () => 422;
		const web = await database().startProcess({
			role: 'web',
			env: { RELAY_SERVICE_URL: new URL('/api/v1', service.url).href },
		});
		const { id } = await accept(web, inbound({ message: 'STOP' }));
		await database().startProcess({ role: 'worker' });
		await eventWhere(web, id ?? '', ({ deliveries }) => deliveries[0]?.attempts === 1);
		await database().startProcess({ role: 'worker', env: { RELAY_SERVICE_URL: OFF } });
		expect((await readEvent(web, id ?? '')).deliveries[0]?.state).toBe('pending');
		service.respond = () => 200;
		await eventWhere(web, id ?? '', ({ deliveries }) => deliveries[0]?.state === 'delivered', 60_000);
		await service.close();
	});
});

describe('a subscription that cannot be read (postgres)', () => {
	const database = useDatabase('postgres');
	let relay: RelayProcess;
	let receiver: Receiver;
	let service: Receiver;
	const env = () => ({ RELAY_SERVICE_URL: new URL('/api/v1', service.url).href });

	beforeAll(async () => {
		[receiver, service] = await Promise.all([startReceiver(), startReceiver()]);
		relay = await database().startProcess({ env: env() });
	});
	afterAll(async () => await Promise.all([receiver.close(), service.close()]));

	it('waits and is shown as failing, while all others get their events, until it is created again', async () => {
		const token = await createToken(relay, 'n8n');
		const input = { url: receiver.url, types: ['message.status'], reference: 'n8n/main/unreadable/trigger' };
		const { id, secret } = await subscribe(relay, input, token);
		const { id: other } = await subscribe(relay, { url: receiver.url, types: ['message.status'], reference: 'other' });
		await relay.stop();
		await database().query(`update relay.subscription set secret = 'damaged' where id = $1`, [id]);
		// As a version before this one left it, after forwarding was turned off.
		await database().query(`update relay.subscription set secret = '' where kind = 'service'`);
		relay = await database().startProcess({ env: env() });
		const event = await accept(relay, receipt('unreadable-1', 'sent'));
		const stateOf = async (subscription: string) =>
			(await readEvent(relay, event.id ?? '')).deliveries.find((one) => one.subscription.id === subscription)?.state;
		await eventually('the other one', async () => ((await stateOf(other)) === 'delivered' ? true : undefined));
		expect(await stateOf(id)).toBe('pending');
		const { health } = (await readSubscription(relay, id)) ?? {};
		expect(health?.failing_since).not.toBeNull();
		expect(health?.last_attempt?.error).toMatch(/^The relay cannot read the secret of this subscription\./);
		expect(relay.output().join('\n')).toContain(`cannot be read, so their events wait: ${id}.`);
		const sms = await accept(relay, inbound());
		await eventWhere(relay, sms.id ?? '', ({ deliveries }) => deliveries[0]?.state === 'delivered');

		const renewed = await subscribe(relay, input, token);
		expect([renewed.id, renewed.secret === secret]).toEqual([id, false]);
		await eventually('its event', async () => ((await stateOf(id)) === 'delivered' ? true : undefined));
		expect((await readSubscription(relay, id))?.health.failing_since).toBeNull();
	});
});

describe('a relay that cannot start (postgres)', () => {
	const database = useDatabase('postgres');

	it('ends with an exit code and a message', async () => {
		const relay = await database().startProcess();
		await relay.stop();
		await database().query('alter table relay.subscription rename column batch to other');
		await expect(database().startProcess()).rejects.toThrow(
			/ended with 2: .*The relay cannot start\. Check that the database/s,
		);
	}, 60_000);
});
