import { eventually } from '../e2e/eventually';
import { countOutcomes, recipients, sending, textsTo, withKey, type Person } from './campaign';
import { editorApi, startedByPost, type NodeSettings, type QueueExecution, type StartedByPost } from './n8nQueue';
import { queueSandbox } from './queueSandbox';
import { begunByAny, bothWorkers, killWorker, workerOf } from './queueSetup';

const sandbox = queueSandbox();

/** A campaign whose worker was killed in the middle. */
interface Killed {
	readonly workflow: StartedByPost;
	readonly audience: readonly Person[];
	/** How many had been accepted when the worker was killed; what was under way then comes on top. */
	readonly acceptedBefore: number;
	/** The execution, when n8n had found that it crashed. */
	readonly crashed: QueueExecution;
	/** How often each number had been texted by then. */
	readonly received: Map<string, number>;
	/** The manual retry that followed at once. */
	readonly retried: QueueExecution;
	readonly receivedAfterRetry: Map<string, number>;
}

interface Plan {
	readonly campaign: number;
	readonly size: number;
	readonly settings: NodeSettings;
	/** As soon as that many were accepted, the worker is killed. */
	readonly killAt: number;
}

/** Every request takes a while, so that there is a middle. */
const slowly = { kind: 'delay', milliseconds: 400, times: 1_000_000 };

async function received(audience: readonly Person[]): Promise<Map<string, number>> {
	return textsTo(await sandbox.messagesWith(audience[0]?.message ?? ''));
}

/** What Retry in the editor does: a new execution from the data of the old one. Answers when that has ended. */
async function retry(executionId: string): Promise<void> {
	await editor('POST', `/executions/${executionId}/retry`, { loadWorkflow: false });
}

/** Starts a campaign, kills the worker that runs it, and retries it by hand as soon as n8n has found that it crashed. */
async function killInTheMiddle({ campaign, size, settings, killAt }: Plan): Promise<Killed> {
	await bothWorkers();
	const audience = recipients(campaign, size);
	const workflow = await startedByPost(`Campaign ${campaign}`, settings);
	await sandbox.fault({ endpoint: 'sms.send', ...slowly });
	await sandbox.fault({ endpoint: 'sms.sendBulk', ...slowly });
	await workflow.start({ people: audience });
	const executionId = await workflow.begun(1);
	const worker = await workerOf(executionId);
	const acceptedBefore = await eventually('the middle of the campaign', async () => {
		const count = (await received(audience)).size;
		return count >= killAt ? count : undefined;
	});
	killWorker(worker);
	await sandbox.clearFaults();
	// A worker that is started again finds in its own log what it was doing.
	const crashed = await eventually(
		'n8n to find that it crashed',
		async () => {
			const execution = await workflow.execution(executionId);
			return execution.status === 'running' ? undefined : execution;
		},
		120_000,
	);
	const atCrash = await received(audience);
	await retry(executionId);
	const retried = await workflow.ended(2);
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
	const inParts = { parallelRequests: 2, recipientsPerRequest: 30 };
	singles = await killInTheMiddle({
		campaign: 11,
		size: 300,
		settings: sending('send', { ...oneByOne, ...withKey }),
		killAt: 40,
	});
	bulk = await killInTheMiddle({
		campaign: 12,
		size: 300,
		settings: sending('sendBulk', { ...inParts, ...withKey }),
		killAt: 90,
	});
	unprotected = await killInTheMiddle({ campaign: 13, size: 60, settings: sending('send', oneByOne), killAt: 20 });
});

describe.each([
	['SMS > Send', () => singles, 5],
	['SMS > Send Bulk', () => bulk, 60],
	['SMS > Send without Send Once Keys', () => unprotected, 5],
])('%s, its worker killed in the middle', (_what, killed, underWay) => {
	test('has sent once to those it got to, and to nobody else', () => {
		const { audience, acceptedBefore, received: counts } = killed();
		expect(counts.size).toBeGreaterThanOrEqual(acceptedBefore);
		expect(counts.size).toBeLessThanOrEqual(acceptedBefore + underWay);
		expect(counts.size).toBeLessThan(audience.length);
		expect([...counts.values()].filter((count) => count !== 1)).toEqual([]);
	});

	test('is reported as crashed, with no word of any recipient', () => {
		const { status, rows, error } = killed().crashed;
		expect({ status, rows }).toEqual({ status: 'crashed', rows: undefined });
		expect(error).toContain('did not finish');
	});

	test('is not taken over by the other worker', () => {
		const { crashed, retried } = killed();
		const begun = begunByAny();
		for (const { id } of [crashed, retried]) expect(begun.filter((one) => one === id)).toHaveLength(1);
	});
});

describe.each([
	['SMS > Send', () => singles],
	['SMS > Send Bulk', () => bulk],
])('%s with Send Once Keys', (_what, killed) => {
	test('sends nothing in a manual retry, and says so of everybody', () => {
		const { audience, received: before, retried, receivedAfterRetry } = killed();
		expect(retried.status).toBe('success');
		expect(countOutcomes(retried.rows)).toEqual({ skipped: audience.length });
		expect(receivedAfterRetry).toEqual(before);
	});

	test('sends nothing in another run, and says so of everybody', async () => {
		const { workflow, audience, received: before } = killed();
		const executions = (await workflow.all()).length;
		await workflow.start({ people: audience });
		const { status, rows } = await workflow.ended(executions + 1);
		expect(status).toBe('success');
		expect(countOutcomes(rows)).toEqual({ skipped: audience.length });
		expect(await received(audience)).toEqual(before);
	});

	test('reaches the rest when they are given new keys, and then everybody has had it once', async () => {
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
	test('sends to everybody in a manual retry, to those who had it a second time', () => {
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
])('%s, some time later', (_what, killed) => {
	test('is given up in the end, and a retry from then on runs nothing', async () => {
		const { workflow, audience, crashed } = killed();
		const givenUp = await eventually(
			'n8n to give it up',
			async () => {
				const execution = await workflow.execution(crashed.id);
				return execution.status === 'error' ? execution : undefined;
			},
			120_000,
		);
		expect(givenUp.error).toContain('too many times');
		const before = await received(audience);
		const executions = (await workflow.all()).length;
		await retry(crashed.id);
		expect(await workflow.ended(executions + 1)).toMatchObject({ status: 'error', ranNodes: [] });
		expect(await received(audience)).toEqual(before);
	});
});
