import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { ensurePostgres } from '../../scripts/lib/queue/find-servers.mjs';
import { startPostgres } from '../../scripts/lib/queue/servers.mjs';
import { reservePort } from '../../scripts/lib/process/free-port.mjs';
import { endAllProcesses, runProgram } from '../../scripts/lib/process/processes.mjs';
import { relayCommand } from '../../scripts/lib/process/relay.mjs';
import { load, median } from './statistics.mjs';

/**
 * Measures the relay, embedded and on PostgreSQL, over loopback. Run: `npm run bench relay`, or `npm run bench relay
 * embedded 0.1` for one engine and a tenth of the events.
 *
 * - durable ingest with 32 clients, with 0, 1, 3 and 10 subscribers, and with two instances. The peer is HTTP and one
 *   insert on the same engine. Both run in turn, so other load on the machine affects both. The ratio of processor time
 *   depends even less on other load. It includes PostgreSQL and all deliveries.
 * - latency of the response at 20 events a second with ten subscribers (goal: 99 % within 60 ms)
 * - deliveries a second in the fifth 10,000 events, as a ratio to the first (goal: at least 0.9)
 * - a receiver that is away for 40 s: failed attempts (goal: at most 10), time to catch up (goal: 30 s)
 * - start with an existing folder (goal: 2 s), memory after 50,000 events (goal: 600 MB embedded, 350 MB on PostgreSQL)
 *
 * The clients and the receivers run in this process, apart from the relay and the peer. The first round of each case does
 * not count. All of it takes about 17 minutes on an idle machine with 2 cores.
 */
const [asked, share = '1'] = process.argv.slice(2);
const CLIENTS = 32;
const EVENTS = Math.ceil(4_000 * Number(share));
const LONG_ROUND = Math.ceil(10_000 * Number(share));
const ROUNDS = 3;
const LATENCY_WARM_UP = 100;
const INGEST_GOALS = { embedded: { 0: 2, 3: 0.6 }, postgres: { 0: 1, 3: 0.2 } };
const TOKEN = 'rly_bench_token_0123456789abcdef';
const SECRET = 'bench-secret-0123456789abcdef';

const root = join(import.meta.dirname, '..', '..');
const relayMain = join(root, 'relay', 'main.ts');
const agent = new Agent({ connections: CLIENTS, pipelining: 1 });

interface Started {
	readonly child: ChildProcess;
	readonly url: string;
	readonly milliseconds: number;
}

/** Starts the relay as `npm run relay` does. */
async function startRelay(args: readonly string[]): Promise<Started> {
	const inherited = Object.entries(process.env).filter(
		([name]) => !name.startsWith('RELAY_') && name !== 'DATABASE_URL',
	);
	const settings = {
		RELAY_ALLOW: '127.0.0.1',
		RELAY_TOKEN: TOKEN,
		RELAY_INGEST_SECRET: SECRET,
		RELAY_KEY: 'bench-key-0123456789abcdef0123456789',
	};
	const env = { ...Object.fromEntries(inherited), ...settings };
	return await start(relayCommand(['--port', '0', ...args], { env }));
}

/** Starts the peer with the same options of Node. */
async function startPeer(target: string): Promise<Started> {
	const command = relayCommand([target]);
	const file = join(root, 'test', 'bench', 'relayBare.ts');
	return await start({ ...command, args: command.args.map((arg) => (arg === relayMain ? file : arg)) });
}

async function start({ program, args, cwd, env }: ReturnType<typeof relayCommand>): Promise<Started> {
	const began = performance.now();
	const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
	for await (const line of createInterface(child.stdout)) {
		const url = /^ready (\S+)$/.exec(line)?.[1];
		if (url !== undefined) return { child, url, milliseconds: performance.now() - began };
	}
	throw new Error('The relay or its peer ended before it was ready');
}

async function stop({ child }: Started): Promise<void> {
	const exited = once(child, 'exit');
	child.kill('SIGTERM');
	await exited;
}

const memoryMb = ({ child }: Started) =>
	Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? NaN) / 1024;

/** Milliseconds of processor time of some processes so far, and of PostgreSQL with all its connections. */
function processorMs({ server }: Engine, servers: readonly Started[]): number {
	const pids = servers.flatMap(({ child }) => child.pid ?? []);
	const all = server === undefined ? pids : [...pids, server, ...childrenOf(server)];
	// Linux counts in hundredths of a second. The last two fields are those of children that ended.
	return all.reduce(
		(sum, pid) =>
			sum +
			fieldsOf(pid)
				.slice(11, pid === server ? 15 : 13)
				.reduce(add, 0) *
				10,
		0,
	);
}

const add = (sum: number, value: number) => sum + value;

/** The fields of `/proc/<pid>/stat` after the name: the second is the parent, the 12th and 13th the processor time. */
function fieldsOf(pid: number): number[] {
	try {
		return readFileSync(`/proc/${pid}/stat`, 'utf8')
			.replace(/^.*\) /s, '')
			.split(' ')
			.map(Number);
	} catch {
		return [];
	}
}

function childrenOf(parent: number): number[] {
	const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
	return all.map(Number).filter((pid) => fieldsOf(pid)[1] === parent);
}

async function post(url: string, body: object): Promise<void> {
	const response = await request(url, {
		dispatcher: agent,
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	await response.body.dump();
	if (response.statusCode !== 200) throw new Error(`${url} responded ${response.statusCode}`);
}

let made = 0;
const receipt = () => ({ message_id: `m-${(made += 1)}`, status: 'delivered', to: '+233201234567', channel: 'sms' });

/** Events per second from {@link CLIENTS} clients, spread over the URLs. */
async function ingest(urls: readonly string[], count: number): Promise<number> {
	const began = performance.now();
	let left = count;
	const client = async (url: string) => {
		while (left-- > 0) await post(url, receipt());
	};
	await Promise.all(Array.from({ length: CLIENTS }, async (_, index) => await client(urls[index % urls.length] ?? '')));
	return (count / (performance.now() - began)) * 1000;
}

/** A receiver that counts events. While it is away it closes connections. */
async function startReceiver() {
	const state = { events: 0, failed: 0, away: false };
	const server = createServer((incoming, response) => {
		if (state.away) {
			state.failed += 1;
			incoming.destroy();
			return;
		}
		incoming.resume().on('end', () => {
			state.events += 1;
			response.writeHead(200).end();
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return { state, url: `http://127.0.0.1:${port}/`, close: () => void server.close() };
}

async function subscribe(relay: Started, url: string): Promise<void> {
	const { statusCode, body } = await request(`${relay.url}/v1/subscriptions`, {
		method: 'POST',
		headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
		body: JSON.stringify({ url, types: ['message.status'] }),
	});
	if (statusCode !== 201) throw new Error(`The subscription got ${statusCode}: ${await body.text()}`);
	await body.dump();
}

async function until(isDone: () => boolean, withinMs = 300_000): Promise<number> {
	const began = performance.now();
	while (!isDone()) {
		if (performance.now() - began > withinMs) throw new Error('The events did not arrive in time');
		await wait(20);
	}
	return performance.now() - began;
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

async function withSubscribers([relay]: readonly Started[], count: number): Promise<Receiver[]> {
	const receivers = await Promise.all(Array.from({ length: count }, startReceiver));
	for (const { url } of receivers) if (relay) await subscribe(relay, url);
	return receivers;
}

interface Engine {
	readonly name: 'embedded' | 'postgres';
	/** Arguments of a relay with an empty database. */
	readonly fresh: () => Promise<readonly string[]>;
	/** The same, for the bare server. */
	readonly target: () => Promise<string>;
	/** The process of the PostgreSQL server. */
	readonly server?: number;
}

interface Round {
	/** Events per second until all were acknowledged. */
	readonly rate: number;
	/** Milliseconds of processor time for each event, until all were delivered. */
	readonly cost: number;
}

/** One round of ingest, which ends after all deliveries. */
async function ingestRound(
	engine: Engine,
	servers: readonly Started[],
	urls: readonly string[],
	count: number,
	receivers: readonly Receiver[] = [],
): Promise<Round> {
	const expected = receivers.map(({ state }) => state.events + count);
	const before = processorMs(engine, servers);
	const rate = await ingest(urls, count);
	await until(() => receivers.every(({ state }, index) => state.events >= (expected[index] ?? 0)));
	return { rate, cost: (processorMs(engine, servers) - before) / count };
}

async function measureIngest(engine: Engine): Promise<void> {
	const bare = await startPeer(await engine.target());
	await ingestRound(engine, [bare], [bare.url], EVENTS);
	const cases = [0, 1, 3, 10].map((subscribers) => ({ subscribers, instances: 1 }));
	if (engine.name === 'postgres') for (const subscribers of [0, 3]) cases.push({ subscribers, instances: 2 });
	console.log(`${engine.name}: ingest with ${CLIENTS} clients against HTTP and one insert, ${load()}`);
	console.log(row(['subscribers', 'instances', 'events/s', 'of peer', 'goal', 'ms CPU/event', 'of peer', 'MB']));
	for (const { subscribers, instances } of cases) {
		const args = await engine.fresh();
		const relays: Started[] = [];
		for (let index = 0; index < instances; index += 1) relays.push(await startRelay(args));
		const receivers = await withSubscribers(relays, subscribers);
		const urls = relays.map(({ url }) => `${url}/in/${SECRET}`);
		// Ten times the deliveries would take most of the time of the whole benchmark.
		const count = Math.ceil(EVENTS / Math.max(1, subscribers / 3));
		await ingestRound(engine, relays, urls, count, receivers);
		const rounds: Array<{ peer: Round; relay: Round }> = [];
		for (let round = 0; round < ROUNDS; round += 1) {
			const peer = await ingestRound(engine, [bare], [bare.url], count);
			rounds.push({ peer, relay: await ingestRound(engine, relays, urls, count, receivers) });
		}
		const ratio = (of: (round: Round) => number) => median(rounds.map(({ peer, relay }) => of(relay) / of(peer)));
		const goals: Readonly<Record<number, number>> = INGEST_GOALS[engine.name];
		const cells = [
			subscribers,
			instances,
			median(rounds.map(({ relay }) => relay.rate)).toFixed(0),
			ratio(({ rate }) => rate).toFixed(2),
			goals[subscribers] ?? '',
			median(rounds.map(({ relay }) => relay.cost)).toFixed(2),
			ratio(({ cost }) => cost).toFixed(2),
			Math.max(...relays.map(memoryMb)).toFixed(0),
		];
		console.log(row(cells));
		for (const relay of relays) await stop(relay);
		for (const { close } of receivers) close();
	}
	await stop(bare);
}

/** A row of a table with columns of the same width. */
const row = (cells: ReadonlyArray<string | number>) => cells.map((cell) => String(cell).padStart(13)).join('');

async function measureLatency(engine: Engine): Promise<void> {
	const relay = await startRelay(await engine.fresh());
	const receivers = await withSubscribers([relay], 10);
	const url = `${relay.url}/in/${SECRET}`;
	const times: number[] = [];
	const pending: Array<Promise<void>> = [];
	const first = performance.now();
	for (let index = 0; index < LATENCY_WARM_UP + 600; index += 1) {
		await wait(Math.max(0, first + index * 50 - performance.now()));
		const began = performance.now();
		const isWarm = index >= LATENCY_WARM_UP;
		pending.push(
			post(url, receipt()).then(() => {
				if (isWarm) times.push(performance.now() - began);
			}),
		);
	}
	await Promise.all(pending);
	times.sort((one, other) => one - other);
	const at = (share: number) => (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(1);
	console.log(
		`${engine.name}: response at 20 events/s, 10 subscribers: median ${at(0.5)} ms, 99 % ${at(0.99)} ms, worst ${at(1)} ms, ${load()}`,
	);
	await stop(relay);
	for (const { close } of receivers) close();
}

async function measureLongRun(engine: Engine): Promise<void> {
	const args = await engine.fresh();
	const relay = await startRelay(args);
	const [receiver] = await withSubscribers([relay], 1);
	if (!receiver) return;
	const rates: number[] = [];
	for (let round = 1; round <= 5; round += 1) {
		const began = performance.now();
		await ingest([`${relay.url}/in/${SECRET}`], LONG_ROUND);
		await until(() => receiver.state.events >= round * LONG_ROUND);
		rates.push((LONG_ROUND / (performance.now() - began)) * 1000);
	}
	const ratio = (rates[4] ?? 0) / (rates[0] ?? 1);
	console.log(
		`${engine.name}: ${5 * LONG_ROUND} events, deliveries/s ${rates.map((rate) => rate.toFixed(0)).join(', ')}: fifth/first ${ratio.toFixed(2)}, ${memoryMb(relay).toFixed(0)} MB`,
	);
	await stop(relay);
	const again = await startRelay(args);
	console.log(
		`${engine.name}: ready after ${again.milliseconds.toFixed(0)} ms with an existing database, process included`,
	);
	await stop(again);
	receiver.close();
}

async function measureOutage(engine: Engine): Promise<void> {
	const relay = await startRelay(await engine.fresh());
	const [away, other] = await withSubscribers([relay], 2);
	if (!away || !other) return;
	away.state.away = true;
	const began = performance.now();
	// By the clock, because the time of the requests would make the outage longer on a busy machine.
	for (let index = 0; index < 1_500; index += 1) {
		await wait(Math.max(0, began + (index * 40_000) / 1_500 - performance.now()));
		await post(`${relay.url}/in/${SECRET}`, receipt());
	}
	const failed = away.state.failed;
	const otherHad = other.state.events;
	away.state.away = false;
	const caughtUp = await until(() => away.state.events >= 1_500);
	console.log(
		`${engine.name}: away for 40 s: ${failed} failed attempts, caught up after ${(caughtUp / 1000).toFixed(1)} s, the other receiver had ${otherHad} of 1500`,
	);
	await stop(relay);
	away.close();
	other.close();
}

const folder = mkdtempSync(join(tmpdir(), 'bench-relay-'));
let folders = 0;
const newFolder = () => join(folder, String((folders += 1)));
const engines: Engine[] = [
	{
		name: 'embedded',
		fresh: () => Promise.resolve(['--folder', newFolder()]),
		target: () => Promise.resolve(newFolder()),
	},
];
if (asked !== 'embedded') {
	engines.push(await postgresEngine(await ensurePostgres({ install: false, command: 'npm run bench relay' })));
}

async function postgresEngine(programs: Awaited<ReturnType<typeof ensurePostgres>>): Promise<Engine> {
	const port = await reservePort(4970);
	// PostgreSQL may run as another user, who must be able to enter this folder.
	chmodSync(folder, 0o711);
	const server = await startPostgres({
		programs,
		port,
		folder: newFolder(),
		logFile: join(folder, 'postgres.log'),
		durable: true,
	});
	const url = (database: string) => `postgres://${server.user}:${server.password}@127.0.0.1:${port}/${database}`;
	const createdb = join(dirname(programs.initdb), 'createdb');
	const create = async () => {
		const name = `bench_${(folders += 1)}`;
		await runProgram('createdb', createdb, [`--maintenance-db=${url(server.database)}`, name], {
			cwd: folder,
			env: { PATH: process.env.PATH },
			logFile: join(folder, 'createdb.log'),
		});
		return url(name);
	};
	return {
		name: 'postgres',
		fresh: async () => ['--folder', newFolder(), '--database', await create()],
		target: create,
		server: server.started.group,
	};
}

for (const engine of engines.filter(({ name }) => asked === undefined || asked === name)) {
	await measureIngest(engine);
	await measureLatency(engine);
	await measureLongRun(engine);
	await measureOutage(engine);
}
await agent.close();
await endAllProcesses();
rmSync(folder, { recursive: true, force: true });
