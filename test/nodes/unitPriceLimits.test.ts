import type { INodeParameters } from 'n8n-workflow';
import { deduplicationStore } from '../support/n8n/deduplicationStore';
import { operationCases, pricedByOwnUnit } from '../support/operationCases';
import { startEngine, type Engine } from '../support/n8n/engine';
import { useSandbox } from '../support/useSandbox';

const { sandbox, control } = useSandbox();
let engine: Engine;

beforeAll(async () => {
	engine = await startEngine({
		messagingServiceApi: { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, authHeader: 'X-API-Key' },
	});
});
beforeEach(() => {
	deduplicationStore.clear();
});

const recipients = ['+233201234561', '+233201234562', '+233201234563'];
const items = recipients.map((to) => ({ to }));
/** Operations with a price option for another unit than a segment. */
const operations = pricedByOwnUnit.flatMap((id) => {
	const { endpoint, parameters = {}, row } = operationCases[id] ?? {};
	if (!endpoint?.charges) return [];
	const [resource = '', operation = ''] = id.split('.');
	const recipient = 'phone' in parameters ? 'phone' : 'to';
	// An SMS of this length would have two segments. Another unit has one price.
	const long = 'message' in parameters ? { message: 'x'.repeat(200) } : {};
	const filled: INodeParameters = { resource, operation, ...parameters, ...long, [recipient]: '={{ $json.to }}' };
	return [{ id, endpoint: endpoint.id, unit: endpoint.charges, parameters: filled, row }];
});

it('checks the limits of calls and of another unit', () => {
	expect(operations.map(({ id }) => id)).toContain('voice.send');
	expect(operations.length).toBeGreaterThan(1);
});

describe.each(operations)('limits of $id', ({ endpoint, unit, parameters, row }) => {
	const name = unit.replace(/^./, (letter) => letter.toUpperCase());
	const [priceLabel, price] = [`Price per ${name}`, `pricePer${name}`];
	const run = async (options: INodeParameters, more: Partial<Parameters<Engine['run']>[0]> = {}) => {
		const { status, error, outputs } = await engine.run({ parameters: { ...parameters, options }, items, ...more });
		return { status, error, rows: outputs[0]?.map(({ json }) => json) ?? [] };
	};
	const made = async () => (await control.requests()).filter((request) => request.endpoint === endpoint).length;
	const paid = async () => 40 - (await control.wallet()).balance;

	it('makes no request if the run exceeds Maximum Recipients', async () => {
		const { error } = await run({ maxRecipients: 2 });
		expect(error?.message).toMatch(/^Maximum Recipients .*\b2\b.*\b3\b/);
		expect([await made(), await paid()]).toEqual([0, 0]);
	});

	it('counts numbers for Maximum Recipients over the whole execution, loops included', async () => {
		const { error } = await run({ maxRecipients: 5 }, { secondItems: items });
		expect(error?.message).toMatch(/^Maximum Recipients is 5\b.*\b3 earlier/);
		expect(await made()).toBe(3);
	});

	it('makes no request if the run costs more than Maximum Spend at its own price', async () => {
		const { error } = await run({ maxSpend: 0.59, [price]: 0.2 });
		expect(error?.message).toMatch(/^Maximum Spend .*\b0\.59\b.*\b0\.6\b/);
		expect(await made()).toBe(0);
		expect(await run({ maxSpend: 0.6, [price]: 0.2 })).toMatchObject({ status: 'success' });
		expect(await made()).toBe(3);
	});

	it('asks for the price by its own field name', async () => {
		const { error } = await run({ maxSpend: 1 });
		expect(error?.message).toMatch(new RegExp(`^${priceLabel} `));
		expect(await made()).toBe(0);
	});

	it('makes no request if the wallet holds too little', async () => {
		const { error } = await run({ checkBalance: 'stop', [price]: 20 });
		expect(error?.message).toMatch(/^Check Balance .*\b40 GHS/);
		expect(await made()).toBe(0);
	});

	it('makes one request under a Send Once Key, also in another execution', async () => {
		const options = { sendOnceKey: `=${endpoint} {{ $json.to }}` };
		expect((await run(options)).rows.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted']);
		const { status, rows } = await run(options);
		expect(status).toBe('success');
		expect(rows).toEqual(
			items.map(() => expect.objectContaining({ outcome: 'skipped', reason: 'already_sent' }) as object),
		);
		expect(await made()).toBe(3);
	});

	it('makes no request if a Send Once Key is empty', async () => {
		const { error } = await run({ sendOnceKey: '={{ $json.order_id }}' });
		expect(error?.message).toMatch(/^Send Once Key /);
		expect(await made()).toBe(0);
	});

	it('gives a second run with the same Send Once Key the data of the first, without the cost', async () => {
		const options = { sendOnceKey: 'ama' };
		const [first] = (await run(options, { items: items.slice(0, 1) })).rows;
		const [again] = (await run(options, { items: items.slice(0, 1) })).rows;
		expect(first).toMatchObject({ ...row, cost: expect.any(Number) as number });
		const { cost, balance, billed_via, ...data } = first ?? {};
		expect([cost, balance, billed_via]).not.toEqual([undefined, undefined, undefined]);
		expect(again).toMatchObject({ ...data, outcome: 'skipped' });
		for (const field of ['cost', 'balance', 'billed_via']) expect(again).not.toHaveProperty(field);
	});
});
