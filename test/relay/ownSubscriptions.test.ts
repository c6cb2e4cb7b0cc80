import type { Role } from '../../relay/settings';
import { eventually } from '../support/eventually';
import { accept, createToken, eventWhere, readEvent, readSubscription, subscribe } from '../support/relay/api';
import { useDatabase } from '../support/relay/databases';
import { PATIENT, QUICK } from '../support/relay/quick';
import { startReceiver, type Receiver } from '../support/relay/receiver';
import type { Relay } from '../support/relay/relay';
import { inbound, receipt } from '../support/relay/requests';

const OFF = 'off';

describe('forwarding that is turned off for a while', () => {
	const database = useDatabase('postgres');
	let service: Receiver;
	let callback: Receiver;
	const on = () => ({
		RELAY_SERVICE_URL: new URL('/api/v1', service.url).href,
		RELAY_CALLBACK_URL: callback.url,
		RELAY_FORWARD_WHATSAPP: 'true',
	});
	const settings = { ...QUICK, waits: { ...QUICK.waits, maintenance: 500 } };
	const start = async (env: Record<string, string>) => await database().start({ env, settings });

	beforeAll(async () => void ([service, callback] = await Promise.all([startReceiver(), startReceiver()])));
	afterAll(async () => await Promise.all([service.close(), callback.close()]));

	/** Waits until the relay has removed the queues that it does not need. */
	async function maintained(relay: Relay): Promise<void> {
		const { id } = await subscribe(relay, { url: service.url, types: ['wallet.low_balance'] });
		await relay.api('DELETE', `/v1/subscriptions/${id}`);
		await eventually('the maintenance', async () => {
			const queues = await database().query('select name from pgboss.queue where name = $1', [`to_${id}`]);
			return queues.length === 0 ? true : undefined;
		});
	}

	async function expectForwarded(relay: Relay): Promise<void> {
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
		const first = await start(on());
		await expectForwarded(first);
		await first.stop();
		const off = await start({ RELAY_SERVICE_URL: OFF, RELAY_CALLBACK_URL: OFF, RELAY_FORWARD_WHATSAPP: 'false' });
		await maintained(off);
		const { id } = await accept(off, inbound());
		expect((await readEvent(off, id ?? '')).deliveries).toEqual([]);
		await off.stop();
		await expectForwarded(await start(on()));
	});
});

describe('a relay that starts without the variables of its forwards', () => {
	const database = useDatabase('folder');
	let service: Receiver;
	const on = () => ({ RELAY_SERVICE_URL: new URL('/api/v1', service.url).href, RELAY_FORWARD_WHATSAPP: 'true' });

	beforeAll(async () => {
		service = await startReceiver();
		service.respond = () => 422;
	});
	afterAll(async () => await service.close());

	const stateOf = async (relay: Relay, event: string) => (await readEvent(relay, event)).deliveries[0]?.state;

	it('keeps a pending STOP, says so, and ends forwarding only if it is turned off', async () => {
		const retry = { ...PATIENT.retry, optOutSchedule: [7_200] };
		const first = await database().start({ env: on(), settings: { ...PATIENT, retry } });
		const stop = await accept(first, inbound({ message: 'STOP' }));
		const id = stop.id ?? '';
		await eventWhere(first, id, ({ deliveries }) => deliveries[0]?.attempts === 1);
		await first.stop();

		let relay = await database().startProcess();
		expect(await stateOf(relay, id)).toBe('pending');
		const { origin } = new URL(service.url);
		const warnings = relay.output().filter((line) => line.startsWith('WARNING: '));
		expect(warnings).toEqual([
			`WARNING: RELAY_SERVICE_URL is not set. Inbound SMS are still forwarded to ${origin}. Set it again, or set it to off to end this.`,
			`WARNING: RELAY_FORWARD_WHATSAPP is not set. Inbound WhatsApp messages are still forwarded to ${origin}. Set it again, or set it to false to end this.`,
		]);
		service.respond = () => 200;
		await relay.api('POST', `/v1/deliveries/sub_service:${id}/retry`);
		await eventWhere(relay, id, ({ deliveries }) => deliveries[0]?.state === 'delivered');

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
		const start = async (role: Role, env = {}) => await database().start({ role, env, settings: QUICK });
		const web = await start('web', { RELAY_SERVICE_URL: new URL('/api/v1', service.url).href });
		const { id } = await accept(web, inbound({ message: 'STOP' }));
		await start('worker');
		await eventWhere(web, id ?? '', ({ deliveries }) => deliveries[0]?.attempts === 1);
		await start('worker', { RELAY_SERVICE_URL: OFF });
		expect((await readEvent(web, id ?? '')).deliveries[0]?.state).toBe('pending');
		service.respond = () => 200;
		await eventWhere(web, id ?? '', ({ deliveries }) => deliveries[0]?.state === 'delivered');
		await service.close();
	});
});

describe('a subscription that cannot be read (postgres)', () => {
	const database = useDatabase('postgres');
	let receiver: Receiver;
	let service: Receiver;
	const env = () => ({ RELAY_SERVICE_URL: new URL('/api/v1', service.url).href });

	beforeAll(async () => {
		[receiver, service] = await Promise.all([startReceiver(), startReceiver()]);
	});
	afterAll(async () => await Promise.all([receiver.close(), service.close()]));

	it('waits and is shown as failing, while all others get their events, until it is created again', async () => {
		const first = await database().start({ env: env() });
		const token = await createToken(first, 'n8n');
		const input = { url: receiver.url, types: ['message.status'], reference: 'n8n/main/unreadable/trigger' };
		const { id, secret } = await subscribe(first, input, token);
		const { id: other } = await subscribe(first, { url: receiver.url, types: ['message.status'], reference: 'other' });
		await first.stop();
		await database().query(`update relay.subscription set secret = 'damaged' where id = $1`, [id]);
		// As a version before this one left it, after forwarding was turned off.
		await database().query(`update relay.subscription set secret = '' where kind = 'service'`);
		const relay = await database().startProcess({ env: env() });
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
		await (await database().start()).stop();
		await database().query('alter table relay.subscription rename column batch to other');
		await expect(database().startProcess()).rejects.toThrow(
			/ended with 2: .*The relay cannot start\. Check that the database/s,
		);
	}, 60_000);
});
