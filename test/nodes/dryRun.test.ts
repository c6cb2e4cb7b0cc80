import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { countSegments } from '../../shared';
import { closedPort } from '../support/closedPort';
import { endRetryWaits } from '../support/endRetryWaits';
import { deduplicationStore } from '../support/n8n/deduplicationStore';
import { startEngine, type Engine, type NodeResult } from '../support/n8n/engine';
import { NOTHING_SENT } from '../support/promises';
import { useSandbox } from '../support/useSandbox';

endRetryWaits();

const ama = '+233201234561';
const kofi = '+233201234562';
const cedis = `Your order of GH₵50 is ready. ${'We are open every day. '.repeat(5)}`;

const { sandbox, control } = useSandbox();
const credential: Record<string, string> = { apiKey: 'sk_sandbox_demo', authHeader: 'X-API-Key' };
let engine: Engine;
let keys = 0;

beforeAll(async () => {
	credential.baseUrl = sandbox.baseUrl;
	engine = await startEngine({ messagingServiceApi: credential });
});
beforeEach(() => {
	credential.baseUrl = sandbox.baseUrl;
	deduplicationStore.clear();
});

const parametersOf = (options: INodeParameters, more: INodeParameters = {}): INodeParameters => ({
	resource: 'sms',
	operation: 'send',
	senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
	to: '={{ $json.to }}',
	message: '={{ $json.text ?? "We are open" }}',
	options: { dryRun: true, ...options },
	...more,
});
const run = async (
	items: ReadonlyArray<Record<string, unknown>>,
	options: INodeParameters = {},
	more: INodeParameters = {},
	settings: Parameters<Engine['run']>[0]['settings'] = {},
) => await engine.run({ parameters: parametersOf(options, more), items: items.map((item) => ({ ...item })), settings });
const rows = ({ outputs }: NodeResult, output = 0) => outputs[output]?.map(({ json }) => json) ?? [];
const nothingHappened = async () => {
	expect(await control.messages()).toEqual([]);
	expect((await control.wallet()).balance).toBe(40);
	const called = (await control.requests()).map(({ endpoint }) => endpoint);
	// Both are free, and each is read at most once.
	expect(['wallet.getBalance', 'senderId.list']).toEqual(expect.arrayContaining(called));
	expect(new Set(called).size).toBe(called.length);
	expect(deduplicationStore.claims).toBe(0);
};

describe('Dry Run of SMS > Send', () => {
	it('predicts a row for each recipient with size, cost and balance, and sends nothing', async () => {
		const result = await run([{ to: '020 123 4561' }, { to: kofi, text: cedis }], { pricePerSegment: 0.05 });
		const { segment_count } = countSegments(cedis);
		expect(rows(result)).toMatchObject([
			{
				dry_run: true,
				outcome: 'would_send',
				to: ama,
				sender_id: 'KOFISHOP',
				segment_count: 1,
				encoding: 'GSM-7',
				cost: 0.05,
				balance_now: 40,
				balance: 39.95,
			},
			{
				to: kofi,
				segment_count,
				encoding: 'UCS-2',
				balance: expect.closeTo(39.95 - segment_count * 0.05, 6) as number,
			},
		]);
		const [plain, costly] = rows(result);
		expect(plain).not.toHaveProperty('cheaper_message');
		const cheaper = countSegments(costly?.cheaper_message as string).segment_count;
		expect(costly?.segments_saved).toBe(segment_count - cheaper);
		expect(rows(result).map(({ message }) => message)).toEqual(['We are open', cedis]);
		for (const row of rows(result)) expect(row.note).toContain(NOTHING_SENT);
		await nothingHappened();
	});

	it('shows above its output that nothing was sent, with the totals', async () => {
		const { hints } = await run([{ to: ama }, { to: kofi }], { pricePerSegment: 0.05 });
		expect(hints).toHaveLength(1);
		for (const fact of [
			'Dry Run',
			NOTHING_SENT,
			'2 of 2',
			'2 segments',
			'GHS 0.1',
			'GHS 40 now',
			'GHS 39.9 afterwards',
		])
			expect(hints[0]).toContain(fact);
	});

	it('predicts no cost without a price, and names the option', async () => {
		const result = await run([{ to: ama }]);
		expect(rows(result)[0]).toMatchObject({ segment_count: 1, balance_now: 40 });
		for (const name of ['cost', 'balance']) expect(rows(result)[0]).not.toHaveProperty(name);
		expect(result.hints[0]).toContain('Price per Segment');
	});

	it('predicts the balances of a real run if one number has two messages, in their order', async () => {
		const items = [{ to: ama, text: '1' }, { to: ama, text: '2' }, { to: kofi }];
		const options = { pricePerSegment: 0.05, parallelRequests: 1 };
		const dry = rows(await run(items, options));
		const sent = rows(await run(items, { ...options, dryRun: false }));
		expect(dry.map(({ balance }) => balance)).toEqual(sent.map(({ balance }) => balance));
		expect((await control.messages()).map(({ to }) => to).reverse()).toEqual([ama, ama, kofi]);
	});

	it('keeps its rows if the balance cannot be read, and says so', async () => {
		await control.fault({
			endpoint: 'wallet.getBalance',
			kind: 'answer',
			status: 403,
			times: 1,
			body: { message: 'No' },
		});
		const result = await run([{ to: ama }], { pricePerSegment: 0.05 });
		expect(rows(result)).toMatchObject([{ outcome: 'would_send', cost: 0.05 }]);
		expect(rows(result)[0]?.note).toMatch(/balance .* could not be read: No/);
		expect(rows(result)[0]).not.toHaveProperty('balance');
	});

	it('warns from the message on that the wallet cannot pay', async () => {
		await control.adjustWallet(-39.92);
		const result = await run([{ to: ama }, { to: kofi }], { pricePerSegment: 0.05 });
		const [first, second] = rows(result);
		expect(first).toMatchObject({ outcome: 'would_send', balance: 0.03 });
		expect(first?.note).not.toContain('Package credits');
		expect(second).not.toHaveProperty('balance');
		expect(second?.note).toMatch(/holds 0\.08 GHS.* 0\.1 GHS.*Package credits/);
	});

	it('rejects a number in the words of a real run, and predicts the others', async () => {
		const settings = { onError: 'continueRegularOutput' } as const;
		const items = [{ to: '12' }, { to: ama }, { to: kofi, text: ' ' }];
		const dry = rows(await run(items, {}, {}, settings));
		expect(dry).toMatchObject([
			{ dry_run: true, outcome: 'rejected' },
			{ outcome: 'would_send' },
			{ dry_run: true, outcome: 'rejected' },
		]);
		await nothingHappened();
		const real = rows(await run(items, { dryRun: false }, {}, settings));
		expect(dry.map(({ error }) => error)).toEqual(real.map(({ error }) => error));
	});

	it('sends failed rows to the error output, where the details say that it was a dry run', async () => {
		const result = await run([{ to: '12' }, { to: ama }], {}, {}, { onError: 'continueErrorOutput' });
		expect(rows(result)).toMatchObject([{ outcome: 'would_send' }]);
		const [failed] = rows(result, 1);
		expect(failed?.details).toMatchObject({ dry_run: true, outcome: 'rejected' });
	});

	it.each<[string, unknown, RegExp]>([
		['missing', undefined, /^Dry Run is empty/],
		['other text', 'maybe', /^Dry Run is neither true nor false/],
		['mixed', true, /^Dry Run is on for some items/],
	])('sends nothing if Dry Run is %s', async (_, value, words) => {
		const items = [
			{ to: ama, dry: value },
			{ to: kofi, dry: value === true ? false : value },
		];
		const { error } = await run(items, { dryRun: '={{ $json.dry }}' });
		expect(error?.message).toMatch(words);
		expect(error?.description).toContain(NOTHING_SENT);
		await nothingHappened();
	});

	it('sends if Dry Run is off', async () => {
		expect(rows(await run([{ to: ama }], { dryRun: false }))).toMatchObject([{ outcome: 'accepted' }]);
		expect(rows(await run([{ to: ama }], { dryRun: 'false' }))[0]).not.toHaveProperty('dry_run');
		expect(await control.messages()).toHaveLength(2);
	});

	it('counts for no limit, so a real run in the same execution has the whole limit', async () => {
		const parameters = parametersOf({
			dryRun: '={{ $runIndex === 0 }}',
			maxRecipients: 2,
			pricePerSegment: 0.05,
			maxSpend: 0.1,
		});
		const items = [{ to: ama }, { to: kofi }];
		const result = await engine.run({ parameters, items, secondItems: items });
		expect(result.status).toBe('success');
		expect(rows(result)).toMatchObject([{ outcome: 'accepted' }, { outcome: 'accepted' }]);
	});

	it('counts the messages that the execution sent before, as a real run does', async () => {
		const parameters = parametersOf({ dryRun: '={{ $runIndex === 1 }}', maxRecipients: 3 });
		const items = [{ to: ama }, { to: kofi }];
		const { error } = await engine.run({ parameters, items, secondItems: items });
		expect(error?.message).toMatch(/^Maximum Recipients is 3\b.*\b2 .*\b2 earlier/);
		expect(await control.messages()).toHaveLength(2);
	});

	it('reports an unusable credential as a real run does', async () => {
		credential.baseUrl = 'our service';
		const dry = await run([{ to: ama }]);
		const real = await run([{ to: ama }], { dryRun: false });
		expect(dry.error).toEqual(real.error);
		expect(dry.status).toBe('error');
	});

	it('predicts without a connection, and says that the balance is not known', async () => {
		credential.baseUrl = `http://127.0.0.1:${await closedPort()}/api/v1/`;
		const [row] = rows(await run([{ to: ama }], { requestsPerSecond: 100 }));
		expect(row).toMatchObject({ outcome: 'would_send' });
		expect(row?.note).toMatch(/balance .* could not be read/);
	}, 60_000);
});

describe('Dry Run with a Send Once Key', () => {
	const key = () => `order ${++keys}`;

	it('claims no key, so a real run can use it', async () => {
		const sendOnceKey = key();
		expect(rows(await run([{ to: ama }], { sendOnceKey }))).toMatchObject([{ outcome: 'would_send' }]);
		await nothingHappened();
		expect(rows(await run([{ to: ama }], { sendOnceKey, dryRun: false }))).toMatchObject([{ outcome: 'accepted' }]);
	});

	it.each(['send', 'sendBulk'])('predicts in %s that a message under a used key is skipped', async (operation) => {
		const sendOnceKey = key();
		await run([{ to: ama }], { sendOnceKey, dryRun: false }, { operation });
		const [row] = rows(await run([{ to: ama }], { sendOnceKey }, { operation }));
		expect(row).toMatchObject({ dry_run: true, to: ama, outcome: 'would_skip', reason: 'already_sent' });
		expect(row).not.toHaveProperty('cost');
		expect(await control.messages()).toHaveLength(1);
	});

	it('says that a key is not known only if the node may have used it', async () => {
		const fresh = rows(await run([{ to: ama }], { sendOnceKey: key() }))[0];
		expect(fresh?.note).not.toContain('Send Once Key');
		await run([{ to: ama }], { sendOnceKey: key(), dryRun: false });
		const later = rows(await run([{ to: ama }], { sendOnceKey: key() }))[0];
		expect(later).toMatchObject({ outcome: 'would_send' });
		expect(later?.note).toContain('not known here');
	});
});

describe('Dry Run of SMS > Send Bulk', () => {
	const bulk = { operation: 'sendBulk' };

	it('predicts a row for each number and the summary of a real run, and sends nothing', async () => {
		const to = `${ama}, 020 123 4562, abc, ${ama}, +233201234563`;
		const options = { pricePerSegment: 0.05, excludedNumbers: '+233201234563', recipientsPerRequest: 1 };
		const result = await run([{ to }], options, bulk);
		expect(rows(result)).toMatchObject([
			{ dry_run: true, to: ama, outcome: 'would_send', segment_count: 1, cost: 0.05, message: 'We are open' },
			{ to: kofi, outcome: 'would_send' },
			{ to: 'abc', outcome: 'would_skip', reason: 'invalid_number' },
			{
				to: ama,
				outcome: 'would_skip',
				reason: 'duplicate',
				message: 'We are open',
				note: expect.any(String) as string,
			},
			{ outcome: 'would_skip', reason: 'excluded' },
		]);
		expect(rows(result, 1)).toMatchObject([
			{
				dry_run: true,
				total: 5,
				would_send: 2,
				would_skip: 3,
				would_skip_by_reason: { invalid_number: 1, duplicate: 1, excluded: 1 },
				rejected: 0,
				requests: 2,
				total_segments: 2,
				cost: 0.1,
				balance_now: 40,
				balance: 39.9,
				batches: [
					{ outcome: 'would_send', recipients: 1, cost: 0.05 },
					{ outcome: 'would_send', recipients: 1 },
				],
			},
		]);
		expect(result.hints).toHaveLength(1);
		expect(result.hints[0]).toMatch(/2 of 5.*1 would_skip \(duplicate\).*Dry Run/);
		await nothingHappened();
	});

	it('shows the time of a scheduled message', async () => {
		const [row] = rows(await run([{ to: ama }], { sendAt: '2031-01-01T09:00:00Z' }, bulk));
		expect(row).toMatchObject({ outcome: 'would_send', schedule_at: '2031-01-01 09:00:00' });
		await nothingHappened();
	});
});

describe('Dry Run outside the Sending Hours', () => {
	const tomorrow = new Date(Date.now() + 86_400_000).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
	const hours = (outside: string): INodeParameters => ({
		sendingHours: {
			values: {
				from: '08:00',
				until: '19:00',
				days: [tomorrow.toLowerCase()],
				timeZone: 'Africa/Accra',
				holidays: '',
				outside,
			},
		},
	});

	it.each(['send', 'sendBulk'])('predicts in %s the time of a message that the hours move', async (operation) => {
		const result = await run([{ to: ama }], hours('schedule'), { operation });
		await nothingHappened();
		expect(result.hints[0]).toContain(
			'1 of 1 would be sent (1 segment). 1 of them would wait until the Sending Hours begin.',
		);
		const [dry] = rows(result);
		const [real] = rows(await run([{ to: ama }], { ...hours('schedule'), dryRun: false }, { operation }));
		const { schedule_at, allowed_at, schedule_reason } = real ?? {};
		expect(schedule_reason).toBe('outside_sending_hours');
		expect(dry).toMatchObject({ outcome: 'would_send', schedule_at, allowed_at, schedule_reason });
	});

	it.each(['send', 'sendBulk'])('predicts in %s that the hours skip a message', async (operation) => {
		const [dry] = rows(await run([{ to: ama }], hours('skip'), { operation }));
		await nothingHappened();
		const [real] = rows(await run([{ to: ama }], { ...hours('skip'), dryRun: false }, { operation }));
		const { message: note, ...fields } = real ?? {};
		expect(dry).toMatchObject({ ...fields, outcome: 'would_skip', dry_run: true, note });
	});
});

describe('Warnings of a Dry Run', () => {
	it.each(['send', 'sendBulk'])('warns in %s about a sender ID that is not in the list', async (operation) => {
		const senderId = { __rl: true, mode: 'name', value: 'NOTMINE' };
		const result = await run([{ to: ama }], {}, { operation, senderId });
		const words = /Sender ID "NOTMINE" is not in the list of your account\. Approved: .*KOFISHOP/;
		expect(rows(result)[0]?.note).toMatch(words);
		expect(result.hints[0]).toMatch(words);
		await nothingHappened();
	});

	it('does not warn about the sender ID if the list cannot be read', async () => {
		await control.fault({ endpoint: 'senderId.list', kind: 'answer', status: 403, times: 1, body: { message: 'No' } });
		const result = await run([{ to: ama }], {}, { senderId: { __rl: true, mode: 'name', value: 'NOTMINE' } });
		expect(rows(result)).toMatchObject([{ outcome: 'would_send' }]);
		expect(result.hints[0]).not.toContain('NOTMINE');
		expect(rows(result)[0]?.note).not.toContain('NOTMINE');
	});

	it.each(['send', 'sendBulk'])(
		'warns in %s about a missing value, above the output and in its row',
		async (operation) => {
			const result = await run([{ to: ama }, { to: kofi, text: 'Hi , your order is ready' }], {}, { operation });
			const [plain, doubtful] = rows(result);
			expect(plain?.note).not.toContain('missing');
			expect(doubtful?.note).toContain('The text has a gap before a comma or a full stop.');
			expect(result.hints[0]).toContain(
				'1 text has a gap before a comma or a full stop (item 2). A value may be missing.',
			);
		},
	);

	it('says from 100 requests on how long a bulk send takes', async () => {
		const options = { recipientsPerRequest: 1, parallelRequests: 5, requestsPerSecond: 2 };
		const items = (count: number) => [{ to: Array.from({ length: count }, (_, n) => `+2332012${10_000 + n}`) }];
		const few = await run(items(99), options, { operation: 'sendBulk' });
		expect(few.hints[0]).not.toContain('requests take');
		const many = await run(items(300), options, { operation: 'sendBulk' });
		expect(many.hints[0]).toContain('The 300 requests take about 3 minutes');
		expect(rows(many, 1)[0]?.note).toContain('The 300 requests take about 3 minutes');
	});
});

describe('The hint above the output of a real run', () => {
	const real = { dryRun: false };

	it('names a recipient who gets the same text from several items', async () => {
		const { hints } = await run([{ to: ama }, { to: kofi }, { to: ama }, { to: '020 123 4561' }], real);
		expect(hints).toEqual([`3 messages with the same text go to ${ama}.`]);
	});

	it.each(['send', 'sendBulk'])('warns in %s about texts whose values may be missing', async (operation) => {
		const items = [
			{ to: ama, text: 'Hi undefined, welcome' },
			{ to: kofi, text: 'Your total is NaN , thanks' },
		];
		const { hints } = await run(items, real, { operation });
		expect(hints).toHaveLength(1);
		expect(hints[0]).toContain('1 text has the word "undefined" (item 1). A value may be missing.');
		expect(hints[0]).toContain('1 text has the word "NaN" (item 2). A value may be missing.');
		expect(hints[0]).toContain('1 text has a gap before a comma or a full stop (item 2).');
	});

	it.each(['send', 'sendBulk'])('has no warning in %s about plain texts', async (operation) => {
		const { hints } = await run([{ to: ama }, { to: kofi }], real, { operation });
		expect(hints).toEqual([]);
	});

	it('does not count items that were skipped or rejected', async () => {
		const items = [{ to: ama }, { to: ama }];
		const { hints } = await run(items, { ...real, sendOnceKey: 'the same' });
		expect(hints).toEqual([]);
	});
});

describe('Dry Run of other sends', () => {
	const to = { __rl: true, mode: 'phone', value: ama };
	it.each<[string, INodeParameters, INodeParameters, object]>([
		[
			'Send Later',
			{ operation: 'sendLater', sendAt: '2031-01-01T09:00:00Z' },
			{},
			{ schedule_at: '2031-01-01 09:00:00', message: 'We are open' },
		],
		['WhatsApp', { resource: 'whatsapp' }, {}, { to: ama, message: 'We are open' }],
		[
			'Email',
			{ resource: 'email', to: 'ama@example.com', subject: 'Hi' },
			{},
			{ to: 'ama@example.com', subject: 'Hi', message: 'We are open' },
		],
		[
			'Voice',
			{ resource: 'voice' },
			{ pricePerCall: 0.2 },
			{ to: ama, cost: 0.2, balance: 39.8, message: 'We are open' },
		],
		['Send Code', { resource: 'verification', operation: 'start', phone: to }, {}, { to: ama, sender_id: 'KOFISHOP' }],
	])('predicts %s and sends nothing', async (_, more, options, expected) => {
		const result = await run([{ to: ama }], options, more);
		expect(rows(result)).toMatchObject([{ dry_run: true, outcome: 'would_send', ...expected }]);
		expect(result.hints).toEqual([expect.stringContaining('Dry Run')]);
		await nothingHappened();
	});
});

describe('Dry Run of an AI agent', () => {
	const call = { to: ama, message: 'Your appointment is tomorrow' };
	const tool = async (options: INodeParameters, executionId: string, operation: string) => {
		const texts = await engine.callTool([call], {}, undefined, options, undefined, { operation }, executionId);
		return texts.flatMap((text) => JSON.parse(text) as IDataObject[]);
	};

	it.each(['send', 'sendBulk'])(
		'says to the agent in %s that nothing was sent, and lets it send afterwards',
		async (operation) => {
			const executionId = `dry ${++keys}`;
			const [dry] = await tool({ dryRun: true }, executionId, operation);
			expect(dry).toMatchObject({ dry_run: true, outcome: 'would_send', to: ama });
			expect(dry?.note).toContain(NOTHING_SENT);
			await nothingHappened();
			expect(await tool({}, executionId, operation)).toMatchObject([{ outcome: 'accepted' }]);
			expect(await tool({ dryRun: true }, executionId, operation)).toMatchObject([
				{ dry_run: true, outcome: 'would_skip', reason: 'already_sent', to: ama },
			]);
			expect(await control.messages()).toHaveLength(1);
		},
	);

	it('predicts for an MCP client without an execution', async () => {
		const [text = ''] = await engine.callMcp([call], { options: { dryRun: true } });
		expect(JSON.parse(text)).toMatchObject([{ dry_run: true, outcome: 'would_send', to: ama }]);
		await nothingHappened();
	});
});
