import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { startEngine, type Engine } from '../support/n8n/engine';
import { NOTHING_SENT } from '../support/promises';
import { useSandbox } from '../support/useSandbox';

const { sandbox, control } = useSandbox();
let engine: Engine;

beforeAll(async () => {
	engine = await startEngine({
		messagingServiceApi: { baseUrl: sandbox.baseUrl, apiKey: 'sk_sandbox_demo', authHeader: 'X-API-Key' },
	});
});

const [ama, kofi, esi] = ['+233201234561', '+233201234562', '+233201234563'];
const sms: INodeParameters = {
	resource: 'sms',
	senderId: '={{ $json.sender ?? "KOFISHOP" }}',
	to: '={{ $json.to }}',
	message: '={{ $json.text }}',
	sendAt: '2099-01-01T10:00:00Z',
};
const good = { to: ama, text: 'Hi', email: 'ama@example.com' };
const blank = { ...good, to: kofi, text: ' ' };
const long = { ...blank, text: 'a'.repeat(1601) };
const email = {
	resource: 'email',
	operation: 'send',
	to: '={{ $json.email }}',
	subject: 'Hi',
	message: '={{ $json.text }}',
};

const operations: Array<[string, string, INodeParameters, IDataObject]> = [
	...['send', 'sendLater', 'sendBulk'].flatMap((operation): typeof operations => {
		const endpoint = operation === 'send' ? 'sms.send' : 'sms.sendBulk';
		return [
			[`SMS ${operation} with a blank text`, endpoint, { ...sms, operation }, blank],
			[`SMS ${operation} with a long text`, endpoint, { ...sms, operation }, long],
			[`SMS ${operation} without a sender ID`, endpoint, { ...sms, operation }, { ...good, to: kofi, sender: '' }],
		];
	}),
	['WhatsApp with a blank text', 'whatsapp.send', { ...sms, resource: 'whatsapp', operation: 'send' }, blank],
	['Voice with a blank text', 'voice.send', { ...sms, resource: 'voice', operation: 'send' }, blank],
	['Email to no address', 'email.send', email, { ...good, email: 'ama' }],
	[
		'Send Code without a sender ID',
		'verification.start',
		{ resource: 'verification', operation: 'start', phone: '={{ $json.to }}', senderId: sms.senderId ?? '' },
		{ ...good, to: kofi, sender: '' },
	],
];

describe.each(operations)('%s in a late item', (_, endpoint, parameters, wrong) => {
	const items = [good, { ...good, to: esi, email: 'esi@example.com' }, wrong];
	const outcomes = async (given: IDataObject[], options: INodeParameters) => {
		const { outputs } = await engine.run({
			parameters: { ...parameters, options },
			items: given,
			settings: { onError: 'continueRegularOutput' },
		});
		return outputs[0]?.map(({ json }) => json.outcome);
	};

	it('sends nothing if the run has to stop, and a dry run says the same', async () => {
		const stopped = await engine.run({ parameters: { ...parameters, options: {} }, items });
		expect(stopped.status).toBe('error');
		expect(stopped.error?.message).toContain('(item 3 of 3)');
		expect(stopped.error?.description).toContain(NOTHING_SENT);
		expect(await control.requests()).toEqual([]);
		const dry = await engine.run({ parameters: { ...parameters, options: { dryRun: true } }, items });
		expect([dry.error?.message, dry.error?.description]).toEqual([stopped.error?.message, stopped.error?.description]);
	});

	it('is rejected with an empty wallet, and counts for no limit', async () => {
		const body = { code: 'insufficient_balance', message: 'Top up first' };
		await control.fault({ endpoint, kind: 'answer', status: 422, times: 1, body });
		const after = [good, { ...good, to: esi, email: 'esi@example.com' }, wrong];
		expect(await outcomes(after, { parallelRequests: 1 })).toEqual(['rejected', expect.any(String), 'rejected']);
		await control.reset();
		expect(await outcomes([wrong, good], { maxRecipients: 1 })).toEqual(['rejected', 'accepted']);
	});
});
