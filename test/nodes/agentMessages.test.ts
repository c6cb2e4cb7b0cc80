import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { countingService, type CountingService, type ServiceReply } from '../support/countingService';
import { startEngine, type Engine, type ToolCall } from '../support/n8n/engine';

const recipients = ['+233201234561', '+233201234562', '+233201234563', '+233201234564'];

let service: CountingService;
let engine: Engine;
let reply: ServiceReply = 'accept';
beforeAll(async () => {
	service = await countingService(() => reply);
	engine = await startEngine({
		messagingServiceApi: { baseUrl: service.baseUrl, apiKey: 'sk_sandbox_demo', authHeader: 'X-API-Key' },
	});
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => {
	service.accepted.length = 0;
	reply = 'accept';
});

const tool = async (calls: readonly ToolCall[], more: INodeParameters, order?: 'parallel') =>
	(await engine.callTool(calls, {}, order, {}, undefined, more)).map((text) => JSON.parse(text) as IDataObject[]);

describe('an AI agent that repeats a message', () => {
	const call = { to: recipients[0] ?? '', message: 'Your appointment is tomorrow' };
	// Each call computes another time, because minutes can pass between two calls of an agent.
	const moving = '={{ $now.plus({ days: 1, seconds: $json.shift ?? Math.floor(Math.random() * 100000) }) }}';

	it('sends a repeated Send Later message once, although the computed time differs in each call', async () => {
		const [one, again] = await tool([call, call], { operation: 'sendLater', sendAt: moving });
		expect(one).toMatchObject([{ outcome: 'accepted' }]);
		expect(again).toMatchObject([
			{ outcome: 'skipped', reason: 'already_sent', to: call.to, schedule_at: one?.[0]?.schedule_at },
		]);
		expect(again?.[0]?.message).toContain('not compared');
		expect(service.accepted).toHaveLength(1);
	});

	it('sends a repeated Send Bulk message once, although the computed time differs in each call', async () => {
		const [one, again] = await tool([call, call], { operation: 'sendBulk', options: { sendAt: moving } });
		expect(one).toMatchObject([{ outcome: 'accepted' }]);
		const { message_id, batch_id, segment_count } = one?.[0] ?? {};
		expect(message_id ?? batch_id).toBeDefined();
		expect(again).toMatchObject([
			{ outcome: 'skipped', reason: 'already_sent', to: call.to, first_outcome: 'accepted', segment_count },
		]);
		expect(again?.[0]).toMatchObject(JSON.parse(JSON.stringify({ message_id, batch_id })) as object);
		expect(service.accepted).toHaveLength(1);
	});

	it('skips a Send Later message that an agent repeats with another time, and explains why', async () => {
		const sendAt = "={{ $fromAI('at', '', 'string') }}";
		const at = (hour: string) => ({ ...call, at: `2030-01-01T${hour}:00:00Z` });
		const [one, again] = await tool([at('09'), at('18')], { operation: 'sendLater', sendAt });
		expect(one).toMatchObject([{ outcome: 'accepted', schedule_at: '2030-01-01 09:00:00' }]);
		expect(again).toMatchObject([
			{
				outcome: 'skipped',
				schedule_at: '2030-01-01 09:00:00',
				message: expect.stringMatching(/change its text/) as string,
			},
		]);
	});

	it('gives the repeated one of two parallel Send Bulk calls the outcome of the first, not just already_sent', async () => {
		reply = 'accept and fail';
		const rows = await tool([call, call], { operation: 'sendBulk' }, 'parallel');
		expect(rows).toMatchObject([[{ outcome: 'unknown' }], [{ outcome: 'unknown', to: call.to }]]);
		reply = { status: 422, body: { message: 'The gateway is closed' } };
		const other = { ...call, message: 'Another text' };
		const rejected = await tool([other, other], { operation: 'sendBulk' }, 'parallel');
		expect(rejected).toMatchObject([[{ outcome: 'rejected' }], [{ outcome: 'rejected' }]]);
		expect(service.accepted).toHaveLength(1);
	});

	it('skips an accepted number when a second Send Bulk call of an agent exceeds Maximum Recipients', async () => {
		const options = { maxRecipients: 1 };
		const [, rows] = await tool([call, { ...call, to: recipients.slice(0, 2).join(', ') }], {
			operation: 'sendBulk',
			options,
			to: "={{ $fromAI('to', '', 'string') }}",
		});
		expect(rows).toMatchObject([
			{ to: recipients[0], outcome: 'skipped', reason: 'already_sent' },
			{
				to: recipients[1],
				outcome: 'not_attempted',
				error: expect.stringContaining('Maximum Recipients is 1') as string,
			},
		]);
		expect(service.accepted).toHaveLength(1);
	});

	it('gives each of several parallel calls a row when n8n gives them the fields of the first', async () => {
		const rows = await tool(
			recipients.map((to) => ({ to, message: 'Hello' })),
			{},
			'parallel',
		);
		expect(rows[0]).toMatchObject([{ outcome: 'accepted' }]);
		for (const row of rows.slice(1)) {
			expect(row).toMatchObject([
				{ outcome: 'skipped', reason: 'already_sent', to: service.accepted[0]?.to, message_id: 'm1' },
			]);
			expect(row[0]).not.toHaveProperty('cost');
		}
		expect(service.accepted).toHaveLength(1);
	});
});
