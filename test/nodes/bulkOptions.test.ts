import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { countingService, type CountingService } from '../support/countingService';
import { startEngine, type Engine, type NodeRun } from '../support/n8n/engine';

const recipients = ['+233201234561', '+233201234562', '+233201234563'];
const [ama = '', kofi = '', esi = ''] = recipients;

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
	service.accepted.length = 0;
	service.paths.length = 0;
});

const run = async (options: INodeParameters, items: NodeRun['items'], more: Partial<NodeRun> = {}) => {
	const parameters = {
		resource: 'sms',
		operation: 'sendBulk',
		senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
		to: '={{ $json.to }}',
		message: 'We are open on Boxing Day',
		options,
	};
	const { outputs, ...rest } = await engine.run({ parameters, items, ...more });
	const rows: IDataObject[] = outputs[0]?.map(({ json }) => json) ?? [];
	return { ...rest, rows };
};

describe('Send At of Send Bulk', () => {
	it('reads Send At for each item, and sends each time in its own request', async () => {
		const items = [
			{ to: ama, at: '2030-01-01T09:00:00Z' },
			{ to: kofi, at: '2030-01-02T09:00:00Z' },
			{ to: esi, at: '2030-01-01T09:00:00Z' },
		];
		await run({ sendAt: '={{ $json.at }}' }, items);
		expect(service.accepted.map(({ to, schedule_at }) => [to, schedule_at])).toEqual([
			[ama, '2030-01-01 09:00:00'],
			[esi, '2030-01-01 09:00:00'],
			[kofi, '2030-01-02 09:00:00'],
		]);
		expect(service.paths).toHaveLength(2);
	});

	it('sends the same message to one number at two times', async () => {
		const items = ['09', '18'].map((hour) => ({ to: ama, at: `2030-01-01T${hour}:00:00Z` }));
		const { rows } = await run({ sendAt: '={{ $json.at }}' }, items);
		expect(rows).toMatchObject([{ outcome: 'accepted' }, { outcome: 'accepted' }]);
	});

	it.each<[string, unknown]>([
		['missing', undefined],
		['null', null],
		['empty', ''],
		['blank', '  '],
		['an object', {}],
		['an empty list', []],
		['a switch', true],
		['an invalid date', 'Invalid DateTime'],
	])('rejects a Send At that is %s, and sends nothing', async (_, at) => {
		const items = [{ to: ama, at }];
		const { error } = await run({ sendAt: '={{ $json.at }}' }, items);
		expect(error?.message).toMatch(/^Send At /);
		expect(service.paths).toEqual([]);
	});

	it('rejects only the item with an empty Send At when the run continues on errors', async () => {
		const items = [
			{ to: ama, at: '' },
			{ to: kofi, at: '2030-01-02T09:00:00Z' },
		];
		const { rows } = await run({ sendAt: '={{ $json.at }}' }, items, {
			settings: { onError: 'continueRegularOutput' },
		});
		expect(rows).toMatchObject([
			{ to: ama, outcome: 'rejected', error: expect.stringContaining('Send At') as string },
			{ to: kofi, outcome: 'accepted' },
		]);
		expect(service.accepted).toHaveLength(1);
	});
});

describe('Excluded Numbers of Send Bulk', () => {
	it.each<[string, unknown]>([
		['missing', undefined],
		['null', null],
		['empty', ''],
		['blank', ' \n'],
		['commas alone', ' , ,'],
		['a list with an empty entry', [null]],
		['such a list as text', '[null]'],
		['an object', {}],
	])('rejects Excluded Numbers that are %s, and sends nothing', async (_, list) => {
		const { error } = await run({ excludedNumbers: '={{ $json.list }}' }, [{ to: ama, list }]);
		expect(error?.message).toMatch(/^Excluded Numbers /);
		expect(service.paths).toEqual([]);
	});

	it.each<[string, unknown]>([
		['a list', []],
		['text', '[]'],
	])('excludes no number for an empty list given as %s', async (_, list) => {
		const { rows } = await run({ excludedNumbers: '={{ $json.list }}' }, [{ to: ama, list }]);
		expect(rows).toMatchObject([{ outcome: 'accepted' }]);
	});

	it('sends to all others if a short code sent STOP', async () => {
		const list = ['1234', kofi];
		const { rows } = await run({ excludedNumbers: '={{ $json.list }}' }, [{ to: [ama, kofi], list }]);
		expect(rows).toMatchObject([
			{ to: ama, outcome: 'accepted' },
			{ to: kofi, outcome: 'skipped', reason: 'excluded' },
		]);
		const { rows: only } = await run({ excludedNumbers: '={{ $json.list }}' }, [{ to: esi, list: ['1234'] }]);
		expect(only).toMatchObject([{ to: esi, outcome: 'accepted' }]);
	});

	it('applies Excluded Numbers only to the numbers of the same item', async () => {
		const items = [
			{ to: [ama, kofi], list: [kofi] },
			{ to: [kofi, esi], list: [esi] },
		];
		const { rows } = await run({ excludedNumbers: '={{ $json.list }}' }, items);
		expect(rows).toMatchObject([
			{ to: ama, outcome: 'accepted' },
			{ to: kofi, outcome: 'skipped', reason: 'excluded' },
			{ to: kofi, outcome: 'accepted' },
			{ to: esi, outcome: 'skipped', reason: 'excluded' },
		]);
		expect(service.accepted.map(({ to }) => to)).toEqual([ama, kofi]);
	});
});

describe('Priority of Send Bulk', () => {
	it('reads Priority for each item', async () => {
		const items = recipients.map((to, index) => ({ to, fast: index === 1 }));
		await run({ priority: '={{ $json.fast }}' }, items);
		expect(service.paths).toHaveLength(2);
	});
});
