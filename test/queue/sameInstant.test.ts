import { recipients, sending, countMessages, withKey } from '../support/queue/campaign';
import { createWebhookWorkflow, type QueueExecution, type WebhookWorkflow } from '../support/queue/n8nQueue';
import { queueSandbox } from '../support/queue/queueSandbox';
import { executionsStartedBy, bothWorkers } from '../support/queue/queueSetup';

/** Number of pairs of executions started at the same instant. Set QUEUE_PAIRS to measure more. */
const pairs = Number(process.env.QUEUE_PAIRS ?? 8);

const sandbox = queueSandbox();

beforeAll(async () => {
	await sandbox.reset();
	await sandbox.adjustWallet(1000);
	await bothWorkers();
});

/** Starts two executions at the same instant. */
async function pair(
	workflow: WebhookWorkflow,
	before: number,
	bodies: readonly [object, object],
): Promise<{ executions: readonly QueueExecution[]; byTwoWorkers: boolean }> {
	await Promise.all(bodies.map(async (body) => await workflow.start(body)));
	await workflow.ended(before + 2);
	const executions = await workflow.last(2);
	const [one] = await bothWorkers();
	const started = new Set(one && executionsStartedBy(one));
	return { executions, byTwoWorkers: executions.filter(({ id }) => started.has(id)).length === 1 };
}

function acceptedIn(executions: readonly QueueExecution[]): number {
	return executions.flatMap(({ rows = [] }) => rows).filter(({ outcome }) => outcome === 'accepted').length;
}

test('sends a message with the same key once on one worker, and at most once each on two workers', async () => {
	const workflow = await createWebhookWorkflow('Same key', sending('send', withKey));
	// The very first claim creates the node's entry in the store. Do not measure that.
	await workflow.start({ people: recipients(20, 1) });
	await workflow.ended(1);
	let [apart, twice] = [0, 0];
	for (const [index, person] of recipients(21, pairs).entries()) {
		const body = { people: [person] };
		const { executions, byTwoWorkers } = await pair(workflow, 1 + 2 * index, [body, body]);
		const accepted = acceptedIn(executions);
		// The rows agree with the received messages, whichever execution got the key.
		expect(countMessages(await sandbox.messagesWith('Campaign 21')).get(person.to)).toBe(accepted);
		expect(accepted).toBeLessThanOrEqual(byTwoWorkers ? 2 : 1);
		if (byTwoWorkers) apart += 1;
		if (accepted === 2) twice += 1;
	}
	console.info(`One key, ${pairs} pairs, ${apart} of them by two workers: both were granted it ${twice} times`);
	expect(apart).toBeGreaterThan(0);
}, 1_200_000);

test('sends both messages of two concurrent keys once, and measures which keys are kept', async () => {
	const workflow = await createWebhookWorkflow('Two keys', sending('send', withKey));
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
	const everyone = [...left, ...right];
	await workflow.start({ people: everyone });
	const again = await workflow.ended(2 + 2 * pairs);
	const forgotten = acceptedIn([again]);
	const counts = countMessages(await sandbox.messagesWith('Campaign 2'));
	expect(everyone.filter(({ to }) => counts.get(to) === 2)).toHaveLength(forgotten);
	console.info(`Two keys, ${pairs} pairs, ${apart} of them by two workers: ${forgotten} keys were forgotten`);
	expect(apart).toBeGreaterThan(0);
}, 1_200_000);
