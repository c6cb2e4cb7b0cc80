import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';
import {
	memoryMb,
	processorMs,
	row,
	SECRET,
	startPeer,
	startRelay,
	stop,
	TOKEN,
	withEngines,
	type Engine,
	type Started,
} from './relayServers.mjs';
import { load, median } from './statistics.mjs';

/**
 * Measures the relay, embedded and on PostgreSQL, over loopback. Run: `npm run bench relay`, or `npm run bench relay
 * embedded 0.1` for one engine and a tenth of the events. Names of parts may follow: `npm run bench relay embedded 1
 * latency`.
 *
 * - `ingest`: durable ingest with 32 clients, with 0, 1, 3 and 10 subscribers, and with two instances. The peer is HTTP
 *   and one insert on the same engine. Two relays are compared with one peer and with two. Relays and peers run in turn,
 *   so other load on the machine affects both. The ratio of processor time depends even less on other load. It includes
 *   PostgreSQL and all deliveries.
 * - `latency` of the response at 20 events a second with ten subscribers (goal: 99 % within 60 ms)
 * - `long`: deliveries a second in the fifth 10,000 events, as a ratio to the first (goal: at least 0.9), memory after
 *   50,000 events (goal: 600 MB embedded, 350 MB on PostgreSQL), and a start with this database (goal: 2 s)
 * - `outage`: a receiver that is away for 40 s: failed attempts (goal: at most 10), time to catch up (goal: 30 s)
 *
 * The clients and the receivers run in this process, apart from the relay and the peer. The first round of each case does
 * not count. All of it takes about 17 minutes on an idle machine with 2 cores.
 */
const [asked, share = '1', ...askedParts] = process.argv.slice(2);
const CLIENTS = 32;
const EVENTS = Math.ceil(4_000 * Number(share));
const LONG_ROUND = Math.ceil(10_000 * Number(share));
const ROUNDS = 3;
const LATENCY_WARM_UP = 100;
const INGEST_GOALS = { embedded: { 0: 2, 3: 0.6 }, postgres: { 0: 1, 3: 0.2 } };
const agent = new Agent({ connections: CLIENTS, pipelining: 1 });

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

/** Relays and peers of one comparison. The peers share one database, as the relays do. */
interface Case {
	readonly subscribers: number;
	readonly relays: number;
	/** How many peers to compare with, for one row of the table each. */
	readonly peers: readonly number[];
}

/** Two relays are compared with two peers, and with the best that one peer does with all the processor time. */
function casesOf(engine: Engine): Case[] {
	const one = [0, 1, 3, 10].map((subscribers) => ({ subscribers, relays: 1, peers: [1] }));
	if (engine.name === 'embedded') return one;
	return [...one, ...[0, 3].map((subscribers) => ({ subscribers, relays: 2, peers: [1, 2] }))];
}

async function measureIngest(engine: Engine): Promise<void> {
	const cases = casesOf(engine);
	const target = await engine.target();
	const peers: Started[] = [];
	for (let count = Math.max(...cases.flatMap((one) => one.peers)); count > 0; count -= 1) {
		const peer = await startPeer(target);
		await ingestRound(engine, [peer], [peer.url], EVENTS);
		peers.push(peer);
	}
	console.log(`${engine.name}: ingest with ${CLIENTS} clients against HTTP and one insert, ${load()}`);
	console.log(row(['subscribers', 'relays', 'peers', 'events/s', 'of peer', 'goal', 'ms CPU/event', 'of peer', 'MB']));
	for (const one of cases) await compareIngest(engine, peers, one);
	for (const peer of peers) await stop(peer);
}

async function compareIngest(engine: Engine, peers: readonly Started[], { subscribers, ...counts }: Case) {
	const args = await engine.fresh();
	const relays: Started[] = [];
	for (let index = 0; index < counts.relays; index += 1) relays.push(await startRelay(args));
	const receivers = await withSubscribers(relays, subscribers);
	const urls = relays.map(({ url }) => `${url}/in/${SECRET}`);
	// Ten times the deliveries would take most of the time of the whole benchmark.
	const events = Math.ceil(EVENTS / Math.max(1, subscribers / 3));
	const contestants = counts.peers.map((count) => peers.slice(0, count));
	await ingestRound(engine, relays, urls, events, receivers);
	const rounds: Array<{ peers: Round[]; relay: Round }> = [];
	for (let round = 0; round < ROUNDS; round += 1) {
		const theirs: Round[] = [];
		for (const some of contestants) {
			theirs.push(
				await ingestRound(
					engine,
					some,
					some.map(({ url }) => url),
					events,
				),
			);
		}
		rounds.push({ peers: theirs, relay: await ingestRound(engine, relays, urls, events, receivers) });
	}
	const goals: Readonly<Record<number, number>> = INGEST_GOALS[engine.name];
	for (const [index, count] of counts.peers.entries()) {
		const ratio = (of: (round: Round) => number) =>
			median(rounds.map(({ peers: theirs, relay }) => of(relay) / (theirs[index] ? of(theirs[index]) : NaN)));
		const cells = [
			subscribers,
			counts.relays,
			count,
			median(rounds.map(({ relay }) => relay.rate)).toFixed(0),
			ratio(({ rate }) => rate).toFixed(2),
			goals[subscribers] ?? '',
			median(rounds.map(({ relay }) => relay.cost)).toFixed(2),
			ratio(({ cost }) => cost).toFixed(2),
			Math.max(...relays.map(memoryMb)).toFixed(0),
		];
		console.log(row(cells));
	}
	for (const relay of relays) await stop(relay);
	for (const { close } of receivers) close();
}

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

const parts = { ingest: measureIngest, latency: measureLatency, long: measureLongRun, outage: measureOutage };
await withEngines(asked, 'relay', async (engine) => {
	for (const [name, measure] of Object.entries(parts)) {
		if (askedParts.length === 0 || askedParts.includes(name)) await measure(engine);
	}
});
await agent.close();
