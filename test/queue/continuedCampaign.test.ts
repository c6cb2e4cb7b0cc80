import { setTimeout as wait } from 'node:timers/promises';
import type { Settle } from '../../relay/sends/schema';
import { eventually } from '../support/eventually';
import { outcomeOf, recipients, sending, withKey, type Person } from '../support/queue/campaign';
import {
	createWebhookWorkflow,
	type NodeSettings,
	type QueueExecution,
	type Row,
	type WebhookWorkflow,
} from '../support/queue/n8nQueue';
import { queueSandbox, type SandboxMessage } from '../support/queue/queueSandbox';
import { bothWorkers, killWorker, readSetup, workerOf } from '../support/queue/queueSetup';
import { createRelayedCredential, listSends, settleSend } from '../support/queue/relaySends';
import { startSlowService, type SlowService } from '../support/queue/slowService';
import { allowConnections } from '../support/relay/allowConnections';
import { isLong } from '../support/random';
import { useDatabase, type DatabaseKind, type TestDatabase } from '../support/relay/databases';
import { postgresProcess } from '../support/relay/postgresProcess';
import type { RelayProcess } from '../support/relay/relayProcess';

/** Number of recipients of each campaign. */
const SIZE = Number(process.env.QUEUE_CAMPAIGN ?? (isLong ? 2_000 : 120));

/** How long the service holds a request, in milliseconds. */
const HOLD_MS = 400;

/** How long a relay or its database is away. The node retries for less. In milliseconds. */
const AWAY_MS = 20_000;

/** How long a call through the relay may take, in seconds. */
const TIMEOUT_SECONDS = '20';

/** n8n, the relay and the sandbox may share two busy cores with others. */
const PATIENCE_MS = 600_000;

const sandbox = queueSandbox();

/** All parts that an interruption may hit. */
interface Scene {
	readonly database: TestDatabase;
	readonly workflow: WebhookWorkflow;
	readonly env: Readonly<Record<string, string>>;
	relay: RelayProcess;
}

/** Breaks a part in the middle of a campaign. @returns the first execution, after it ended */
type Interrupt = (scene: Scene, executionId: string) => Promise<QueueExecution>;

async function killTheWorker({ workflow }: Scene, executionId: string): Promise<QueueExecution> {
	killWorker(await workerOf(executionId));
	// A restarted worker finds its unfinished execution in its own log.
	return await eventually(
		'n8n to find that the execution crashed',
		async () => {
			const execution = await workflow.execution(executionId);
			return execution.status === 'running' ? undefined : execution;
		},
		PATIENCE_MS,
	);
}

async function killTheRelay(scene: Scene): Promise<QueueExecution> {
	const { port } = new URL(scene.relay.url);
	await scene.relay.kill();
	await wait(AWAY_MS);
	scene.relay = await scene.database.startProcess({ env: scene.env, port: Number(port) });
	return await scene.workflow.ended(1, PATIENCE_MS);
}

async function restartPostgres(scene: Scene): Promise<QueueExecution> {
	process.kill(await postgresProcess(urlOf(scene)), 'SIGQUIT');
	return await endWithPostgres(scene);
}

/** A database that is away for longer than the node retries. */
async function restartPostgresSlowly(scene: Scene): Promise<QueueExecution> {
	const url = urlOf(scene);
	await allowConnections(url, false);
	process.kill(await postgresProcess(serverOf(url)), 'SIGQUIT');
	await wait(AWAY_MS);
	await allowConnections(url, true);
	return await endWithPostgres(scene);
}

function urlOf({ database: { url } }: Scene): string {
	if (url === undefined) throw new Error('This needs a relay on PostgreSQL');
	return url;
}

/** Another database of the server, which accepts connections. */
function serverOf(url: string): string {
	return new URL('/postgres', url).href;
}

async function endWithPostgres({ workflow, relay }: Scene): Promise<QueueExecution> {
	const execution = await workflow.ended(1, PATIENCE_MS);
	const isReady = async () => ((await relay.api('GET', '/v1/sends?limit=1')).ok ? true : undefined);
	await eventually('PostgreSQL to be back', isReady, PATIENCE_MS);
	return execution;
}

interface Interruption {
	readonly name: string;
	readonly kind: DatabaseKind;
	readonly interrupt: Interrupt;
	/** The status of the interrupted execution. */
	readonly status: string;
	/** Whether calls in flight must become unknown. If not, they may. */
	readonly leavesUnknown: boolean;
	/** Whether some recipients must be left without an outcome. */
	readonly leavesRest: boolean;
}

const INTERRUPTIONS: readonly Interruption[] = [
	{
		name: 'a killed worker',
		kind: 'folder',
		interrupt: killTheWorker,
		status: 'crashed',
		leavesUnknown: false,
		leavesRest: true,
	},
	{
		name: 'a killed relay',
		kind: 'folder',
		interrupt: killTheRelay,
		status: 'success',
		leavesUnknown: true,
		leavesRest: true,
	},
	{
		name: 'a killed relay on PostgreSQL',
		kind: 'postgres',
		interrupt: killTheRelay,
		status: 'success',
		leavesUnknown: true,
		leavesRest: true,
	},
	{
		name: 'a restarted PostgreSQL',
		kind: 'postgres',
		interrupt: restartPostgres,
		status: 'success',
		leavesUnknown: false,
		leavesRest: false,
	},
	{
		name: 'a slowly restarted PostgreSQL',
		kind: 'postgres',
		interrupt: restartPostgresSlowly,
		status: 'success',
		leavesUnknown: false,
		leavesRest: true,
	},
];

const OPERATIONS = [
	{ title: 'SMS > Send', operation: 'send', options: { parallelRequests: 20 } },
	{
		title: 'SMS > Send Bulk',
		operation: 'sendBulk',
		options: { parallelRequests: 4, recipientsPerRequest: Math.ceil(SIZE / 40) },
	},
] as const;

/** The other interruptions need no queue mode. test/relay has them without n8n. */
const STORIES = isLong ? INTERRUPTIONS : INTERRUPTIONS.slice(0, 1);

/** The sandbox's messages by recipient, after a run. They are what the account was charged for. */
type Received = ReadonlyMap<string, readonly SandboxMessage[]>;

/** One run of the campaign's workflow, and what it left behind. */
interface Run {
	readonly execution: QueueExecution;
	readonly received: Received;
	/** Recipients whose outcome is unknown to the relay. */
	readonly unknown: readonly string[];
}

/** A campaign from its first run to its end. */
interface Story {
	readonly audience: readonly Person[];
	readonly interrupted: Run;
	/** The same workflow with the same recipients and keys. */
	readonly continued: Run;
	/** Choices of the person who settled the unknown sends. */
	readonly settled: ReadonlyMap<string, Settle['outcome']>;
	/** Another run after that. */
	readonly finished: Run;
	/** What all runs took from the wallet, in its currency. */
	readonly charged: number;
}

/** Waits until nothing is in flight, and looks around. */
async function lookAround({ relay }: Scene, execution: QueueExecution, text: string): Promise<Run> {
	await eventually(
		'all calls to end',
		async () => ((await listSends(relay, 'in_flight')).length === 0 ? true : undefined),
		PATIENCE_MS,
	);
	await eventually('all bulk sends to be made', async () => ((await sandbox.hasMadeAll()) ? true : undefined));
	const received = new Map<string, SandboxMessage[]>();
	for (const one of await sandbox.messagesWith(text)) received.set(one.to, [...(received.get(one.to) ?? []), one]);
	return { execution, received, unknown: (await listSends(relay, 'unknown')).map(({ to }) => to ?? '') };
}

/** Does what a person does: looks for each message in the service's history. */
async function settleAll({ relay }: Scene, received: Received): Promise<Map<string, Settle['outcome']>> {
	const settled = new Map<string, Settle['outcome']>();
	for (const { id, to } of await listSends(relay, 'unknown')) {
		const outcome = received.has(to ?? '') ? 'arrived' : 'send_again';
		await settleSend(relay, id, { outcome });
		settled.set(to ?? '', outcome);
	}
	return settled;
}

async function runStory(
	scene: Scene,
	service: SlowService,
	interrupt: Interrupt,
	audience: readonly Person[],
): Promise<Story> {
	const text = audience[0]?.message ?? '';
	const { balance } = await sandbox.wallet();
	const run = async () => await scene.workflow.start({ people: audience });
	await run();
	const executionId = await scene.workflow.started(1);
	await eventually(
		'the middle of the campaign',
		async () => ((await sandbox.countWith(text)) >= SIZE / 4 ? true : undefined),
		PATIENCE_MS,
	);
	await service.bothInFlight();
	const first = await interrupt(scene, executionId);
	const interrupted = await lookAround(scene, first, text);
	await run();
	const continued = await lookAround(scene, await scene.workflow.ended(2, PATIENCE_MS), text);
	const settled = await settleAll(scene, continued.received);
	await run();
	const finished = await lookAround(scene, await scene.workflow.ended(3, PATIENCE_MS), text);
	return { audience, interrupted, continued, settled, finished, charged: balance - (await sandbox.wallet()).balance };
}

/** The row of each recipient. SMS > Send has one row for each item, and Send Bulk one for each number. */
function rowsOf({ audience }: Story, { execution: { rows = [] } }: Run): Map<string, Row> {
	return new Map(audience.map(({ to }, index) => [to, rows.find((row) => row.to === to) ?? rows[index] ?? {}]));
}

/** Number of messages to a recipient. */
const countOf = ({ received }: Run, to: string) => received.get(to)?.length ?? 0;

/** The outcome of a row, or `already_sent`. */
function resultOf(row: Row): string {
	return row.outcome === 'skipped' ? String(row.reason) : outcomeOf(row);
}

describe.each(STORIES)(
	'$name in the middle of a campaign',
	({ name, kind, interrupt, status, leavesUnknown, leavesRest }) => {
		describe.each(OPERATIONS.slice(0, isLong ? undefined : 1))(
			'$title through a relay',
			({ title, operation, options }) => {
				const database = useDatabase(kind, { mayKill: true });
				let service: SlowService;
				let story: Story;

				beforeAll(async () => {
					await bothWorkers();
					await sandbox.reset();
					await sandbox.adjustWallet(1000);
					service = await startSlowService(readSetup().sandboxUrl, HOLD_MS);
					const env = { RELAY_SERVICE_URL: service.baseUrl, RELAY_SERVICE_TIMEOUT_SECONDS: TIMEOUT_SECONDS };
					const relay = await database().startProcess({ env });
					const settings: NodeSettings = sending(
						operation,
						{ ...options, ...withKey },
						{ onError: 'continueRegularOutput' },
					);
					const workflow = await createWebhookWorkflow(
						`${title}, ${name}`,
						settings,
						await createRelayedCredential(relay),
					);
					const audience = recipients(51, SIZE);
					story = await runStory({ database: database(), workflow, env, relay }, service, interrupt, audience);
					const choices = [...story.settled.values()];
					console.info(
						`${title}, ${name}: ${SIZE} recipients, ${story.interrupted.received.size} received in the first run, ` +
							`${story.continued.received.size} after the second, ${choices.length} were unknown ` +
							`(${choices.filter((choice) => choice === 'arrived').length} had arrived), ` +
							`${story.finished.received.size} received after the third`,
					);
				}, 3 * PATIENCE_MS);

				afterAll(async () => await service.close());

				test('an interrupted campaign has sent at most one message to each recipient, and its rows are true', () => {
					const { interrupted } = story;
					expect(interrupted.execution.status).toBe(status);
					expect(interrupted.received.size).toBeGreaterThanOrEqual(SIZE / 4);
					if (leavesRest) expect(interrupted.received.size).toBeLessThan(SIZE);
					expect([...interrupted.received.values()].filter(({ length }) => length !== 1)).toEqual([]);
					if (interrupted.execution.rows === undefined) return;
					for (const [to, row] of rowsOf(story, interrupted)) {
						if (outcomeOf(row) === 'unknown') continue;
						const says = ['accepted', 'already_sent'].includes(resultOf(row)) ? 1 : 0;
						expect([to, row, countOf(interrupted, to)]).toEqual([to, row, says]);
					}
				});

				test('another run sends to every recipient without an outcome, and to no other', () => {
					const { audience, interrupted, continued } = story;
					expect(continued.execution.status).toBe('success');
					const rows = rowsOf(story, continued);
					for (const { to } of audience) {
						const wasSent = countOf(interrupted, to) === 1;
						const isUnknown = interrupted.unknown.includes(to);
						const result = resultOf(rows.get(to) ?? {});
						const count = countOf(continued, to);
						if (isUnknown) expect([to, result, count]).toEqual([to, 'unknown', wasSent ? 1 : 0]);
						else expect([to, result, count]).toEqual([to, wasSent ? 'already_sent' : 'accepted', 1]);
					}
				});

				test('a row of an earlier recipient has the fields of the first message', () => {
					const { audience, interrupted, continued } = story;
					const rows = rowsOf(story, continued);
					const sent = audience.filter(({ to }) => countOf(interrupted, to) === 1 && !interrupted.unknown.includes(to));
					expect(sent.length).toBeGreaterThan(0);
					for (const { to } of sent) {
						const [first] = interrupted.received.get(to) ?? [];
						const { message_id = first?.message_id, first_outcome } = rows.get(to) ?? {};
						if (operation === 'send') expect(rows.get(to)).toHaveProperty('message_id');
						expect([to, message_id, first_outcome]).toEqual([to, first?.message_id, 'accepted']);
					}
				});

				test('the relay lists calls in flight at the interruption, and another run changes none of them', () => {
					const { interrupted, continued, settled } = story;
					expect([...continued.unknown].sort()).toEqual([...interrupted.unknown].sort());
					if (!leavesUnknown) return;
					expect(new Set(settled.values())).toEqual(new Set(['arrived', 'send_again']));
				});

				test('a run after a person settled them leaves exactly one message for each recipient', () => {
					const { audience, settled, finished, charged } = story;
					expect(finished.execution.status).toBe('success');
					const rows = rowsOf(story, finished);
					for (const { to } of audience) {
						const result = settled.get(to) === 'send_again' ? 'accepted' : 'already_sent';
						expect([to, resultOf(rows.get(to) ?? {}), countOf(finished, to)]).toEqual([to, result, 1]);
					}
					expect(finished.unknown).toEqual([]);
					const costs = [...finished.received.values()].flat().map(({ cost }) => cost);
					expect(charged).toBeCloseTo(
						costs.reduce((sum, cost) => sum + cost, 0),
						6,
					);
				});
			},
		);
	},
);
