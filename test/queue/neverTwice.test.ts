import { countOutcomes, recipients, sending, countMessages, withKey, type Person } from '../support/queue/campaign';
import { editorApi, createWebhookWorkflow, type Row, type WebhookWorkflow } from '../support/queue/n8nQueue';
import { queueSandbox } from '../support/queue/queueSandbox';
import { bothWorkers } from '../support/queue/queueSetup';
import { fc } from '../support/random';

const sandbox = queueSandbox();

/** Numbers that always fail, by the kind of failure (docs/magic-values.md). */
const failures = {
	rejected: { to: '+233990000001', sent: 0 },
	'cut off': { to: '+233990000007', sent: 1 },
	'failed with 500': { to: '+233990000006', sent: 0 },
} as const;

const size = 6;

const aCase = fc.record({
	tries: fc.integer({ min: 2, max: 3 }),
	failing: fc.integer({ min: 0, max: size - 1 }),
	failure: fc.constantFrom(...(Object.keys(failures) as (keyof typeof failures)[])),
	onError: fc.constantFrom('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
	parallelRequests: fc.constantFrom(1, 3),
	keys: fc.boolean(),
});

const cases = fc.sample(aCase, 20).map((drawn, index) => ({ ...drawn, index }));

interface Ran {
	readonly workflow: WebhookWorkflow;
	readonly audience: readonly Person[];
}

const ran = new Map<number, Ran>();

/** Recipients with a message of their own, to tell this campaign's messages to the magic numbers apart. */
function audienceOf({ index, failing, failure }: (typeof cases)[number]): Person[] {
	return recipients(40 + index, size).map((person, place) =>
		place === failing ? { ...person, to: failures[failure].to } : person,
	);
}

async function messageCounts(audience: readonly Person[]): Promise<number[]> {
	const counts = countMessages(await sandbox.messagesWith(audience[0]?.message ?? ''));
	return audience.map(({ to }) => counts.get(to) ?? 0);
}

beforeAll(async () => {
	await sandbox.reset();
	await sandbox.adjustWallet(1000);
	await bothWorkers();
	for (const one of cases) {
		const { tries, onError, parallelRequests, keys, index } = one;
		const options = { parallelRequests, ...(keys && withKey) };
		const retries = { retryOnFail: true, maxTries: tries, waitBetweenTries: 50, onError };
		const audience = audienceOf(one);
		const workflow = await createWebhookWorkflow(`Never twice ${index}`, sending('send', options, retries));
		ran.set(index, { workflow, audience });
	}
	await Promise.all(
		[...ran.values()].map(async ({ workflow, audience }) => await workflow.start({ people: audience })),
	);
});

test.each(cases)(
	'sends no message twice: $tries tries, item $failing $failure, $onError, $parallelRequests at a time, keys: $keys',
	async ({ index, failing, failure, onError, keys }) => {
		const found = ran.get(index);
		if (!found) throw new Error('The workflow did not run');
		const { workflow, audience } = found;
		const execution = await workflow.ended(1, 120_000);
		const texts = await messageCounts(audience);
		const { sent } = failures[failure];
		expect(Math.max(...texts)).toBeLessThanOrEqual(1);
		expect(texts[failing]).toBe(sent);
		if (onError === 'stopWorkflow') {
			expect(execution.status).toBe('error');
			expect(execution.error).not.toBe('');
			if (!keys) return;
			// A manual retry may run on either worker and sends no message again.
			const editor = await editorApi();
			await editor('POST', `/executions/${execution.id}/retry`, { loadWorkflow: false });
			await workflow.ended(2, 120_000);
			expect(Math.max(...(await messageCounts(audience)))).toBeLessThanOrEqual(1);
			return;
		}
		expect(execution.status).toBe('success');
		const accepted = (row: Row) => row.outcome === 'accepted';
		const rows = execution.rows ?? [];
		expect(rows.filter(accepted)).toHaveLength(size - 1);
		expect(texts.filter((count, place) => place !== failing && count === 1)).toHaveLength(size - 1);
		const outcome = failure === 'rejected' ? 'rejected' : 'unknown';
		const failed = onError === 'continueRegularOutput' ? rows : (execution.errorRows ?? []);
		expect(countOutcomes(failed)[outcome]).toBe(1);
	},
	150_000,
);
