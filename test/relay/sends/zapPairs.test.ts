import { z } from 'zod/v4';
import { startSlowService, type SlowService } from '../../support/queue/slowService';
import { isLong } from '../../support/random';
import { useDatabase, type TestDatabase } from '../../support/relay/databases';
import { gatewayEnv } from '../../support/relay/gateway';
import type { RelayProcess } from '../../support/relay/relayProcess';
import { useSandbox } from '../../support/useSandbox';
import { numbers, toList } from '../../support/zapier/bulkStep';
import { startZapProcess, type ZapProcess, type ZapRequest } from '../../support/zapier/zapProcess';

/** Pairs of each kind whose steps run at the same time. Set ZAPIER_PAIRS for another number. */
const PAIRS = z.coerce
	.number()
	.int()
	.positive()
	.parse(process.env.ZAPIER_PAIRS ?? (isLong ? 1_000 : 10));

/** Pairs that may start. If one step ends before the other one begins, their pair is checked and not counted. */
const MOST_PAIRS = 4 * PAIRS;

/** How long the service holds a request, in milliseconds. The second of a pair then meets the first one in flight. */
const HOLD_MS = 20;

/** Steps that run at the same time after a kill of the relay. */
const REPLAYS_AT_ONCE = 8;

const LIMIT_MS = 120_000 + PAIRS * 5_000;

const sentSms = z.looseObject({ message_id: z.string(), already_sent: z.boolean() });
const sentBulk = z.looseObject({
	results: z.array(z.looseObject({ to: z.string(), message_id: z.string(), already_sent: z.boolean() })),
});

/** A message that a step returned. */
interface Sent {
	readonly to: string;
	readonly message_id: string;
	readonly already_sent: boolean;
}

/** How the pairs send. */
interface Way {
	readonly title: string;
	/** Numbers that only one pair has. */
	readonly numbersPerPair: number;
	/** The recipients of the two steps of a pair. */
	readonly recipients: (own: readonly string[]) => readonly [readonly string[], readonly string[]];
	readonly step: (to: readonly string[], key: string) => Omit<ZapRequest, 'account'>;
	/** Reads the messages in the results of a step. */
	readonly read: (results: unknown, to: readonly string[]) => Sent[];
}

const WAYS: readonly Way[] = [
	{
		title: 'Send SMS',
		numbersPerPair: 1,
		recipients: (own) => [own, own],
		step: (to, send_once_key) => ({
			method: 'sendSms',
			inputs: { sender_id: 'KOFISHOP', message: 'Your order is ready.', to: to.join(), send_once_key },
		}),
		read: (results, to) => [{ ...sentSms.parse(results), to: to.join() }],
	},
	{
		title: 'Send Bulk SMS, with some recipients in both',
		numbersPerPair: 4,
		// In the other order, so that two processes that wait for each other would show.
		recipients: ([first = '', ...others]) => [[first, ...others.slice(0, 2)], others.toReversed()],
		step: (to, send_once_key) => ({ method: 'sendBulkSms', inputs: toList(to, { send_once_key }) }),
		read: (results) => sentBulk.parse(results).results,
	},
];

const { sandbox, control } = useSandbox();
let service: SlowService;
/** The relay of the running test. */
let relay: RelayProcess;
let zaps: readonly [ZapProcess, ZapProcess];

beforeAll(async () => {
	service = await startSlowService(sandbox.url, HOLD_MS);
	zaps = await Promise.all([startZapProcess(), startZapProcess()]);
}, 120_000);
beforeEach(async () => {
	// The clock of the sandbox is stopped, so its rate limit would never admit more.
	await control.settings({ requests_per_second: 1_000_000 });
	await control.adjustWallet(MOST_PAIRS);
});
afterEach(async () => await relay.stop());
afterAll(async () => await Promise.all([service.close(), ...zaps.map(async ({ kill }) => await kill())]));

async function startRelay(database: TestDatabase, port?: number): Promise<void> {
	relay = await database.startProcess({ env: gatewayEnv(service.baseUrl), ...(port !== undefined && { port }) });
}

/** A step that ran in one of the processes. */
interface Step {
	readonly zap: ZapProcess;
	readonly to: readonly string[];
	readonly key: string;
	/** The messages in its results. */
	readonly sent: readonly Sent[];
}

async function run(way: Way, { zap, to, key }: Omit<Step, 'sent'>) {
	const account = { base_url: `${relay.url}/api/v1/`, api_key: sandbox.apiKey, base_url_is_relay: 'true' };
	const { failure, results, ...times } = await zap.run({ account, ...way.step(to, key) });
	expect([key, failure]).toEqual([key, undefined]);
	return { ...times, step: { zap, to, key, sent: way.read(results, to) } };
}

/** Runs pairs of steps in the two processes, one pair after the other, until enough of them ran at the same time. */
async function runPairs(way: Way, keysOf: (pair: number) => readonly [string, string]) {
	const everyone = numbers(MOST_PAIRS * way.numbersPerPair);
	const steps: Step[] = [];
	let [all, together] = [0, 0];
	for (; together < PAIRS && all < MOST_PAIRS; all += 1) {
		const [left, right] = way.recipients(everyone.slice(all * way.numbersPerPair, (all + 1) * way.numbersPerPair));
		const [leftKey, rightKey] = keysOf(all);
		const [one, other] = await Promise.all([
			run(way, { zap: zaps[0], to: left, key: `${way.title} ${leftKey}` }),
			run(way, { zap: zaps[1], to: right, key: `${way.title} ${rightKey}` }),
		]);
		expect(one.pid).not.toBe(other.pid);
		steps.push(one.step, other.step);
		if (Math.max(one.began, other.began) < Math.min(one.ended, other.ended)) together += 1;
	}
	return { steps, all, together };
}

/** The IDs of the messages that the sandbox accepted, by number. */
async function acceptedIds(): Promise<Map<string, string[]>> {
	const ids = new Map<string, string[]>();
	for (const { to, message_id } of await control.messages()) ids.set(to, [...(ids.get(to) ?? []), message_id]);
	return ids;
}

/** Kills the relay, and runs all steps again. No key may be forgotten. */
async function expectReplays(database: TestDatabase, way: Way, steps: readonly Step[]) {
	await relay.kill();
	await startRelay(database, Number(new URL(relay.url).port));
	const { balance } = await control.wallet();
	const replay = async (before: Step) => {
		const { step } = await run(way, before);
		expect(step.sent.map(({ to, message_id, already_sent }) => ({ to, message_id, already_sent }))).toEqual(
			before.sent.map(({ to, message_id }) => ({ to, message_id, already_sent: true })),
		);
	};
	for (let from = 0; from < steps.length; from += REPLAYS_AT_ONCE) {
		await Promise.all(steps.slice(from, from + REPLAYS_AT_ONCE).map(replay));
	}
	expect((await control.wallet()).balance).toBe(balance);
}

describe(`${PAIRS} pairs of Zaps in two processes at the same instant`, () => {
	const database = useDatabase('postgres');

	test.each(WAYS)(
		'send one message per recipient with the same key: $title',
		async (way) => {
			await startRelay(database());
			const { steps, all, together } = await runPairs(way, (pair) => [`same ${pair}`, `same ${pair}`]);
			const accepted = await acceptedIds();
			expect([...accepted.values()].filter((ids) => ids.length !== 1)).toEqual([]);
			const reported = steps.flatMap(({ sent }) => sent);
			expect(new Set(reported.map(({ to }) => to))).toEqual(new Set(accepted.keys()));
			expect(reported.filter(({ to, message_id }) => accepted.get(to)?.[0] !== message_id)).toEqual([]);
			// Exactly one of the rows of each message is about its sending.
			const first = reported.filter(({ already_sent }) => !already_sent).map(({ to }) => to);
			expect(first.sort()).toEqual([...accepted.keys()].sort());
			await expectReplays(database(), way, steps);
			console.info(`${way.title}, ${database().kind}, one key: ${all} pairs, ${together} at the same time, 0 doubles`);
			expect(together).toBe(PAIRS);
		},
		LIMIT_MS,
	);

	test.each(WAYS)(
		'send all messages with different keys, and forget no key: $title',
		async (way) => {
			await startRelay(database());
			const { steps, all, together } = await runPairs(way, (pair) => [`left ${pair}`, `right ${pair}`]);
			const reported = steps.flatMap(({ sent }) => sent);
			expect(reported.filter(({ already_sent }) => already_sent)).toEqual([]);
			const accepted = [...(await acceptedIds()).values()].flat();
			expect(reported.map(({ message_id }) => message_id).sort()).toEqual(accepted.sort());
			expect(new Set(accepted).size).toBe(reported.length);
			await expectReplays(database(), way, steps);
			console.info(
				`${way.title}, ${database().kind}, two keys: ${all} pairs, ${together} at the same time, 0 forgotten`,
			);
			expect(together).toBe(PAIRS);
		},
		LIMIT_MS,
	);
});
