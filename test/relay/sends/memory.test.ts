import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { openPostgres } from '../../../relay/database/postgres';
import { removeOldSends } from '../../../relay/sends/upkeep';
import { eventually } from '../../support/eventually';
import { useDatabase } from '../../support/relay/databases';
import type { Relay } from '../../support/relay/relay';
import { callThrough, gatewayEnv, sendThrough, sms } from '../../support/relay/gateway';
import { accept, startService, type ScriptedService } from './service';

describe('the memory of sends on PostgreSQL', () => {
	const database = useDatabase('postgres');
	let relay: Relay;
	let service: ScriptedService;

	beforeAll(async () => {
		service = await startService();
		relay = await database().start({ env: gatewayEnv(service.baseUrl) });
	});
	beforeEach(() => (service.respond = (response) => accept(response)));
	afterAll(async () => await service.close());

	it('has no key, text, number or API key', async () => {
		await sendThrough(relay, sms('Words of a test'), { key: 'planted-key' });
		service.respond = (response) => response.destroy();
		await sendThrough(relay, sms('Words of a test'), { key: 'planted-key-2' });
		const rows = await database().query('select row_to_json(s)::text as text from relay.send s');
		const keys = await database().query('select row_to_json(k)::text as text from relay.api_key k');
		expect([rows.length, keys.length]).toEqual([2, 1]);
		expect(JSON.stringify([rows, keys])).not.toMatch(/planted|Words of|20123|sk_sandbox/);
	});

	it('forgets accepted sends after their days, and unknown ones never', async () => {
		await sendThrough(relay, sms(), { key: 'old-1' });
		service.respond = (response) => response.destroy();
		await sendThrough(relay, sms(), { key: 'old-2' });
		await database().query(`update relay.send set settled_at = settled_at - interval '31 days'`);
		service.respond = (response) => accept(response);
		await sendThrough(relay, sms(), { key: 'new-1' });
		const beside = openPostgres(database().url ?? '');
		await removeOldSends(beside, 30);
		await beside.close();
		const left = await database().query<{ state: string }>('select distinct state from relay.send order by state');
		expect(left).toEqual([{ state: 'accepted' }, { state: 'unknown' }]);
		expect((await sendThrough(relay, sms(), { key: 'new-1' })).isReplay).toBe(true);
		expect((await sendThrough(relay, sms(), { key: 'old-2' })).outcome).toBe('unknown');
		expect((await sendThrough(relay, sms(), { key: 'old-1' })).isReplay).toBe(false);
	});

	it('gets an outcome before the relay notes the API key, which may take long', async () => {
		const beside = openPostgres(database().url ?? '');
		let sent: ReturnType<typeof sendThrough> | undefined;
		await beside.transaction(async (sql) => {
			await sql.query('lock table relay.api_key in access exclusive mode');
			sent = sendThrough(relay, sms(), { key: 'note-1', apiKey: 'sk_sandbox_slow' });
			await eventually('the outcome to be stored', async () => {
				const [row] = await database().query(`select 1 as one from relay.send
					where state = 'accepted' and created_at > clock_timestamp() - interval '20 seconds'`);
				return row;
			});
		});
		expect((await sent)?.outcome).toBe('accepted');
		await beside.close();
	});

	it('claims the keys again if PostgreSQL ended the claim because of a deadlock', async () => {
		// The number of the insertion survives a rollback, so exactly one insertion fails.
		await database().query('create sequence deadlock_test');
		await database().query(`create function deadlock_test() returns trigger language plpgsql as $$ begin
			if nextval('deadlock_test') = 1 then raise exception 'deadlock detected' using errcode = '40P01'; end if;
			return new;
		end $$`);
		await database().query(
			'create trigger deadlock_test before insert on relay.send for each row execute function deadlock_test()',
		);
		const [to, other] = ['+233201110001', '+233201110002'];
		const bulk = { ...sms(), to: [to, other], idempotency_keys: ['deadlock-1', 'deadlock-2'] };
		const calls = [
			async () => await sendThrough(relay, sms(), { key: 'deadlock-0' }),
			async () => await callThrough(relay, 'POST', '/sms/bulk', bulk),
		];
		const before = service.received.length;
		for (const call of calls) {
			await database().query(`select setval('deadlock_test', 1, false)`);
			const { status, outcome } = await call();
			expect([status, outcome]).toEqual([200, 'accepted']);
		}
		expect(service.received.length - before).toBe(2);
		await database().query('drop function deadlock_test cascade');
	});

	it('gets an outcome later if the database could not store it at once', async () => {
		const before = service.received.length;
		const held = new Promise<ServerResponse>((resolve) => (service.respond = resolve));
		const sent = sendThrough(relay, sms(), { key: 'later-1' });
		const response = await held;
		await database().query('alter table relay.send rename to send_away');
		accept(response, 'msg_later');
		// The caller gets the response all the same.
		expect([(await sent).status, (await sent).outcome]).toEqual([200, 'accepted']);
		// Without the memory, nothing leaves, and the caller learns nothing about the key.
		const blind = await sendThrough(relay, sms(), { key: 'later-1' });
		expect([blind.status, blind.code, blind.outcome]).toEqual([503, 'unavailable', null]);
		await database().query('alter table relay.send_away rename to send');
		const again = await sendThrough(relay, sms(), { key: 'later-1' });
		expect([again.isReplay, again.outcome]).toEqual([true, 'accepted']);
		expect(again.text).toContain('msg_later');
		expect(service.received.length - before).toBe(1);
	});
});

describe('an API key that the relay does not know', () => {
	const database = useDatabase('folder');
	it('is checked with a free call before it learns anything, and the service may be away', async () => {
		const service = await startService();
		const relay = await database().start({ env: gatewayEnv(service.baseUrl) });
		await sendThrough(relay, sms(), { key: 'rotated-1', apiKey: 'sk_sandbox_old' });
		service.respond = (response, { url }) => {
			if (url.endsWith('/balance')) response.destroy();
			else accept(response);
		};
		const unchecked = await sendThrough(relay, sms(), { key: 'rotated-1', apiKey: 'sk_sandbox_new' });
		expect([unchecked.status, unchecked.code, unchecked.outcome]).toEqual([503, 'api_key_unchecked', null]);
		service.respond = (response) =>
			response.writeHead(200, { 'content-type': 'application/json' }).end('{"balance":10,"currency":"GHS"}');
		const again = await sendThrough(relay, sms(), { key: 'rotated-1', apiKey: 'sk_sandbox_new' });
		expect([again.status, again.isReplay]).toEqual([200, true]);
		const asked = service.received.map(({ url, headers }) => [url, headers['x-api-key']]);
		expect(asked).toEqual([
			['/api/v1/sms/send', 'sk_sandbox_old'],
			['/api/v1/balance', 'sk_sandbox_new'],
			['/api/v1/balance', 'sk_sandbox_new'],
		]);
		// The service revokes it.
		service.respond = (response) => response.writeHead(401).end('{"message":"Invalid API key"}');
		expect((await sendThrough(relay, sms(), { apiKey: 'sk_sandbox_new' })).status).toBe(401);
		const revoked = await sendThrough(relay, sms(), { key: 'rotated-1', apiKey: 'sk_sandbox_new' });
		expect([revoked.status, revoked.code]).toEqual([401, 'api_key_rejected']);
		await relay.stop();
		await service.close();
	});
});

describe('an API key that the relay checks', () => {
	const database = useDatabase('folder');
	const replay = async (relay: Relay) => await sendThrough(relay, sms(), { key: 'paced-1', apiKey: 'sk_sandbox_new' });

	it('is not checked while the service has paused the account, and a 429 of the check pauses the account', async () => {
		const service = await startService();
		const env = gatewayEnv(service.baseUrl, { RELAY_SERVICE_TIMEOUT_SECONDS: '5' });
		const checks = () => service.received.filter(({ url }) => url.endsWith('/balance')).length;
		const tooMany = (response: ServerResponse) => response.writeHead(429, { 'retry-after': '60' }).end('{}');
		const relay = await database().start({ env });
		await sendThrough(relay, sms(), { key: 'paced-1', apiKey: 'sk_sandbox_old' });
		service.respond = tooMany;
		expect((await sendThrough(relay, sms('Other'), { apiKey: 'sk_sandbox_old' })).status).toBe(429);
		expect([(await replay(relay)).code, checks()]).toEqual(['api_key_unchecked', 0]);
		await relay.stop();
		// The embedded database keeps no pause.
		const next = await database().start({ env });
		expect([(await replay(next)).code, checks()]).toEqual(['api_key_unchecked', 1]);
		service.respond = (response) => accept(response);
		const paused = await sendThrough(next, sms('Third'), { apiKey: 'sk_sandbox_old' });
		expect([paused.status, paused.code]).toEqual([429, 'rate_limited']);
		await next.stop();
		await service.close();
	});

	it('counts in the rate of the account', async () => {
		const service = await startService();
		const times: number[] = [];
		service.respond = (response) => {
			times.push(performance.now());
			accept(response);
		};
		const relay = await database().start({ env: gatewayEnv(service.baseUrl, { RELAY_SERVICE_RATE: '1' }) });
		await sendThrough(relay, sms(), { key: 'paced-2', apiKey: 'sk_sandbox_old' });
		const replays = [1, 2].map(
			async (one) => await sendThrough(relay, sms(), { key: 'paced-2', apiKey: `sk_sandbox_${one}` }),
		);
		await Promise.all(replays);
		const gaps = times.slice(1).map((time, place) => time - (times[place] ?? 0));
		expect(gaps).toHaveLength(2);
		expect(Math.min(...gaps)).toBeGreaterThan(700);
		await relay.stop();
		await service.close();
	});
});

describe('a relay that stops', () => {
	const database = useDatabase('folder');
	it('completes calls in flight, and sends nothing that still waits', async () => {
		const service = await startService();
		const env = gatewayEnv(service.baseUrl);
		const relay = await database().start({ env });
		service.respond = (response) => response.writeHead(429, { 'retry-after': '20' }).end('{}');
		const waiting = sendThrough(relay, sms('Waiting'), { key: 'stop-1' });
		await service.waitFor(1);
		const stopped = relay.stop();
		const { outcome } = await waiting;
		expect(outcome).toBe('rejected');
		await stopped;
		const next = await database().start({ env });
		const held = new Promise<ServerResponse>((resolve) => (service.respond = resolve));
		const inFlight = sendThrough(next, sms(), { key: 'stop-2' });
		const response = await held;
		const ended = next.stop();
		// A connection of its own. One that stays open would still be served.
		await eventually('the relay to accept no more', async () => ((await isOpen(next.url)) ? undefined : true));
		accept(response);
		expect((await inFlight).outcome).toBe('accepted');
		await ended;
		const again = await database().start({ env });
		service.respond = (later) => accept(later);
		expect((await sendThrough(again, sms(), { key: 'stop-2' })).isReplay).toBe(true);
		expect((await sendThrough(again, sms('Waiting'), { key: 'stop-1' })).isReplay).toBe(false);
		await again.stop();
		await service.close();
	});
});

/** Whether a connection to a URL can be opened. */
async function isOpen(url: string): Promise<boolean> {
	const socket = connect(Number(new URL(url).port), '127.0.0.1');
	try {
		await once(socket, 'connect');
		return true;
	} catch {
		return false;
	} finally {
		socket.destroy();
	}
}
