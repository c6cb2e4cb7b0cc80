import { eventually } from '../support/eventually';
import { countOutcomes, recipients, sending, countMessages, withKey, type Person } from '../support/queue/campaign';
import {
	editorApi,
	createWebhookWorkflow,
	type NodeSettings,
	type QueueExecution,
	type WebhookWorkflow,
} from '../support/queue/n8nQueue';
import { queueSandbox } from '../support/queue/queueSandbox';
import { executionsStartedByAny, bothWorkers, killWorker, workerOf, type Worker } from '../support/queue/queueSetup';

const sandbox = queueSandbox();

/** A campaign whose worker was killed in the middle. */
interface Killed {
	readonly workflow: WebhookWorkflow;
	readonly audience: readonly Person[];
	/** Number of accepted messages when the worker was killed. Requests in flight can add to it. */
	readonly acceptedBefore: number;
	/** The execution, after n8n found that it crashed. */
	readonly crashed: QueueExecution;
	/** Number of messages to each number at that time. */
	readonly received: Map<string, number>;
	/** The manual retry right after it. */
	readonly retried: QueueExecution;
	readonly receivedAfterRetry: Map<string, number>;
}

interface Plan {
	readonly campaign: number;
	readonly size: number;
	readonly settings: NodeSettings;
}

/** Slows down every request, so that the campaigns have a middle at the same time. */
const slowly = { kind: 'delay', milliseconds: 2000, times: 1_000_000 };

async function received(audience: readonly Person[]): Promise<Map<string, number>> {
	return countMessages(await sandbox.messagesWith(audience[0]?.message ?? ''));
}

/**
 * Does what Retry in the editor does: starts a new execution from the data of the old one. Waits until that has ended,
 * because n8n sometimes does not respond if it ends at once.
 */
async function retry(executionId: string, ended: Promise<QueueExecution>): Promise<QueueExecution> {
	const responded = editor('POST', `/executions/${executionId}/retry`, { loadWorkflow: false });
	return await Promise.race([ended, responded.then(async () => await ended)]);
}

/** A campaign in its middle. */
interface Running {
	readonly workflow: WebhookWorkflow;
	readonly audience: readonly Person[];
	readonly executionId: string;
	readonly worker: Worker;
}

/** Starts a campaign and waits for its first messages. */
async function startCampaign({ campaign, size, settings }: Plan): Promise<Running> {
	const audience = recipients(campaign, size);
	const workflow = await createWebhookWorkflow(`Campaign ${campaign}`, settings);
	await workflow.start({ people: audience });
	const executionId = await workflow.started(1);
	const worker = await workerOf(executionId);
	await eventually('the first messages', async () => (await received(audience)).size > 0 || undefined);
	return { workflow, audience, executionId, worker };
}

/** Retries a killed campaign by hand as soon as n8n finds that it crashed. */
async function retryCrashed({ workflow, audience, executionId }: Running, acceptedBefore: number): Promise<Killed> {
	// A restarted worker finds its unfinished execution in its own log.
	const crashed = await eventually(
		'n8n to find that the execution crashed',
		async () => {
			const execution = await workflow.execution(executionId);
			return execution.status === 'running' ? undefined : execution;
		},
		120_000,
	);
	const atCrash = await received(audience);
	const retried = await retry(executionId, workflow.ended(2));
	return {
		workflow,
		audience,
		acceptedBefore,
		crashed,
		received: atCrash,
		retried,
		receivedAfterRetry: await received(audience),
	};
}

let editor: Awaited<ReturnType<typeof editorApi>>;
let singles: Killed;
let bulk: Killed;
let unprotected: Killed;

beforeAll(async () => {
	editor = await editorApi();
	await sandbox.reset();
	await sandbox.adjustWallet(1000);
	const oneByOne = { parallelRequests: 5 };
	const inParts = { parallelRequests: 2, recipientsPerRequest: 10 };
	await sandbox.fault({ endpoint: 'sms.send', ...slowly });
	await sandbox.fault({ endpoint: 'sms.sendBulk', ...slowly });
	await bothWorkers();
	const running = await Promise.all(
		[
			{ campaign: 11, size: 100, settings: sending('send', { ...oneByOne, ...withKey }) },
			{ campaign: 12, size: 100, settings: sending('sendBulk', { ...inParts, ...withKey }) },
			{ campaign: 13, size: 60, settings: sending('send', oneByOne) },
		].map(startCampaign),
	);
	const acceptedBefore = await Promise.all(running.map(async ({ audience }) => (await received(audience)).size));
	for (const worker of new Set(running.map((one) => one.worker))) killWorker(worker);
	await sandbox.clearFaults();
	const [first, second, third] = await Promise.all(
		running.map(async (one, index) => await retryCrashed(one, acceptedBefore[index] ?? 0)),
	);
	if (!first || !second || !third) throw new Error('There are three campaigns');
	[singles, bulk, unprotected] = [first, second, third];
});

describe.each([
	['SMS > Send', () => singles, 5],
	['SMS > Send Bulk', () => bulk, 20],
	['SMS > Send without Send Once Keys', () => unprotected, 5],
])('%s, its worker killed in the middle', (_name, killed, maxInFlight) => {
	test('a killed campaign has sent one message to each reached recipient, and none to the others', () => {
		const { audience, acceptedBefore, received: counts } = killed();
		expect(counts.size).toBeGreaterThanOrEqual(acceptedBefore);
		expect(counts.size).toBeLessThanOrEqual(acceptedBefore + maxInFlight);
		expect(counts.size).toBeLessThan(audience.length);
		expect([...counts.values()].filter((count) => count !== 1)).toEqual([]);
	});

	test('a killed campaign is reported as crashed, without rows', () => {
		const { status, rows, error } = killed().crashed;
		expect({ status, rows }).toEqual({ status: 'crashed', rows: undefined });
		expect(error).toContain('did not finish');
	});

	test('the other worker does not take over a killed campaign', () => {
		const { crashed, retried } = killed();
		const started = executionsStartedByAny();
		for (const { id } of [crashed, retried]) expect(started.filter((one) => one === id)).toHaveLength(1);
	});
});

describe.each([
	['SMS > Send', () => singles],
	['SMS > Send Bulk', () => bulk],
])('%s with Send Once Keys', (_name, killed) => {
	test('a manual retry of a killed campaign sends nothing and skips every recipient', () => {
		const { audience, received: before, retried, receivedAfterRetry } = killed();
		expect(retried.status).toBe('success');
		expect(countOutcomes(retried.rows)).toEqual({ skipped: audience.length });
		expect(receivedAfterRetry).toEqual(before);
	});

	test('another run of a killed campaign sends nothing and skips every recipient', async () => {
		const { workflow, audience, received: before } = killed();
		const executions = (await workflow.all()).length;
		await workflow.start({ people: audience });
		const { status, rows } = await workflow.ended(executions + 1);
		expect(status).toBe('success');
		expect(countOutcomes(rows)).toEqual({ skipped: audience.length });
		expect(await received(audience)).toEqual(before);
	});

	test('a run with new keys reaches the remaining recipients, and then each has exactly one message', async () => {
		const { workflow, audience, received: before } = killed();
		const rest = audience.filter(({ to }) => !before.has(to)).map((one) => ({ ...one, key: `${one.key} again` }));
		const executions = (await workflow.all()).length;
		await workflow.start({ people: rest });
		const { rows } = await workflow.ended(executions + 1, 60_000);
		expect(countOutcomes(rows)).toEqual({ accepted: rest.length });
		const counts = await eventually('all messages', async () => {
			const now = await received(audience);
			return now.size === audience.length ? now : undefined;
		});
		expect([...counts.values()].filter((count) => count !== 1)).toEqual([]);
	});
});

describe('SMS > Send without Send Once Keys', () => {
	test('a manual retry of a killed campaign sends to every recipient again', () => {
		const { audience, received: before, retried, receivedAfterRetry } = unprotected;
		expect(countOutcomes(retried.rows)).toEqual({ accepted: audience.length });
		expect(audience.map(({ to }) => receivedAfterRetry.get(to))).toEqual(
			audience.map(({ to }) => 1 + (before.get(to) ?? 0)),
		);
	});
});

describe.each([
	['SMS > Send', () => singles],
	['SMS > Send Bulk', () => bulk],
	['SMS > Send without Send Once Keys', () => unprotected],
])('%s, some time later', (_name, killed) => {
	test('n8n gives up a killed campaign in the end, and a later retry runs nothing', async () => {
		const { workflow, audience, crashed } = killed();
		const givenUp = await eventually(
			'n8n to give up the execution',
			async () => {
				const execution = await workflow.execution(crashed.id);
				return execution.status === 'error' ? execution : undefined;
			},
			120_000,
		);
		expect(givenUp.error).toContain('too many times');
		const before = await received(audience);
		const executions = (await workflow.all()).length;
		const retried = await retry(crashed.id, workflow.ended(executions + 1));
		expect(retried).toMatchObject({ status: 'error', ranNodes: [] });
		expect(await received(audience)).toEqual(before);
	});
});
