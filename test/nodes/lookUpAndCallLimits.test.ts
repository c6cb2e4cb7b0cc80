import type { INodeParameters } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '../../sandbox/server';
import { sandboxControl } from '../fixtures/sandboxControl';
import { deduplicationStore } from './deduplicationStore';
import { startEngine, type Engine } from './engine';

let sandbox: Sandbox;
let control: ReturnType<typeof sandboxControl>;
let engine: Engine;

beforeAll(async () => {
	sandbox = await startSandbox({ clock: 'stopped' });
	control = sandboxControl(sandbox);
	engine = await startEngine({
		messagingServiceApi: { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, authHeader: 'X-API-Key' },
	});
});
afterAll(() => sandbox.stop());
beforeEach(async () => {
	deduplicationStore.clear();
	await control.reset();
});

const recipients = ['+233201234561', '+233201234562', '+233201234563'];
const items = recipients.map((to) => ({ to }));
const operations: ReadonlyArray<[string, string, INodeParameters]> = [
	['Look Up', 'lookup.phone', { resource: 'phoneNumber', operation: 'lookUp', phone: '={{ $json.to }}' }],
	[
		'Call',
		'voice.send',
		// An SMS of this length would have two segments. A call has one price.
		{ resource: 'voice', operation: 'send', to: '={{ $json.to }}', message: 'x'.repeat(200) },
	],
];

describe.each(operations)('limits of %s', (name, endpoint, parameters) => {
	const [priceLabel, price] =
		name === 'Call' ? ['Price per Call', 'pricePerCall'] : ['Price per Lookup', 'pricePerLookup'];
	const run = async (options: INodeParameters, more: Partial<Parameters<Engine['run']>[0]> = {}) => {
		const { status, error, outputs } = await engine.run({ parameters: { ...parameters, options }, items, ...more });
		return { status, error, rows: outputs[0]?.map(({ json }) => json) ?? [] };
	};
	const made = async () => (await control.requests()).filter((request) => request.endpoint === endpoint).length;
	const paid = async () => 40 - (await control.wallet()).balance;

	it('makes no request if the run exceeds Maximum Recipients', async () => {
		const { error } = await run({ maxRecipients: 2 });
		expect(error?.message).toMatch(/^Maximum Recipients is 2, but this run has 3 recipients/);
		expect([await made(), await paid()]).toEqual([0, 0]);
	});

	it('counts numbers for Maximum Recipients over the whole execution, loops included', async () => {
		const { error } = await run({ maxRecipients: 5 }, { secondItems: items });
		expect(error?.message).toMatch(/after 3 earlier in this execution/);
		expect(await made()).toBe(3);
	});

	it('makes no request if the run costs more than Maximum Spend at its own price', async () => {
		const { error } = await run({ maxSpend: 0.59, [price]: 0.2 });
		expect(error?.message).toMatch(
			/^Maximum Spend is 0\.59, but this run is estimated to cost 0\.6 in wallet currency/,
		);
		expect(await made()).toBe(0);
		expect(await run({ maxSpend: 0.6, [price]: 0.2 })).toMatchObject({ status: 'success' });
		expect(await made()).toBe(3);
	});

	it('asks for the price by its own field name', async () => {
		const { error } = await run({ maxSpend: 1 });
		expect(error?.message).toMatch(new RegExp(`^${priceLabel} is needed for Maximum Spend and Check Balance`));
		expect(await made()).toBe(0);
	});

	it('makes no request if the wallet holds too little', async () => {
		const { error } = await run({ checkBalance: 'stop', [price]: 20 });
		expect(error?.message).toMatch(/^Check Balance stopped the run\. The wallet holds 40 GHS/);
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
		expect(error?.message).toMatch(/^Send Once Key is empty/);
		expect(await made()).toBe(0);
	});
});

it('gives a second lookup with the same Send Once Key the data of the first', async () => {
	const parameters: INodeParameters = { resource: 'phoneNumber', operation: 'lookUp', phone: recipients[0] };
	const options = { sendOnceKey: 'ama' };
	const [first] = (await engine.run({ parameters: { ...parameters, options } })).outputs[0] ?? [];
	const [again] = (await engine.run({ parameters: { ...parameters, options } })).outputs[0] ?? [];
	const { valid, carrier, country } = first?.json ?? {};
	expect(valid).toBe(true);
	expect(again?.json).toMatchObject({ outcome: 'skipped', valid, carrier, country });
	expect(again?.json).not.toHaveProperty('cost');
});
