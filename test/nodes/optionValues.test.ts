import type { INodeParameters } from 'n8n-workflow';
import { countingService, type CountingService } from '../support/countingService';
import { deduplicationStore } from '../support/n8n/deduplicationStore';
import { startEngine, type Engine } from '../support/n8n/engine';

let service: CountingService;
let engine: Engine;
beforeAll(async () => {
	service = await countingService(() => 'accept');
	engine = await startEngine({
		messagingServiceApi: { baseUrl: service.baseUrl, apiKey: 'sk_sandbox_demo', authHeader: 'X-API-Key' },
	});
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => {
	deduplicationStore.clear();
	service.accepted.length = 0;
	service.paths.length = 0;
});

const run = async (operation: string, options: INodeParameters, value: unknown) =>
	await engine.run({
		parameters: {
			resource: 'sms',
			operation,
			senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
			to: '={{ $json.to }}',
			message: 'We are open on Boxing Day',
			...(operation === 'sendLater' && { sendAt: '2030-01-01T09:00:00Z' }),
			options,
		},
		items: [{ to: '0201234561', value }],
	});

const labels: Readonly<Record<string, string>> = {
	parallelRequests: 'Parallel Requests',
	requestsPerSecond: 'Requests per Second',
	recipientsPerRequest: 'Recipients per Request',
	pricePerSegment: 'Price per Segment',
	defaultCountry: 'Default Country',
	unknownNumberRanges: 'Unknown Number Ranges',
	landlines: 'Landlines',
	priority: 'Priority',
	skipRejectedNumbers: 'Skip Rejected Numbers',
	maxRecipients: 'Maximum Recipients',
	maxSpend: 'Maximum Spend',
	checkBalance: 'Check Balance',
	sendOnceKey: 'Send Once Key',
	dryRun: 'Dry Run',
};
const common = [
	'parallelRequests',
	'requestsPerSecond',
	'pricePerSegment',
	'defaultCountry',
	'unknownNumberRanges',
	'landlines',
	'priority',
	'maxRecipients',
	'dryRun',
];
const money = ['maxSpend', 'checkBalance', 'sendOnceKey'];
const cases = [
	...['send', 'sendLater', 'sendBulk'].flatMap((operation) =>
		[...common, ...money].map((name) => [operation, name] as const),
	),
	...['recipientsPerRequest', 'skipRejectedNumbers'].map((name) => ['sendBulk', name] as const),
];
/** Values that are wrong for every option, except that a Send Once Key may be any text. */
const wrong: ReadonlyArray<[string, unknown]> = [
	['missing', undefined],
	['null', null],
	['empty', ''],
	['blank', ' '],
	['other text', 'abc'],
	['an object', {}],
	['a list', []],
	['negative', -1],
	['0x10', '0x10'],
	['not a number', Number.NaN],
];

describe.each(cases)('the option of %s: %s', (operation, name) => {
	const text = new Set(['other text', 'negative', '0x10']);
	it.each(wrong.filter(([what]) => name !== 'sendOnceKey' || !text.has(what)))(
		'rejects an option that is %s, names the field, and sends nothing',
		async (_, value) => {
			const { error } = await run(operation, { pricePerSegment: 0.05, [name]: '={{ $json.value }}' }, value);
			expect(error?.message).toContain(labels[name]);
			expect(service.paths).toEqual([]);
		},
	);
});

describe.each(['maxRecipients', 'maxSpend', 'requestsPerSecond'])('the limit %s', (name) => {
	it.each(['send', 'sendBulk'])(
		'rejects 0 in %s instead of removing the limit, and sends nothing',
		async (operation) => {
			const { error } = await run(operation, { pricePerSegment: 0.05, [name]: '={{ $json.value }}' }, 0);
			expect(error?.message).toContain(`${labels[name]} is 0`);
			expect(error?.message).toContain('remove the option');
			expect(service.paths).toEqual([]);
		},
	);
});

describe('an option given as text', () => {
	it.each<[string, unknown]>([
		['parallelRequests', '2'],
		['requestsPerSecond', '20'],
		['recipientsPerRequest', ' 1 '],
		['pricePerSegment', '0.05'],
		['maxRecipients', '1'],
		['maxSpend', '5'],
		['defaultCountry', 'gh'],
		['unknownNumberRanges', 'allow'],
		['landlines', 'allow'],
		['priority', 'true'],
		['priority', 'False'],
		['skipRejectedNumbers', 'true'],
	])('accepts an option given as text: %s = %j', async (name, value) => {
		const { status } = await run('sendBulk', { pricePerSegment: 0.05, [name]: '={{ $json.value }}' }, value);
		expect(status).toBe('success');
		expect(service.accepted).toHaveLength(1);
	});

	it('applies Maximum Recipients given as the text "1"', async () => {
		const options = { maxRecipients: '={{ $json.value }}' };
		const parameters = {
			resource: 'sms',
			operation: 'send',
			senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
			to: '0201234561',
			message: 'Hello',
			options,
		};
		const { error } = await engine.run({ parameters, items: [{ value: '1' }, { value: '1' }] });
		expect(error?.message).toContain('Maximum Recipients is 1');
	});
});

it('rejects a Send Once Key with an object in its text', async () => {
	const { error } = await run('send', { sendOnceKey: '=order-{{ $json.value }}' }, { id: 1 });
	expect(error?.message).toMatch(/^Send Once Key /);
	expect(service.paths).toEqual([]);
});
