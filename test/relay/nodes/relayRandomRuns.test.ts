import { z } from 'zod/v4';
import { fresh, KEYED, rowsOf, smsParameters, useRelayedEngines, type Row } from '../../support/n8n/relayedEngines';
import { lossyProxy, type LossyProxy } from '../../support/lossyProxy';
import { fc, runCount } from '../../support/random';

/** Number of random histories of executions. 1,000 take some minutes. */
const RUNS = runCount(60);
/** Longest time of a history, in milliseconds. */
const RUN_MS = 3_000;
jest.setTimeout(120_000 + RUNS * RUN_MS);

const relayed = useRelayedEngines();
const { control } = relayed;

const people = [1, 2, 3, 4].map((digit) => `+23320123456${digit}`);
/** Failures of the service, or of the way from the relay. */
const failures: ReadonlyMap<string, Record<string, unknown>> = new Map([
	['response lost by the service', { kind: 'drop_after' }],
	['connection lost by the service', { kind: 'drop_before' }],
	['rejected by the service', { kind: 'answer', status: 422, body: { message: 'No' } }],
	['failed by the service', { kind: 'answer', status: 500, body: { message: 'Failed' } }],
]);
const LOST_BY_THE_WAY = 'response lost on the way from the relay';

const execution = fc.record({
	operation: fc.constantFrom('send', 'sendBulk'),
	isElsewhere: fc.boolean(),
	scope: fc.constantFrom(undefined, 'node', 'account'),
	items: fc.array(fc.record({ person: fc.nat({ max: 3 }), key: fc.nat({ max: 2 }), text: fc.nat({ max: 1 }) }), {
		minLength: 1,
		maxLength: 5,
	}),
	recipientsPerRequest: fc.constantFrom(1, 2, 10),
	skipRejectedNumbers: fc.boolean(),
	failure: fc.oneof(
		{ weight: 2, arbitrary: fc.constant(undefined) },
		{ weight: 3, arbitrary: fc.constantFrom(LOST_BY_THE_WAY, ...failures.keys()) },
	),
	times: fc.integer({ min: 1, max: 3 }),
	maxTries: fc.constantFrom(1, 2),
	onError: fc.constantFrom('continueRegularOutput' as const, 'continueRegularOutput' as const, 'stopWorkflow' as const),
});
type Execution = typeof execution extends fc.Arbitrary<infer Value> ? Value : never;

/** A message that an item wants. */
interface Wanted {
	readonly to: string;
	readonly text: string;
	readonly key: string;
}

let proxy: LossyProxy;
let far: Awaited<ReturnType<typeof relayed.engineWith>>;
beforeAll(async () => {
	proxy = await lossyProxy(relayed.relay.url);
	far = await relayed.engineWith({ baseUrl: `${proxy.url}/api/v1/` });
});
afterAll(async () => await proxy[Symbol.asyncDispose]());

const reusedKey = z.object({ details: z.object({ code: z.literal('idempotency_key_reused') }) });
const nameOf = ({ to, text }: Pick<Wanted, 'to' | 'text'>) => `${to} ${text}`;

/** Runs one execution. @returns its rows; undefined if it stopped with an error */
async function play(one: Execution, wanted: readonly Wanted[]): Promise<Row[] | undefined> {
	const { operation, failure, times, scope, skipRejectedNumbers, recipientsPerRequest, maxTries, onError } = one;
	if (failure === LOST_BY_THE_WAY) proxy.lose(times);
	else if (failure) {
		await control.fault({
			endpoint: operation === 'send' ? 'sms.send' : 'sms.sendBulk',
			times,
			...failures.get(failure),
		});
	}
	const options = {
		...KEYED,
		...(scope && { keyScope: scope }),
		...(operation === 'sendBulk' && { recipientsPerRequest, skipRejectedNumbers }),
	};
	const run = {
		parameters: smsParameters({ operation }, options),
		items: wanted.map((item) => ({ ...item })),
		settings: { onError, ...(maxTries > 1 && { retryOnFail: true, maxTries }) },
	};
	const result = one.isElsewhere ? await relayed.other.run(run) : await far.run(run);
	proxy.lose(0);
	await control.ask('DELETE', 'faults');
	return result.error ? undefined : rowsOf(result);
}

it(`sends no message twice under its key and makes no false row, in ${RUNS} random histories`, async () => {
	await control.settings({ requests_per_second: 10_000 });
	await fc.assert(
		fc.asyncProperty(fc.array(execution, { minLength: 1, maxLength: 4 }), async (executions) => {
			const history = fresh('history');
			/** The keys under which a message was wanted, by recipient and text. */
			const keys = new Map<string, Set<string>>();
			// The last one repeats the first without a failure.
			const repeated = executions.slice(0, 1).map((one) => ({ ...one, failure: undefined }));
			for (const one of [...executions, ...repeated]) {
				const { operation, scope = 'node', items } = one;
				const wanted = items.map(({ person, key, text }): Wanted => ({
					to: people[person] ?? '',
					text: `${history} ${operation} ${text}`,
					key: `${history} ${operation} ${key}`,
				}));
				for (const item of wanted) {
					const known = keys.get(nameOf(item)) ?? new Set();
					keys.set(nameOf(item), known.add(`${scope} ${item.key}`));
				}
				const rows = await play(one, wanted);
				const sent = (await control.messages()).filter(({ message }) => message.startsWith(`${history} `));
				const counts = new Map<string, number>();
				for (const { to, message } of sent) {
					const name = nameOf({ to, text: message });
					counts.set(name, (counts.get(name) ?? 0) + 1);
				}
				for (const [name, count] of counts) expect(count).toBeLessThanOrEqual(keys.get(name)?.size ?? 0);
				if (!rows) continue;
				expect(rows).toHaveLength(wanted.length);
				for (const [index, row] of rows.entries()) {
					const item = wanted[index];
					if (!item) throw new Error('A row without an item');
					const mine = sent.filter(({ to, message }) => to === item.to && message === item.text);
					if (row.outcome === 'accepted' || row.reason === 'already_sent') {
						expect(mine.map(({ message_id }) => message_id)).toContain(row.message_id);
					}
					if (row.reason === 'already_sent') expect(row).not.toHaveProperty('cost');
					if (row.outcome === 'rejected') {
						const reused = reusedKey.safeParse(row).success;
						// Another item with this message may be sent after this one was rejected.
						const alike = wanted.filter((other) => nameOf(other) === nameOf(item)).length;
						const others = alike > 1 || (keys.get(nameOf(item))?.size ?? 0) > 1;
						if (!reused && !others) expect(mine).toEqual([]);
					}
					expect(row.reason ?? row.outcome).toMatch(
						/^(accepted|already_sent|key_used|duplicate|rejected|unknown|not_attempted)$/,
					);
				}
			}
		}),
		{ numRuns: RUNS },
	);
});
