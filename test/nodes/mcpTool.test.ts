import type { IDataObject, INodeParameters } from 'n8n-workflow';
import {
	countingService,
	type CountingService,
	type ServiceReply,
	type ServiceRequest,
} from '../support/countingService';
import { deduplicationStore } from '../support/n8n/deduplicationStore';
import { startEngine, type Engine } from '../support/n8n/engine';
import { NOTHING_SENT } from '../support/promises';

const calls = ['+233201234561', '+233201234562'].map((to) => ({ to, message: 'Your order is ready' }));
const [first = { to: '', message: '' }] = calls;

let service: CountingService;
let engine: Engine;
let reply: (request: ServiceRequest) => ServiceReply = () => 'accept';
beforeAll(async () => {
	service = await countingService((request) => reply(request));
	engine = await startEngine({
		messagingServiceApi: { baseUrl: service.baseUrl, apiKey: 'sk_sandbox_demo', authHeader: 'X-API-Key' },
	});
});
afterAll(() => service[Symbol.asyncDispose]());

// Moves the clock, so that a test does not find the messages of the previous one.
let clock = Date.now();
beforeEach(() => {
	clock += 24 * 60 * 60 * 1000;
	jest.spyOn(Date, 'now').mockImplementation(() => clock);
	service.accepted.length = 0;
	deduplicationStore.clear();
	reply = () => 'accept';
});
afterEach(() => jest.restoreAllMocks());

const mcp = async (given: typeof calls, more?: INodeParameters, settings?: Parameters<Engine['callMcp']>[2]) =>
	(await engine.callMcp(given, more, settings)).map((text) => JSON.parse(text) as IDataObject[]);

describe('a tool of an MCP Server Trigger', () => {
	it.each([['send'], ['sendBulk'], ['sendLater']])(
		'sends a message once when an MCP client repeats the call: %s',
		async (operation) => {
			const more = { operation, ...(operation === 'sendLater' && { sendAt: '={{ $now.plus({ days: 1 }) }}' }) };
			const [one, again, other] = await mcp([first, first, calls[1] ?? first], more);
			expect(one).toMatchObject([{ outcome: 'accepted' }]);
			expect(again).toMatchObject([{ outcome: 'skipped', reason: 'already_sent', to: first.to }]);
			expect(other).toMatchObject([{ outcome: 'accepted' }]);
			expect(service.accepted.map(({ to }) => to)).toEqual(calls.map(({ to }) => to));
		},
	);

	it.each([['send'], ['sendBulk']])(
		'sends a message once when an MCP client repeats the call in queue mode: %s',
		async (operation) => {
			const inQueueMode = async () => {
				const [text = ''] = await engine.callMcpInQueueMode([first], { operation });
				return JSON.parse(text) as IDataObject[];
			};
			expect(await inQueueMode()).toMatchObject([{ outcome: 'accepted' }]);
			expect(await inQueueMode()).toMatchObject([{ outcome: 'skipped', reason: 'already_sent', to: first.to }]);
			clock += 6 * 60 * 1000;
			expect(await inQueueMode()).toMatchObject([{ outcome: 'accepted' }]);
			expect(service.accepted).toHaveLength(2);
		},
	);

	it.each([['send'], ['sendBulk']])('sends the same message again after five minutes: %s', async (operation) => {
		await mcp([first], { operation });
		clock += 4 * 60 * 1000;
		await mcp([first], { operation });
		expect(service.accepted).toHaveLength(1);
		clock += 2 * 60 * 1000;
		expect(await mcp([first], { operation })).toMatchObject([[{ outcome: 'accepted' }]]);
		expect(service.accepted).toHaveLength(2);
	});

	it.each([['send'], ['sendBulk']])('does not repeat a message that may have been accepted: %s', async (operation) => {
		reply = () => 'accept and drop';
		const [one, again] = await mcp([first, first], { operation });
		expect(one).toMatchObject([{ outcome: 'unknown' }]);
		expect(again?.[0]?.outcome).not.toBe('accepted');
		expect(again?.[0]?.outcome).not.toBe('rejected');
		expect(service.accepted).toHaveLength(1);
	});

	it('sends a rejected message again when an MCP client repeats the call', async () => {
		reply = () => ({ status: 422, body: { message: 'The gateway is closed' } });
		expect(await mcp([first])).toMatchObject([[{ outcome: 'rejected' }]]);
		reply = () => 'accept';
		expect(await mcp([first])).toMatchObject([[{ outcome: 'accepted' }]]);
	});

	it.each<[string, INodeParameters]>([
		['Maximum Recipients', { maxRecipients: 5 }],
		['Maximum Spend', { maxSpend: 5, pricePerSegment: 0.05 }],
	])('explains that an MCP tool cannot count %s, and sends nothing', async (name, options) => {
		for (const operation of ['send', 'sendBulk']) {
			const [rows] = await mcp([first], { operation, options });
			expect(rows).toMatchObject([
				{
					outcome: 'not_attempted',
					error: expect.stringContaining(name) as string,
					details: { sent: 'no', description: NOTHING_SENT },
				},
			]);
		}
		expect(service.accepted).toEqual([]);
	});

	it('applies Check Balance in an MCP tool', async () => {
		const options = { checkBalance: 'stop', pricePerSegment: 0.05 };
		expect(await mcp([first], { options })).toMatchObject([[{ outcome: 'accepted' }]]);
		expect(await mcp([first], { options: { ...options, pricePerSegment: 100_000 } })).toMatchObject([
			[{ outcome: 'skipped', reason: 'already_sent' }],
		]);
		const [rows] = await mcp([{ ...first, message: 'Another' }], { options: { ...options, pricePerSegment: 100_000 } });
		expect(rows).toMatchObject([
			{ outcome: 'not_attempted', error: expect.stringContaining('Check Balance') as string },
		]);
	});

	it('rejects a Maximum Recipients of 0 in an MCP tool, and sends nothing', async () => {
		expect(await mcp([first], { options: { maxRecipients: 0 } })).toMatchObject([[{ outcome: 'not_attempted' }]]);
		expect(service.accepted).toEqual([]);
	});

	it('rejects a second message with the same Send Once Key in an MCP tool', async () => {
		const options = { sendOnceKey: "={{ $fromAI('to', '', 'string') }}" };
		const [one, again] = await mcp([first, { ...first, message: 'Another text' }], { options });
		expect(one).toMatchObject([{ outcome: 'accepted' }]);
		expect(again).toMatchObject([{ outcome: 'rejected', to: first.to, details: { code: 'idempotency_key_reused' } }]);
	});

	it.each([
		['an operation that does not exist', { operation: 'no' }],
		['an expression that fails', { message: "={{ $('No such node').item.json.x }}" }],
	])('returns an error to the MCP client instead of throwing: %s', async (_, more) => {
		const [text] = await engine.callMcp([first], more, { retryOnFail: true, maxTries: 3 });
		expect(text).not.toContain('thrown');
		expect(service.accepted).toEqual([]);
	});
});
