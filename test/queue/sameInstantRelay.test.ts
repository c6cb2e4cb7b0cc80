import { countMessages, recipients, sending, withKey, type Person } from '../support/queue/campaign';
import { createWebhookWorkflow, type QueueExecution, type WebhookWorkflow } from '../support/queue/n8nQueue';
import { queueSandbox } from '../support/queue/queueSandbox';
import { bothWorkers, executionsStartedBy, readSetup } from '../support/queue/queueSetup';
import { createRelayedCredential, listSends } from '../support/queue/relaySends';
import { startSlowService, type SlowService } from '../support/queue/slowService';
import { isLong } from '../support/random';
import { useDatabase } from '../support/relay/databases';
import type { RelayProcess } from '../support/relay/relayProcess';

/** Number of pairs of executions that two workers start at the same instant. */
const PAIRS = Number(process.env.QUEUE_PAIRS ?? (isLong ? 1_000 : 8));

/** How long the service holds a request, in milliseconds. The second of a pair then meets the first one in flight. */
const HOLD_MS = 20;

const PATIENCE_MS = 120_000;

/** How the pairs send, with the recipients of each execution, and two digits for the numbers of each campaign. */
const WAYS = [
	{ operation: 'send', each: 1, same: 61, left: 62, right: 63 },
	{ operation: 'sendBulk', each: 3, same: 64, left: 65, right: 66 },
] as const;

const sandbox = queueSandbox();
const database = useDatabase('folder');
let service: SlowService;
let relay: RelayProcess;
let credential: string;

beforeAll(async () => {
	await sandbox.reset();
	await sandbox.adjustWallet(10_000);
	await bothWorkers();
	service = await startSlowService(readSetup().sandboxUrl, HOLD_MS);
	relay = await database().startProcess({ env: { RELAY_SERVICE_URL: service.baseUrl } });
	credential = await createRelayedCredential(relay);
});

afterAll(async () => await service.close());

/** A pair of executions that ended. */
interface Pair {
	readonly executions: readonly QueueExecution[];
	readonly byTwoWorkers: boolean;
}

/**
 * Starts pairs of executions at the same instant, one pair after the other, until two workers have run enough of them.
 * n8n gives some pairs to one worker. They are checked too, and not counted.
 * @param bodyOf makes the two bodies of a pair
 */
async function runPairs(
	workflow: WebhookWorkflow,
	bodyOf: (index: number) => readonly [object, object],
	check: (pair: Pair, index: number) => void,
): Promise<{ readonly all: number; readonly apart: number }> {
	const [worker] = await bothWorkers();
	if (!worker) throw new Error('There is no worker');
	let former = '0';
	let [all, apart] = [0, 0];
	for (; apart < PAIRS && all < 4 * PAIRS; all += 1) {
		await Promise.all(bodyOf(all).map(async (body) => await workflow.start(body)));
		const executions = await workflow.more(2, former, PATIENCE_MS);
		former = executions.at(-1)?.id ?? former;
		const started = new Set(executionsStartedBy(worker));
		const byTwoWorkers = executions.filter(({ id }) => started.has(id)).length === 1;
		check({ executions, byTwoWorkers }, all);
		if (byTwoWorkers) apart += 1;
	}
	return { all, apart };
}

function rowsOf(executions: readonly QueueExecution[]) {
	return executions.flatMap(({ rows = [] }) => rows);
}

async function counts(text: string): Promise<Map<string, number>> {
	return countMessages(await sandbox.messagesWith(text));
}

test.each(WAYS)(
	'two workers with the same keys at the same instant send one message per key, and both rows have its ID: $operation',
	async ({ operation, each, same }) => {
		const audience = recipients(same, 4 * PAIRS * each);
		const workflow = await createWebhookWorkflow(`Same keys, ${operation}`, sending(operation, withKey), credential);
		const ids = new Set<unknown>();
		const { all, apart } = await runPairs(
			workflow,
			(index) => {
				const people = audience.slice(index * each, (index + 1) * each);
				// In the other order, so that two workers that wait for each other would show.
				return [{ people }, { people: people.toReversed() }];
			},
			({ executions }) => {
				expect(executions.map(({ status }) => status)).toEqual(['success', 'success']);
				const rows = Map.groupBy(rowsOf(executions), ({ to }) => to);
				expect(rows.size).toBe(each);
				for (const ofOne of rows.values()) {
					expect(ofOne.map(({ outcome, reason }) => reason ?? outcome).sort()).toEqual(['accepted', 'already_sent']);
					const [id, ...others] = new Set(ofOne.map(({ message_id }) => message_id));
					expect([typeof id, others]).toEqual(['string', []]);
					ids.add(id);
				}
			},
		);
		const sent = await counts(`Campaign ${same}`);
		expect([...sent.values()].filter((count) => count !== 1)).toEqual([]);
		expect([sent.size, ids.size]).toEqual([all * each, all * each]);
		console.info(`${operation}, same keys: ${all} pairs, ${apart} of them by two workers, 0 doubles`);
		expect(apart).toBe(PAIRS);
	},
	7_200_000,
);

test.each(WAYS)(
	'two workers with different keys at the same instant send all messages, and no key is forgotten: $operation',
	async ({ operation, each, left, right }) => {
		const [ones, others] = [recipients(left, 4 * PAIRS * each), recipients(right, 4 * PAIRS * each)];
		const workflow = await createWebhookWorkflow(`Other keys, ${operation}`, sending(operation, withKey), credential);
		const { all, apart } = await runPairs(
			workflow,
			(index) => {
				const [from, until] = [index * each, (index + 1) * each];
				return [{ people: ones.slice(from, until) }, { people: others.slice(from, until) }];
			},
			({ executions }) => {
				const outcomes = rowsOf(executions).map(({ outcome }) => outcome);
				expect(outcomes).toEqual(Array.from({ length: 2 * each }, () => 'accepted'));
			},
		);
		const everyone: Person[] = [...ones.slice(0, all * each), ...others.slice(0, all * each)];
		const [before] = (await workflow.last(1)).map(({ id }) => id);
		await workflow.start({ people: everyone });
		const again = rowsOf(await workflow.more(1, before ?? '0', PATIENCE_MS));
		expect(again.map(({ reason }) => reason)).toEqual(everyone.map(() => 'already_sent'));
		const sent = new Map([...(await counts(`Campaign ${left}`)), ...(await counts(`Campaign ${right}`))]);
		expect(everyone.map(({ to }) => sent.get(to))).toEqual(everyone.map(() => 1));
		expect(await listSends(relay, 'unknown')).toEqual([]);
		console.info(`${operation}, different keys: ${all} pairs, ${apart} of them by two workers, 0 keys forgotten`);
		expect(apart).toBe(PAIRS);
	},
	7_200_000,
);
