import type { INodeParameters } from 'n8n-workflow';
import { NOTHING_SENT } from '../support/promises';
import { startSendAndWaitEngine, type SendAndWaitEngine } from '../support/n8n/sendAndWaitEngine';
import { useSandbox } from '../support/useSandbox';

const { sandbox, control } = useSandbox();
let engine: SendAndWaitEngine;

beforeAll(async () => {
	engine = await startSendAndWaitEngine({
		messagingServiceApi: { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, authHeader: 'X-API-Key' },
	});
});

const ask = async (options: INodeParameters) =>
	await engine.ask({
		parameters: {
			resource: 'sms',
			operation: 'sendAndWait',
			senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
			to: '020 123 4567',
			message: 'Ship order 1042 for GHS 300? Ama Mensah ordered it on Monday and paid by mobile money.',
			options,
		},
	});

it('a dry run of Send and Wait counts the link, and neither sends nor waits', async () => {
	const asking = await ask({ dryRun: true, pricePerSegment: 0.05 });
	expect(asking.status).toBe('success');
	const [row] = asking.output.map(({ json }) => json);
	expect(row).toMatchObject({
		dry_run: true,
		outcome: 'would_send',
		to: '+233201234567',
		segment_count: 2,
		cost: 0.1,
		balance: 39.9,
		note: expect.stringContaining(NOTHING_SENT) as string,
		message: expect.stringMatching(/^Ship order 1042 [^]*\nhttps:\S+\?…$/) as string,
	});
	// A row without data is no response, so it never counts as approved.
	expect(row).not.toHaveProperty('data');
	expect(await control.messages()).toEqual([]);
	expect((await control.wallet()).balance).toBe(40);
	const real = await ask({});
	expect(real.status).toBe('waiting');
	expect((await control.wallet()).balance).toBe(39.9);
});
