import { recipients, sending, textsTo, withKey } from './campaign';
import { startedByPost, type QueueExecution, type StartedByPost } from './n8nQueue';
import { queueSandbox } from './queueSandbox';
import { begunBy, bothWorkers } from './queueSetup';

/** How many pairs of executions are started at the same instant. QUEUE_PAIRS asks for more, to measure. */
const pairs = Number(process.env.QUEUE_PAIRS ?? 20);

const sandbox = queueSandbox();

beforeAll(async () => {
	await sandbox.reset();
	await sandbox.adjustWallet(1000);
	await bothWorkers();
});

/** Starts two executions at the same instant. */
async function pair(
	workflow: StartedByPost,
	before: number,
	bodies: readonly [object, object],
): Promise<{ executions: readonly QueueExecution[]; byTwoWorkers: boolean }> {
	await Promise.all(bodies.map(async (body) => await workflow.start(body)));
	await workflow.ended(before + 2);
	const executions = await workflow.last(2);
	const [one] = await bothWorkers();
	const begun = new Set(one && begunBy(one));
	return { executions, byTwoWorkers: executions.filter(({ id }) => begun.has(id)).length === 1 };
}

function acceptedIn(executions: readonly QueueExecution[]): number {
	return executions.flatMap(({ rows = [] }) => rows).filter(({ outcome }) => outcome === 'accepted').length;
}

test('one key in two executions at once is sent once by one worker, and by two workers at most once each', async () => {
	const workflow = await startedByPost('Same key', sending('send', withKey));
	// The first claim of all makes the node's entry in the store, which is another matter.
	await workflow.start({ people: recipients(20, 1) });
	await workflow.ended(1);
	let [apart, twice] = [0, 0];
	for (const [index, person] of recipients(21, pairs).entries()) {
		const body = { people: [person] };
		const { executions, byTwoWorkers } = await pair(workflow, 1 + 2 * index, [body, body]);
		const accepted = acceptedIn(executions);
		// What is reported is what was received, whoever was granted the key.
		expect(textsTo(await sandbox.messagesWith('Campaign 21')).get(person.to)).toBe(accepted);
		expect(accepted).toBeLessThanOrEqual(byTwoWorkers ? 2 : 1);
		if (byTwoWorkers) apart += 1;
		if (accepted === 2) twice += 1;
	}
	console.info(`One key, ${pairs} pairs, ${apart} of them by two workers: both were granted it ${twice} times`);
	expect(apart).toBeGreaterThan(0);
}, 1_200_000);

test('two keys in two executions at once are each sent once; which are remembered is measured', async () => {
	const workflow = await startedByPost('Two keys', sending('send', withKey));
	await workflow.start({ people: recipients(22, 1) });
	await workflow.ended(1);
	const [left, right] = [recipients(23, pairs), recipients(24, pairs)];
	let apart = 0;
	for (const [index, one] of left.entries()) {
		const bodies = [{ people: [one] }, { people: right.slice(index, index + 1) }] as const;
		const { executions, byTwoWorkers } = await pair(workflow, 1 + 2 * index, bodies);
		expect(acceptedIn(executions)).toBe(2);
		if (byTwoWorkers) apart += 1;
	}
	const everybody = [...left, ...right];
	await workflow.start({ people: everybody });
	const again = await workflow.ended(2 + 2 * pairs);
	const forgotten = acceptedIn([again]);
	const counts = textsTo(await sandbox.messagesWith('Campaign 2'));
	expect(everybody.filter(({ to }) => counts.get(to) === 2)).toHaveLength(forgotten);
	console.info(`Two keys, ${pairs} pairs, ${apart} of them by two workers: ${forgotten} keys were forgotten`);
	expect(apart).toBeGreaterThan(0);
}, 1_200_000);
