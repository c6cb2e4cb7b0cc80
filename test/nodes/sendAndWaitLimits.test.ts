import type { INodeParameters } from 'n8n-workflow';
import { deduplicationStore } from '../support/n8n/deduplicationStore';
import {
	startSendAndWaitEngine,
	type SendAndWaitRun,
	type SendAndWaitEngine,
	type SendAndWaitExecution,
} from '../support/n8n/sendAndWaitEngine';
import { useSandbox } from '../support/useSandbox';

const { sandbox, control } = useSandbox();
let engine: SendAndWaitEngine;

beforeAll(async () => {
	engine = await startSendAndWaitEngine({
		messagingServiceApi: { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, authHeader: 'X-API-Key' },
	});
});
beforeEach(() => {
	deduplicationStore.clear();
});

const ask = async (options: INodeParameters, others: Partial<SendAndWaitRun> = {}, more: INodeParameters = {}) =>
	await engine.ask({
		parameters: {
			resource: 'sms',
			operation: 'sendAndWait',
			senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
			to: '020 123 4567',
			message: 'Ship order 1042?',
			options,
			...more,
		},
		...others,
	});
const rows = ({ output }: SendAndWaitExecution) => output.map(({ json }) => json);
const sent = async () => (await control.messages()).length;
const lastLink = async () => (await control.messages())[0]?.message.split('\n').at(-1) ?? '';
let keys = 0;
const newKey = () => `order-${++keys}`;

describe('Send Once Key of Send and Wait', () => {
	it('sends the question once per Send Once Key, and another execution continues with a skipped row', async () => {
		const sendOnceKey = newKey();
		expect((await ask({ sendOnceKey })).status).toBe('waiting');
		const again = await ask({ sendOnceKey });
		expect(again.status).toBe('success');
		expect(again.waitTill).toBeUndefined();
		expect(rows(again)).toEqual([
			expect.objectContaining({ outcome: 'skipped', reason: 'already_sent', first_outcome: 'accepted' }),
		]);
		expect(rows(again)[0]).not.toHaveProperty('data');
		expect(rows(again)[0]).not.toHaveProperty('cost');
		expect(await sent()).toBe(1);
	});

	it('returns key_used if it is not known whether the first question arrived', async () => {
		const sendOnceKey = newKey();
		const unknown = { to: '+233990000007' };
		expect((await ask({ sendOnceKey }, {}, unknown)).status).toBe('waiting');
		expect(rows(await ask({ sendOnceKey }, {}, unknown))).toEqual([
			expect.objectContaining({ outcome: 'skipped', reason: 'key_used', first_outcome: 'unknown' }),
		]);
		expect(await sent()).toBe(1);
	});

	it('sends the question under a used key again if the first was rejected', async () => {
		const sendOnceKey = newKey();
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 422, times: 1, body: { message: 'No' } });
		expect((await ask({ sendOnceKey })).status).toBe('error');
		expect((await ask({ sendOnceKey })).status).toBe('waiting');
		expect(await sent()).toBe(1);
	});

	it('accepts the answer to the first question after a skipped second one', async () => {
		const sendOnceKey = newKey();
		const first = await ask({ sendOnceKey });
		await ask({ sendOnceKey });
		const { answer } = await first.visit(await lastLink(), { answer: 'approve' });
		const data = { approved: true, approver: '+233201234567', respondedAt: expect.any(String) as string };
		expect(answer && rows(answer)).toEqual([expect.objectContaining({ outcome: 'accepted', data })]);
	});

	it('rejects an empty Send Once Key of Send and Wait before any request', async () => {
		const { error } = await ask({ sendOnceKey: '={{ $json.order_id }}' });
		expect(error?.message).toMatch(/^Send Once Key /);
		expect(await control.requests()).toEqual([]);
	});
});

describe('spending limits of Send and Wait', () => {
	it('counts questions for Maximum Recipients over the rounds of a loop, waits included', async () => {
		const first = await ask({ maxRecipients: 1 }, { secondRound: {} });
		expect(first.status).toBe('waiting');
		const { answer: second } = await first.visit(await lastLink(), { answer: 'approve' });
		expect(second?.status).toBe('error');
		expect(second?.error?.message).toMatch(/^Maximum Recipients is 1\b.*\b1 .*\b1 earlier/);
		expect(await sent()).toBe(1);
	});

	it('applies Maximum Recipients to the human review of a tool that an agent calls in a loop', async () => {
		const toolCall = { tool: 'Send_SMS', toolParameters: { to: '+233244000777' } };
		const first = await ask({ maxRecipients: 1 }, { as: 'review', items: [toolCall], secondRound: toolCall });
		const { answer: second } = await first.visit(await lastLink(), { answer: 'approve' });
		expect(second?.error?.message).toMatch(/^Maximum Recipients is 1/);
		expect(await sent()).toBe(1);
	});

	it('prices every segment of the question for Maximum Spend, the link included', async () => {
		// Without the link, the message is one segment.
		const message = 'x'.repeat(159);
		const [row] = rows(await ask({}, {}, { message }));
		expect(row).toMatchObject({ segment_count: 2 });
		await control.reset();
		const tooMuch = await ask({ maxSpend: 1.5, pricePerSegment: 1 }, {}, { message });
		expect(tooMuch.error?.message).toMatch(/^Maximum Spend is 1\.5\b.*\b2\b/);
		expect(await control.requests()).toEqual([]);
		expect((await ask({ maxSpend: 2, pricePerSegment: 1 }, {}, { message })).status).toBe('waiting');
	});

	it('does not count a rejected question for Maximum Recipients', async () => {
		const body = { message: 'No' };
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 422, times: 1, body });
		const { status } = await ask({ maxRecipients: 1 }, { settings: { retryOnFail: true, maxTries: 2 } });
		expect(status).toBe('waiting');
		expect(await sent()).toBe(1);
	});

	it('stops the run before the question if the wallet holds too little', async () => {
		const { error } = await ask({ checkBalance: 'stop', pricePerSegment: 1000 });
		expect(error?.message).toMatch(/^Check Balance .*\b40 GHS/);
		expect(await sent()).toBe(0);
	});

	it('gives an error row for a limit if the run continues on errors', async () => {
		const settings = { onError: 'continueRegularOutput' } as const;
		const { status, output } = await ask({ maxSpend: 1 }, { settings });
		expect(status).toBe('success');
		expect(output.map(({ json }) => json)).toEqual([
			expect.objectContaining({
				outcome: 'not_attempted',
				error: expect.stringMatching(/^Price per Segment /) as string,
			}),
		]);
	});
});
