import { execFile } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod/v4';
import { openPostgres } from '../../relay/database/postgres';
import { MOVED_TABLES } from '../../relay/move/tables';
import { isLong } from '../support/random';
import { builtRelay } from '../support/relay/builtRelay';
import { testClock } from '../support/relay/clock';
import { startReceiver, type Receiver } from '../support/relay/receiver';
import { relayFolder, RELAY_TOKEN, startRelay, type Relay } from '../support/relay/relay';
import { SHORT_LIVED, startRelayProcess } from '../support/relay/relayProcess';
import { gatewayEnv, sendThrough, sms } from '../support/relay/gateway';
import { accept as acceptSend, startService } from './sends/service';

const newKey = 'encryption-key-of-the-new-database-0001';
/** Each has four statuses. */
const messages = isLong ? 250 : 75;

/** How long all deliveries may take on a busy machine, in milliseconds. */
const deliveryMs = 120_000;

// Each test starts up to three relays.
jest.setTimeout(2 * deliveryMs);

const statuses = ['queued', 'submitted', 'sent', 'delivered'];

const acknowledged = z.object({ id: z.string(), duplicate: z.literal(false) });
const created = z.object({ id: z.string(), secret: z.string() });

let folder: string;
let database: string;
let waiting: Receiver;
let served: Receiver;
let running: Relay | undefined;

/** Runs `relay move`. @returns its exit code and output */
async function runMove(env: Record<string, string> = {}): Promise<{ code: number; output: string }> {
	const args = [...SHORT_LIVED, builtRelay().program, 'move', '--folder', folder, '--database', database];
	try {
		const run = promisify(execFile)(process.execPath, args, { env: { PATH: process.env.PATH, ...env } });
		return { code: 0, output: (await run).stdout };
	} catch (error) {
		const { code, stderr } = z.object({ code: z.number(), stderr: z.string() }).parse(error);
		return { code, output: stderr };
	}
}

async function start(options: Parameters<typeof startRelay>[0]): Promise<Relay> {
	running = await startRelay(options);
	return running;
}

async function subscribe(relay: Relay, url: string): Promise<z.output<typeof created>> {
	const response = await relay.api('POST', '/v1/subscriptions', { url, types: ['message.status'] });
	return created.parse(await response.json());
}

/** The tables of the relay in the new database, with the number of their rows. */
async function rowCounts(): Promise<Record<string, number>> {
	const postgres = openPostgres(database);
	try {
		const tables = await postgres.query<{ name: string }>(
			`select table_name as name from information_schema.tables where table_schema = 'relay'`,
		);
		const counts: Record<string, number> = {};
		for (const { name } of tables) {
			const [row] = await postgres.query<{ count: number }>(`select count(*)::int as count from relay.${name}`);
			counts[name] = row?.count ?? 0;
		}
		return counts;
	} finally {
		await postgres.close();
	}
}

beforeEach(async () => {
	const server = process.env.RELAY_TEST_POSTGRES;
	if (!server) throw new Error('RELAY_TEST_POSTGRES is not set: run this with npm run test:relay');
	const name = `move_${randomBytes(6).toString('hex')}`;
	const admin = openPostgres(server);
	await admin.query(`create database ${name}`);
	await admin.close();
	database = Object.assign(new URL(server), { pathname: `/${name}` }).href;
	folder = relayFolder();
	[waiting, served] = [await startReceiver(), await startReceiver()];
});

afterEach(async () => {
	await running?.stop();
	await Promise.all([waiting.close(), served.close()]);
});

test(`moves ${messages * statuses.length} pending deliveries to PostgreSQL, where each arrives once and in order`, async () => {
	// With the key file of the folder.
	const old = await start({ folder, env: { RELAY_KEY: '' } });
	const { id, secret } = await subscribe(old, waiting.url);
	await subscribe(old, served.url);
	await old.api('PATCH', `/v1/subscriptions/${id}`, { state: 'paused' });
	const ids: string[] = [];
	for (const status of statuses) {
		const responses = Array.from({ length: messages }, async (_, index) => {
			const response = await old.post({ message_id: `msg_${index}`, status, to: '+233201234567' });
			return acknowledged.parse(await response.json()).id;
		});
		ids.push(...(await Promise.all(responses)));
	}
	await served.waitFor(ids.length, deliveryMs);
	await old.stop();

	const moved = await runMove({ RELAY_KEY: newKey });
	expect(moved).toMatchObject({
		code: 0,
		output: expect.stringContaining(`${2 * ids.length} deliveries, ${ids.length} of them pending`) as string,
	});
	// Its tokens, ingest secret and key come from the database.
	const env = { RELAY_KEY: newKey, RELAY_TOKEN: '', RELAY_INGEST_SECRET: '' };
	const relay = await start({ database, env });
	expect(waiting.requests).toHaveLength(0);
	await relay.api('PATCH', `/v1/subscriptions/${id}`, { state: 'active' });
	const events = await waiting.waitFor(ids.length, deliveryMs);

	// The last response must be on disk before the counts are compared.
	await relay.stop();
	expect(events.map((event) => event.id).sort()).toEqual(ids.sort());
	expect(served.requests).toHaveLength(ids.length);
	for (const [message, own] of Map.groupBy(events, ({ data }) => data.message_id)) {
		expect([message, own.map(({ data }) => data.status)]).toEqual([message, statuses]);
	}
	const [first] = waiting.requests;
	if (!first) throw new Error('No request arrived');
	const { headers, text } = first;
	const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`;
	const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
	expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
});

test('moves the memory of duplicates, and continues the sequence of events', async () => {
	const old = await start({ folder });
	const inbound = { from: '+233201234567', to: 'KOFISHOP', message: 'HOURS', message_id: 'in_1' };
	const receipt = { message_id: 'msg_1', status: 'delivered', to: '+233201234567' };
	for (const body of [inbound, receipt]) expect((await old.post(body)).status).toBe(200);
	const key = { RELAY_KEY: 'encryption-key-for-tests-only-00000001' };
	await old.stop();
	expect((await runMove(key)).code).toBe(0);

	const relay = await start({ database });
	for (const body of [inbound, receipt])
		expect(await (await relay.post(body)).json()).toMatchObject({ duplicate: true });
	expect((await relay.post({ ...receipt, message_id: 'msg_2' })).status).toBe(200);
	const { data } = z
		.object({ data: z.array(z.object({ sequence: z.number() })) })
		.parse(await (await relay.api('GET', '/v1/events')).json());
	expect(data.map(({ sequence }) => sequence)).toEqual([3, 2, 1]);
});

test('moves the memory of sends, also to another encryption key', async () => {
	const service = await startService();
	const old = await start({ folder, env: gatewayEnv(service.baseUrl, { RELAY_KEY: '' }) });
	expect((await sendThrough(old, sms(), { key: 'accepted-1' })).outcome).toBe('accepted');
	service.respond = (response) => response.destroy();
	expect((await sendThrough(old, sms(), { key: 'unknown-1' })).outcome).toBe('unknown');
	await old.stop();
	expect((await runMove({ RELAY_KEY: newKey })).code).toBe(0);

	const relay = await start({ database, env: gatewayEnv(service.baseUrl, { RELAY_KEY: newKey }) });
	for (const [key, outcome] of Object.entries({ 'accepted-1': 'accepted', 'unknown-1': 'unknown' })) {
		const again = await sendThrough(relay, sms(), { key });
		expect([key, again.outcome, again.isReplay]).toEqual([key, outcome, true]);
	}
	const unknown: unknown = await (await relay.api('GET', '/v1/sends?state=unknown')).json();
	expect(unknown).toMatchObject({ data: [{ to: sms().to }] });
	expect(service.received).toHaveLength(2);
	await service.close();
});

test('moves a key that was freed by its age, with the sends of both calls', async () => {
	const service = await startService();
	let count = 0;
	service.respond = (response) => acceptSend(response, `msg_${(count += 1)}`);
	const clock = testClock();
	const old = await startRelayProcess({ folder, env: gatewayEnv(service.baseUrl, { RELAY_KEY: '', ...clock.env }) });
	const send = async (relay: Relay, call: string) => {
		const headers = { 'relay-attempt': `1;call="${call}"`, 'relay-key-max-age': '300' };
		const { isReplay, text } = await sendThrough(relay, sms(), { key: 'aged-1', headers });
		return { isReplay, id: z.object({ message_id: z.string() }).parse(JSON.parse(text)).message_id };
	};
	expect(await send(old, 'first')).toEqual({ isReplay: false, id: 'msg_1' });
	await clock.move(old, 301_000);
	expect(await send(old, 'second')).toEqual({ isReplay: false, id: 'msg_2' });
	await old.stop();
	expect((await runMove({ RELAY_KEY: newKey })).code).toBe(0);

	const relay = await start({ database, env: gatewayEnv(service.baseUrl, { RELAY_KEY: newKey }) });
	expect(await send(relay, 'first')).toEqual({ isReplay: true, id: 'msg_1' });
	expect(await send(relay, 'second')).toEqual({ isReplay: true, id: 'msg_2' });
	expect(await send(relay, 'third')).toEqual({ isReplay: true, id: 'msg_2' });
	expect(service.received).toHaveLength(2);
	await service.close();
});

test('moves the rows of every table', async () => {
	const service = await startService();
	const old = await start({ folder, env: gatewayEnv(service.baseUrl, { RELAY_KEY: '', RELAY_SERVICE_RATE: '100' }) });
	expect((await sendThrough(old, sms(), { key: 'moved-1' })).status).toBe(200);
	service.respond = (response) => response.writeHead(422).end('{"success":false}');
	const headers = { 'relay-attempt': '2;call="moved"' };
	expect((await sendThrough(old, sms(), { key: 'moved-2', headers })).outcome).toBe('rejected');
	await service.close();
	await subscribe(old, served.url);
	const login = await fetch(`${old.url}/session`, {
		method: 'POST',
		headers: { origin: old.url, 'content-type': 'application/json' },
		body: JSON.stringify({ token: RELAY_TOKEN }),
	});
	expect(login.status).toBe(200);
	expect((await old.post({ message_id: 'msg_1', status: 'sent', to: '+233201234567' })).status).toBe(200);
	expect((await old.post({ from: '+233201234567', to: 'KOFISHOP', message: 'HOURS' })).status).toBe(200);
	await old.stop();
	expect((await runMove()).code).toBe(0);
	const { migration, ...counts } = await rowCounts();
	expect(migration).toBeGreaterThan(0);
	expect(Object.keys(counts).sort()).toEqual(MOVED_TABLES.map(({ name }) => name).sort());
	for (const [name, count] of Object.entries(counts)) expect([name, count > 0]).toEqual([name, true]);
});

test('rejects a running relay, a database with data, and a start on a folder that was moved', async () => {
	const old = await start({ folder, env: { RELAY_KEY: '' } });
	expect(await runMove()).toMatchObject({
		code: 2,
		output: expect.stringContaining('Another process uses the folder') as string,
	});
	await old.stop();
	expect(await runMove({ RELAY_KEY: '' })).toMatchObject({ code: 0 });
	await expect(start({ folder })).rejects.toThrow('was moved to PostgreSQL');

	folder = relayFolder();
	await (await start({ folder, env: { RELAY_KEY: '' } })).stop();
	expect(await runMove()).toMatchObject({
		code: 2,
		output: expect.stringContaining('already has data of a relay') as string,
	});
	// The folder still works.
	await start({ folder, env: { RELAY_KEY: '' } });
});

test('names the missing key, and leaves the folder as it was', async () => {
	await (await start({ folder })).stop();
	expect(await runMove({ RELAY_KEY: newKey })).toMatchObject({
		code: 2,
		output: expect.stringContaining('No key opens') as string,
	});
	await start({ folder });
});
