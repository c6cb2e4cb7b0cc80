import { join } from 'node:path';
import { z } from 'zod/v4';
import { startSandbox } from '../../sandbox/server';
import { eventually } from '../support/eventually';
import { accept, eventWhere, listEvents } from '../support/relay/api';
import { useDatabase, type TestDatabase } from '../support/relay/databases';
import { QUICK, QUICK_ENV } from '../support/relay/quick';
import { startReceiver, type Receiver } from '../support/relay/receiver';
import type { Relay } from '../support/relay/relay';
import type { RelayProcess } from '../support/relay/relayProcess';
import { inbound } from '../support/relay/requests';

/** Lets each event of a failed forward wait before it is written, until the release. */
async function holdFailures({ query }: TestDatabase) {
	await query('create table held_failures as select 1 as one');
	await query(
		`create function hold_failure() returns trigger language plpgsql as $$ begin
			perform pg_advisory_xact_lock(1);
			while exists (select from held_failures) loop perform pg_sleep(0.05); end loop;
			return new;
		end $$`,
	);
	await query(
		`create trigger hold before insert on relay.event for each row
			when (new.type = 'relay.forward_failed') execute function hold_failure()`,
	);
	return {
		async isAwaited() {
			const rows = await query<{ one: number }>(
				`select 1 as one from pg_locks where locktype = 'advisory'
					and database = (select oid from pg_database where datname = current_database())`,
			);
			return rows.length > 0;
		},
		release: async () => await query('delete from held_failures'),
	};
}

const optOuts = z.array(z.looseObject({ number: z.string() }));

describe('forwarding to the service', () => {
	const database = useDatabase('folder');
	let relay: Relay;
	let callback: Receiver;
	let sandbox: Awaited<ReturnType<typeof startSandbox>>;

	const sandboxOptions = () => ({ data: join(database().folder, 'sandbox.sqlite') });

	async function optedOut(): Promise<string[]> {
		const response = await fetch(`${sandbox.url}/_sandbox/opt-outs`);
		return optOuts.parse(await response.json()).map(({ number }) => number);
	}

	beforeAll(async () => {
		sandbox = await startSandbox(sandboxOptions());
		callback = await startReceiver();
		relay = await database().start({
			env: { RELAY_SERVICE_URL: sandbox.baseUrl, RELAY_CALLBACK_URL: callback.url },
			settings: QUICK,
		});
	});
	afterAll(async () => {
		await callback.close();
		await sandbox.stop();
	});

	it('forwards STOP to the inbound webhook of the sandbox, which adds the sender to its opt-outs', async () => {
		await accept(relay, inbound({ from: '+233206660001', message: 'STOP' }));
		await eventually('the opt-out', async () => ((await optedOut()).includes('+233206660001') ? true : undefined));
	});

	it('forwards a STOP that arrived while the service was away, after its return', async () => {
		await sandbox.stop();
		const { id } = await accept(relay, inbound({ from: '+233206660002', message: 'STOP' }));
		await eventWhere(relay, id ?? '', ({ deliveries }) => deliveries[0]?.attempts === 1);
		sandbox = await startSandbox({ ...sandboxOptions(), port: Number(new URL(sandbox.url).port) });
		await eventually('the opt-out', async () => ((await optedOut()).includes('+233206660002') ? true : undefined));
		const { deliveries } = await eventWhere(relay, id ?? '', (event) => event.deliveries[0]?.state === 'delivered');
		expect(deliveries[0]?.subscription.id).toBe('sub_service');
	});

	it('sends receipts to the previous callback URL as they arrived, and no inbound messages', async () => {
		const raw = '{ "message_id" : 12345678901234567890, "status":"SENT",\n "note":"caf\\u00e9 \\ud800" }';
		await accept(relay, inbound());
		await accept(relay, raw, { type: 'application/json; charset=utf-8' });
		await eventually('the receipt', () => (callback.requests.length > 0 ? true : undefined));
		expect(callback.requests.map(({ text, headers }) => [text, headers['content-type']])).toEqual([
			[raw, 'application/json; charset=utf-8'],
		]);
	});
});

const forwarded = z.object({ From: z.string(), To: z.string(), Message: z.string() });

describe('forwarding that fails (postgres)', () => {
	const database = useDatabase('postgres');
	let relay: Relay;
	let service: Receiver;
	let killed: RelayProcess;

	let env: Record<string, string>;

	beforeAll(async () => {
		service = await startReceiver();
		env = {
			RELAY_SERVICE_URL: new URL('/api/v1', service.url).href,
			RELAY_FORWARD_WHATSAPP: 'true',
			RELAY_SENDER_IDS: 'KOFI SHOP',
			// The second attempt is the last one.
			RELAY_RETRY_SCHEDULE: '0.2',
			RELAY_PROBES: QUICK_ENV.RELAY_PROBES,
		};
		relay = killed = await database().startProcess({ env });
	});
	afterAll(async () => await service.close());

	it.each([
		['+233206660003', 'Stop!', 'KOFISHOP'],
		['+233206660007', 'EXIT', '1234'],
		['+233206660008', 'Stop Kofi Shop', '1234'],
	])('forwards STOP after the opt-out of %s in other words, %j to %s', async (from, message, to) => {
		const before = service.requests.length;
		await accept(relay, inbound({ from, to, message }));
		await eventually('two requests', () => (service.requests.length === before + 2 ? true : undefined));
		const sent = service.requests.slice(before).map(({ text }) => forwarded.parse(JSON.parse(text)));
		expect(sent).toEqual([
			{ From: from, To: to, Message: message },
			{ From: from, To: to, Message: 'STOP' },
		]);
	});

	it('forwards WhatsApp messages as they arrived to the WhatsApp webhook of the service', async () => {
		const raw = 'From=whatsapp%3A%2B233206660005&Body=Hello&ProfileName=Ama';
		await accept(relay, raw, { path: '/whatsapp', type: 'application/x-www-form-urlencoded' });
		const forwarded = await eventually('the message', () => service.requests.find(({ text }) => text === raw));
		expect([forwarded.path, forwarded.headers['content-type']]).toEqual([
			'/webhooks/whatsapp/inbound',
			'application/x-www-form-urlencoded',
		]);
	});

	/** Accepts a message whose forward fails for good. */
	async function acceptFailing(from: string): Promise<string> {
		service.respond = () => 422;
		return (await accept(relay, inbound({ from }))).id ?? '';
	}

	async function failuresOf(event: string) {
		const events = await listEvents(relay, '?type=relay.forward_failed');
		return events.filter(({ data }) => data.event_id === event);
	}

	it('makes an event of a forward that failed for good', async () => {
		const id = await acceptFailing('+233206660004');
		const event = await eventually('the event', async () => (await failuresOf(id))[0]);
		expect(event.data).toMatchObject({ event: 'relay.forward_failed', event_id: id, subscription: 'sub_service' });
		expect(event.data.error).toMatch(/^The service did not accept the message/);
		const status = z
			.object({ forwarding: z.object({ enabled: z.boolean(), failed: z.number() }) })
			.parse(await (await relay.api('GET', '/v1/status')).json());
		expect(status.forwarding).toEqual({ enabled: true, failed: 1 });
	});

	it('makes the event once if the relay is killed between the final failure and the event', async () => {
		const hold = await holdFailures(database());
		const id = await acceptFailing('+233206660006');
		await eventually('the event to wait', async () => ((await hold.isAwaited()) ? true : undefined));
		await killed.kill();
		await hold.release();
		await database().abandonJobs();
		relay = await database().start({ env, settings: { waits: { ...QUICK.waits, jobs: 1_000 } } });
		// The attempt is repeated, because the end of the first one was not written without its event.
		await eventually('the event', async () => (await failuresOf(id))[0]);
		const { deliveries } = await eventWhere(relay, id, (event) => event.deliveries[0]?.state === 'failed');
		expect(deliveries[0]?.attempts).toBe(2);
		expect(await failuresOf(id)).toHaveLength(1);
	});
});
