import fc from 'fast-check';
import { countOutcomes, recipients, sending, textsTo, withKey, type Person } from './campaign';
import { editorApi, startedByPost, type Row, type StartedByPost } from './n8nQueue';
import { queueSandbox } from './queueSandbox';
import { bothWorkers } from './queueSetup';

const sandbox = queueSandbox();

/** Numbers that always fail, by what then is known (docs/magic-values.md). */
const failures = {
	refused: { to: '+233990000001', sent: 0 },
	'cut off': { to: '+233990000007', sent: 1 },
	'answered with 500': { to: '+233990000006', sent: 0 },
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

const cases = fc.sample(aCase, { numRuns: 20, seed: 20_261_120 }).map((drawn, index) => ({ ...drawn, index }));

interface Ran {
	readonly workflow: StartedByPost;
	readonly audience: readonly Person[];
}

const ran = new Map<number, Ran>();

/** A text that nobody else sends, so that the magic numbers can be told apart. */
function audienceOf({ index, failing, failure }: (typeof cases)[number]): Person[] {
	return recipients(40 + index, size).map((person, place) =>
		place === failing ? { ...person, to: failures[failure].to } : person,
	);
}

async function textsOf(audience: readonly Person[]): Promise<number[]> {
	const counts = textsTo(await sandbox.messagesWith(audience[0]?.message ?? ''));
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
		const workflow = await startedByPost(`Never twice ${index}`, sending('send', options, retries));
		ran.set(index, { workflow, audience });
	}
	await Promise.all(
		[...ran.values()].map(async ({ workflow, audience }) => await workflow.start({ people: audience })),
	);
});

test.each(cases)(
	'$tries tries, item $failing $failure, $onError, $parallelRequests at a time, keys: $keys',
	async ({ index, failing, failure, onError, keys }) => {
		const found = ran.get(index);
		if (!found) throw new Error('It did not run');
		const { workflow, audience } = found;
		const execution = await workflow.ended(1, 120_000);
		const texts = await textsOf(audience);
		const { sent } = failures[failure];
		expect(Math.max(...texts)).toBeLessThanOrEqual(1);
		expect(texts[failing]).toBe(sent);
		if (onError === 'stopWorkflow') {
			expect(execution.status).toBe('error');
			expect(execution.error).not.toBe('');
			if (!keys) return;
			// By hand it may be retried on either worker: what was sent is not sent again.
			const editor = await editorApi();
			await editor('POST', `/executions/${execution.id}/retry`, { loadWorkflow: false });
			await workflow.ended(2, 120_000);
			expect(Math.max(...(await textsOf(audience)))).toBeLessThanOrEqual(1);
			return;
		}
		expect(execution.status).toBe('success');
		const accepted = (row: Row) => row.outcome === 'accepted';
		const rows = execution.rows ?? [];
		expect(rows.filter(accepted)).toHaveLength(size - 1);
		expect(texts.filter((count, place) => place !== failing && count === 1)).toHaveLength(size - 1);
		const outcome = failure === 'refused' ? 'rejected' : 'unknown';
		const failed = onError === 'continueRegularOutput' ? rows : (execution.errorRows ?? []);
		expect(countOutcomes(failed)[outcome]).toBe(1);
	},
	150_000,
);
