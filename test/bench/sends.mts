import { join } from 'node:path';
import { Agent } from 'undici';
import { z } from 'zod/v4';
import { contract, createClient, type Client } from '../../shared';
import { undiciTransport } from '../../shared/transports/undici';
import { startPart } from './processes.mjs';
import { processorMs, row, startRelay, stop, withEngines, type Engine, type Started } from './relayServers.mjs';
import { load, median } from './statistics.mjs';

/**
 * Compares sends through the relay, each with an idempotency key of its own, with direct ones: one client, one bare
 * service in a process of its own, in turn. A send through the relay is on disk before it leaves, and its outcome is on
 * disk before the client gets the response. Run: `npm run bench sends`, or `npm run bench sends embedded 0.1` for one
 * engine and a tenth of the sends.
 *
 * - the service responds after 50 ms: at most 1.3 times the time of direct sends
 * - it responds at once: at least 0.4 of the throughput of direct sends
 *
 * Checks each round: the service got every message exactly once. Processor time is that of the relay and PostgreSQL for
 * one send. The first round of each case does not count. All of it takes about 13 minutes on an idle machine.
 */
const [asked, share = '1'] = process.argv.slice(2);
const SENDS = Math.ceil(1_000 * Number(share));
const CASES = [
	{ latencyMs: 0, atOnce: 1, rounds: 5 },
	{ latencyMs: 0, atOnce: 50, rounds: 7 },
	{ latencyMs: 50, atOnce: 1, rounds: 3 },
	{ latencyMs: 50, atOnce: 50, rounds: 5 },
] as const;
const LONGEST_TIMES = 1.3;
const LEAST_THROUGHPUT = 0.4;

type Case = (typeof CASES)[number];

const report = z.object({ received: z.number(), recipients: z.number() });
const service = await startPart(join(import.meta.dirname, 'latentService.mts'), [], { execArgv: ['--import', 'tsx'] });
const { plainPort } = z.object({ plainPort: z.number() }).parse(service.first);
const serviceUrl = `http://127.0.0.1:${plainPort}`;
const agent = new Agent({ connections: 50 });
const transport = undiciTransport({ dispatcher: agent });
const apiKey = 'sk_sandbox_bench';
const direct = createClient({ baseUrl: `${serviceUrl}/api/v1/`, apiKey, transport });

let made = 0;

/** Milliseconds for all sends of a round. */
async function send(client: Client, atOnce: number, count: number, withKeys: boolean): Promise<number> {
	const began = performance.now();
	let left = count;
	const caller = async () => {
		while (left-- > 0) {
			const number = String((made += 1)).padStart(7, '0');
			const input = { ...contract.sms.send.example.input, to: `+23320${number}` };
			await client.sms.send(input, withKeys ? { idempotencyKey: `bench-${number}` } : {});
		}
	};
	await Promise.all(Array.from({ length: atOnce }, caller));
	return performance.now() - began;
}

interface Round {
	readonly milliseconds: number;
	/** Milliseconds of processor time of the relay for each send. */
	readonly cost: number;
}

/** One round, after which the service has got each message once. */
async function checkedRound(measure: () => Promise<number>, cost: () => number, { latencyMs }: Case): Promise<Round> {
	const before = cost();
	const milliseconds = await measure();
	const { received, recipients } = report.parse(await service.ask({ latencyMs }));
	if (received !== SENDS || recipients !== SENDS) {
		throw new Error(`The service got ${received} messages to ${recipients} recipients, not ${SENDS}`);
	}
	return { milliseconds, cost: (cost() - before) / SENDS };
}

async function compare(engine: Engine, relay: Started, client: Client, one: Case): Promise<void> {
	const { latencyMs, atOnce, rounds } = one;
	await service.ask({ latencyMs });
	for (const each of [direct, client]) await send(each, atOnce, Math.ceil(SENDS / 5), each === client);
	await service.ask({ latencyMs });
	const cost = () => processorMs(engine, [relay]);
	const results: Array<{ direct: Round; relay: Round }> = [];
	for (let round = 0; round < rounds; round += 1) {
		results.push({
			direct: await checkedRound(async () => await send(direct, atOnce, SENDS, false), cost, one),
			relay: await checkedRound(async () => await send(client, atOnce, SENDS, true), cost, one),
		});
	}
	const times = median(results.map((result) => result.relay.milliseconds / result.direct.milliseconds));
	const perSecond = (of: 'direct' | 'relay') =>
		((SENDS / median(results.map((result) => result[of].milliseconds))) * 1000).toFixed(0);
	const isMet = latencyMs === 0 ? 1 / times >= LEAST_THROUGHPUT : times <= LONGEST_TIMES;
	const cells = [
		latencyMs,
		atOnce,
		perSecond('direct'),
		perSecond('relay'),
		times.toFixed(2),
		(1 / times).toFixed(2),
		latencyMs === 0 ? `>= ${LEAST_THROUGHPUT} sends` : `<= ${LONGEST_TIMES} time`,
		isMet ? '' : 'missed',
		median(results.map((result) => result.relay.cost)).toFixed(2),
	];
	console.log(row(cells));
}

await withEngines(asked, 'sends', async (engine) => {
	const relay = await startRelay(await engine.fresh(), { RELAY_SERVICE_URL: serviceUrl });
	const client = createClient({ baseUrl: `${relay.url}/api/v1/`, apiKey, transport, relay: true });
	console.log(`${engine.name}: ${SENDS} sends through the relay against direct ones, ${load()}`);
	console.log(
		row(['latency ms', 'at once', 'direct/s', 'relay/s', 'times as long', 'of direct/s', 'goal', '', 'ms CPU/send']),
	);
	for (const one of CASES) await compare(engine, relay, client, one);
	await stop(relay);
});
await agent.close();
await service.stop();
