import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { deduplicationStore } from '../support/n8n/deduplicationStore';
import { startEngine, type Engine, type NodeRun } from '../support/n8n/engine';
import { NOTHING_SENT } from '../support/promises';
import { useSandbox } from '../support/useSandbox';

/** The rows of a run that may send nothing. Workflows write them into a sheet, and find the line by the number. */
const [ama, kofi, esi] = ['+233201234561', '+233201234562', '+233201234563'] as const;
const items = [{ to: '020 123 4561' }, { to: kofi }, { to: esi }];
const GOES_ON = { onError: 'continueRegularOutput' as const };

const { sandbox, control } = useSandbox();
const credential: Record<string, string> = { apiKey: 'sk_sandbox_demo', authHeader: 'X-API-Key' };
let engine: Engine;

beforeAll(async () => {
	credential.baseUrl = sandbox.baseUrl;
	engine = await startEngine({ messagingServiceApi: credential });
});
beforeEach(() => {
	credential.baseUrl = sandbox.baseUrl;
	deduplicationStore.clear();
});

const inThreeDays = () =>
	new Date(Date.now() + 3 * 86_400_000).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' }).toLowerCase();
const closed = () => ({
	values: { from: '08:00', until: '19:00', days: [inThreeDays()], timeZone: 'Africa/Accra', outside: 'stop' },
});

async function run(operation: string, options: INodeParameters, more: Partial<NodeRun> = {}) {
	const parameters = {
		resource: 'sms',
		operation,
		senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
		to: '={{ $json.to }}',
		message: '={{ $json.text ?? "We are open" }}',
		options,
	};
	const { outputs, hints, error } = await engine.run({ parameters, items, settings: GOES_ON, ...more });
	expect(error).toBeUndefined();
	return { outputs: outputs.map((rows) => rows.map(({ json }): IDataObject => json)), hints };
}

const nothingSent = async () => {
	expect(await control.messages()).toEqual([]);
	expect((await control.wallet()).balance).toBe(40);
};

describe.each(['send', 'sendBulk'])('SMS > %s that continues on errors', (operation) => {
	it.each<[string, string, () => INodeParameters]>([
		['the balance is too low', 'Check Balance', () => ({ checkBalance: 'stop', pricePerSegment: 20 })],
		['the limit of recipients is too low', 'Maximum Recipients', () => ({ maxRecipients: 2 })],
		['the limit of money is too low', 'Maximum Spend', () => ({ maxSpend: 0.1, pricePerSegment: 0.05 })],
		['the price is missing', 'Price per Segment', () => ({ checkBalance: 'stop' })],
		['an option of the run is wrong', 'Parallel Requests', () => ({ parallelRequests: 0 })],
		['the default country is wrong', 'Default Country', () => ({ defaultCountry: 'Atlantis' })],
		['it is outside the hours', 'Sending Hours', () => ({ sendingHours: closed() })],
	])('has a row with the number and the reason for each recipient if %s', async (_, field, options) => {
		const { outputs } = await run(operation, options());
		const [rows = [], summary] = outputs;
		const first = field === 'Default Country' ? items[0]?.to : ama;
		expect(rows.map(({ to }) => to)).toEqual([first, kofi, esi]);
		// SMS > Send has a country for each item.
		const word = field === 'Default Country' && operation === 'send' ? 'rejected' : 'not_attempted';
		for (const { to, outcome, error, details } of rows) {
			expect([outcome, error]).toEqual([word, expect.stringMatching(new RegExp(`^${field}`))]);
			expect(details).toMatchObject({ to, outcome: word, sent: 'no' });
			expect((details as IDataObject).description).toContain(NOTHING_SENT);
		}
		const counts = { total: 3, accepted: 0, rejected: 0, not_attempted: 3, requests: 0 };
		if (operation === 'sendBulk') expect(summary).toMatchObject([counts]);
		await nothingSent();
	});

	it.each<[string, INodeParameters]>([
		['Check Balance', { checkBalance: 'stop', pricePerSegment: 20 }],
		['Maximum Recipients', { maxRecipients: 2 }],
	])('says above its output that nothing was sent or charged because of %s', async (field, options) => {
		const { hints } = await run(operation, options);
		expect(hints[0]).toContain(field);
		expect(hints[0]).toContain(NOTHING_SENT);
	});

	it('names the recipient of each item on the error output', async () => {
		const settings = { onError: 'continueErrorOutput' as const };
		const { outputs } = await run(operation, { maxRecipients: 2 }, { settings });
		expect(outputs[0]).toEqual([]);
		expect(outputs.at(-1)?.map(({ details }) => (details as IDataObject).to)).toEqual([ama, kofi, esi]);
		await nothingSent();
	});

	it('names the recipient of an item whose message is blank, and sends to the others in their places', async () => {
		const mixed = [{ to: ama }, { to: kofi, text: ' ' }, { to: esi }];
		const { outputs } = await run(operation, {}, { items: mixed });
		expect(outputs[0]?.map(({ to, outcome }) => [to, outcome])).toEqual([
			[ama, 'accepted'],
			[kofi, 'rejected'],
			[esi, 'accepted'],
		]);
		if (operation === 'sendBulk') expect(outputs[1]).toMatchObject([{ total: 3, accepted: 2, rejected: 1 }]);
	});

	it('keeps the rows of messages that were sent under their keys when a limit stops the others', async () => {
		const sendOnceKey = '={{ $json.to }}';
		await run(operation, { sendOnceKey }, { items: [{ to: ama }] });
		const all = [{ to: ama }, { to: kofi }, { to: esi }];
		const { outputs } = await run(operation, { sendOnceKey, maxRecipients: 1 }, { items: all });
		expect(outputs[0]?.map(({ to, outcome, reason }) => [to, reason ?? outcome])).toEqual([
			[ama, 'already_sent'],
			[kofi, 'not_attempted'],
			[esi, 'not_attempted'],
		]);
		expect(await control.messages()).toHaveLength(1);
	});

	it('names the recipients if the credential cannot be used', async () => {
		credential.baseUrl = 'not an address';
		const { outputs } = await run(operation, {});
		const notAttempted = [ama, kofi, esi].map((to) => [to, 'not_attempted']);
		expect(outputs[0]?.map(({ to, outcome }) => [to, outcome])).toEqual(notAttempted);
	});

	it('keeps the reason of a wrong number if a limit stops the other messages', async () => {
		const { outputs } = await run(operation, { maxRecipients: 1 }, { items: [{ to: ama }, { to: '12' }, { to: esi }] });
		expect(outputs[0]?.map(({ to, outcome, reason }) => [to, reason ?? outcome])).toEqual([
			[ama, 'not_attempted'],
			['12', operation === 'send' ? 'rejected' : 'invalid_number'],
			[esi, 'not_attempted'],
		]);
		await nothingSent();
	});

	it('sends the messages of a stopped run in the next one, under the same Send Once Keys', async () => {
		const sendOnceKey = '={{ $json.to }}';
		await run(operation, { sendOnceKey, maxRecipients: 2 });
		const { outputs } = await run(operation, { sendOnceKey });
		expect(outputs[0]?.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted']);
	});

	it('shows the recipients of a dry run that a limit stops', async () => {
		const { outputs } = await run(operation, { dryRun: true, maxRecipients: 2 });
		expect(outputs[0]?.map(({ to, outcome, dry_run }) => [to, outcome, dry_run])).toEqual(
			[ama, kofi, esi].map((to) => [to, 'not_attempted', true]),
		);
		if (operation === 'sendBulk') expect(outputs[1]).toMatchObject([{ total: 3, would_send: 0, not_attempted: 3 }]);
		await nothingSent();
	});
});

describe('SMS > Send Bulk that continues on errors', () => {
	it('has a row for each number of an item that cannot be sent', async () => {
		const lists = [
			{ to: `${ama}, 12`, at: '' },
			{ to: [kofi, esi], at: '2031-12-24T08:30:00Z' },
		];
		const { outputs } = await run('sendBulk', { sendAt: '={{ $json.at }}' }, { items: lists });
		expect(outputs[0]?.map(({ to, outcome }) => [to, outcome])).toEqual([
			[ama, 'rejected'],
			['12', 'rejected'],
			[kofi, 'accepted'],
			[esi, 'accepted'],
		]);
		expect(outputs[1]).toMatchObject([{ total: 4, accepted: 2, rejected: 2 }]);
	});

	it('has a row without a number for an item without a number that cannot be sent', async () => {
		const lists = [
			{ to: '', at: '' },
			{ to: kofi, at: '2031-12-24T08:30:00Z' },
		];
		const { outputs } = await run('sendBulk', { sendAt: '={{ $json.at }}' }, { items: lists });
		expect(outputs[0]?.map(({ to, outcome }) => [to, outcome])).toEqual([
			[kofi, 'accepted'],
			[undefined, 'rejected'],
		]);
	});
});

it('names the person of a call and of a one-time code that a limit stops', async () => {
	for (const [resource, operation] of [
		['voice', 'send'],
		['verification', 'start'],
		['whatsapp', 'send'],
	]) {
		const parameters = {
			...{ resource, operation, message: 'Hi', to: '={{ $json.to }}', phone: '={{ $json.to }}' },
			senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
			options: { maxRecipients: 2 },
		} as INodeParameters;
		const { outputs } = await run('', {}, { parameters });
		const notAttempted = [ama, kofi, esi].map((to) => [to, 'not_attempted']);
		expect(outputs[0]?.map(({ to, outcome }) => [to, outcome])).toEqual(notAttempted);
	}
});
