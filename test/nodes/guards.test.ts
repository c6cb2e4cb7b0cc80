import type { INodeParameters } from 'n8n-workflow';
import { NOTHING_SENT } from '../support/promises';
import { startEngine, type Engine } from '../support/n8n/engine';
import { useSandbox } from '../support/useSandbox';

const recipients = ['+233201234561', '+233201234562', '+233201234563'];
const items = recipients.map((to) => ({ to }));
const send = (options: INodeParameters, more: INodeParameters = {}): INodeParameters => ({
	resource: 'sms',
	operation: 'send',
	senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
	to: '={{ $json.to }}',
	message: 'We are open from 8 to 18.',
	options,
	...more,
});

const { sandbox, control } = useSandbox();
let engine: Engine;

beforeAll(async () => {
	engine = await startEngine({
		messagingServiceApi: { baseUrl: sandbox.baseUrl, apiKey: 'sk_sandbox_demo', authHeader: 'X-API-Key' },
	});
});

const sent = async () => (await control.messages()).length;

describe('SMS > Send and Send Bulk with limits', () => {
	it.each<[string, INodeParameters, RegExp]>([
		['more recipients than allowed', { maxRecipients: 2 }, /^Maximum Recipients .*\b2\b.*\b3\b/],
		['a higher cost than allowed', { maxSpend: 0.14, pricePerSegment: 0.05 }, /^Maximum Spend .*\b0\.14\b.*\b0\.15\b/],
		['an empty Maximum Recipients', { maxRecipients: '={{ $json.limit }}' }, /^Maximum Recipients is empty/],
		['an empty Maximum Spend', { maxSpend: '={{ $json.limit }}', pricePerSegment: 0.05 }, /^Maximum Spend is empty/],
		['no price', { maxSpend: 1 }, /^Price per Segment /],
		['too little in the wallet', { checkBalance: 'stop', pricePerSegment: 20 }, /^Check Balance .*\b40 GHS.*\b60 GHS/],
	])('sends nothing if there is %s', async (_, options, words) => {
		for (const operation of ['send', 'sendBulk']) {
			const { status, error } = await engine.run({ parameters: send(options, { operation }), items });
			expect(status).toBe('error');
			expect(error?.message).toMatch(words);
			expect(error?.description).toContain(NOTHING_SENT);
		}
		expect(await sent()).toBe(0);
	});

	it('sends a run that exactly reaches Maximum Recipients and Maximum Spend', async () => {
		const options = { maxRecipients: 3, maxSpend: 0.0237, pricePerSegment: 0.0079, checkBalance: 'stop' };
		const { status, hints } = await engine.run({ parameters: send(options), items });
		expect([status, hints]).toEqual(['success', []]);
		expect(await sent()).toBe(3);
	});

	it('only warns about a low balance with Check Balance = Warn, because package credits go first', async () => {
		const options = { checkBalance: 'warn', pricePerSegment: 20 };
		const { status, hints } = await engine.run({ parameters: send(options), items });
		expect(status).toBe('success');
		expect(hints).toEqual([expect.stringMatching(/\b40 GHS.*\b60 GHS.*Package credits/)]);
		expect(await sent()).toBe(3);
	});

	it('stops a run with Check Balance if the balance cannot be read', async () => {
		await control.fault({
			endpoint: 'wallet.getBalance',
			kind: 'answer',
			status: 403,
			times: 1,
			body: { message: 'Not you' },
		});
		const options = { checkBalance: 'stop', pricePerSegment: 1 };
		const { error } = await engine.run({ parameters: send(options), items });
		expect(error?.message).toMatch(/^Check Balance .*Not you/);
		expect(await sent()).toBe(0);
	});

	it('counts recipients for Maximum Recipients over the whole execution, loops included', async () => {
		const { error } = await engine.run({ parameters: send({ maxRecipients: 5 }), items, secondItems: items });
		expect(error?.message).toMatch(/^Maximum Recipients is 5\b.*\b3 .*\b3 earlier/);
		expect(await sent()).toBe(3);
	});

	it('applies Maximum Recipients to all tool calls of an agent together', async () => {
		const calls = recipients.map((to) => ({ to, message: 'Hello' }));
		const responses = await engine.callTool(calls, {}, 'one by one', { maxRecipients: 2 });
		expect(responses.filter((response) => response.includes('Maximum Recipients is 2'))).toHaveLength(1);
		expect(await sent()).toBe(2);
	});

	it('does not count rejected messages for Maximum Recipients, and counts a retried message once', async () => {
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 422, times: 1, body: { message: 'No' } });
		const { status } = await engine.run({
			parameters: send({ maxRecipients: 3 }),
			items,
			settings: { retryOnFail: true, maxTries: 2 },
		});
		expect(status).toBe('success');
		expect(await sent()).toBe(3);
	});

	it('gives each item an error row if a limit stops a run that continues on errors', async () => {
		const settings = { onError: 'continueRegularOutput' as const };
		const { outputs } = await engine.run({ parameters: send({ maxRecipients: 2 }), items, settings });
		expect(outputs[0]?.map(({ json }) => json)).toMatchObject(
			items.map(() => ({ outcome: 'not_attempted', error: expect.stringContaining('Maximum Recipients') as string })),
		);
		expect(await sent()).toBe(0);
	});
});
