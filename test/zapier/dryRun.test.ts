import { z } from 'zod/v4';
import type { Operation } from '../../nodes/MessagingService/execution/operation';
import { operations } from '../../nodes/MessagingService/operations';
import { countSegments } from '../../shared';
import { NOTHING_SENT } from '../support/promises';
import { useSandbox } from '../support/useSandbox';
import { message, numbers, sender_id, toLines, toList } from '../support/zapier/bulkStep';
import { cacheServer, type CacheServer } from '../support/zapier/cacheServer';
import { readDefinition, staticFields } from '../support/zapier/definition';
import { haltedFor } from '../support/zapier/haltedFor';
import { driveApp, methods, type Surroundings } from '../support/zapier/zapierTestApp';

/** The n8n operation of each action. */
const SAME_SEND: Readonly<Record<string, Operation>> = {
	send_sms: operations.sms.send,
	send_bulk_sms: operations.sms.sendBulk,
	send_whatsapp_message: operations.whatsapp.send,
	send_email: operations.email.send,
	make_voice_call: operations.voice.send,
	send_verification_code: operations.verification.start,
};
const sms = { to: '020 123 4567', sender_id, message: 'Your order is ready.' };
const PHONE = '+233201234567';

const { sandbox, control } = useSandbox();
let cache: CacheServer;
beforeEach(async () => {
	cache = await cacheServer();
});
afterEach(() => cache[Symbol.asyncDispose]());

const account = (surroundings: Surroundings = {}, relay?: boolean) =>
	driveApp(
		{ base_url: sandbox.baseUrl, api_key: sandbox.apiKey, ...(relay && { base_url_is_relay: 'true' }) },
		{ rpc_base: cache.rpcBase, ...surroundings },
	);
const predict = async (method: string, inputs: Readonly<Record<string, unknown>>) =>
	await account().run(method, { ...inputs, dry_run: 'true' });
const nothingHappened = async () => {
	expect(await control.messages()).toEqual([]);
	expect((await control.wallet()).balance).toBe(40);
	const called = (await control.requests()).map(({ endpoint }) => endpoint);
	// Both are free, and each is read at most once.
	expect(['wallet.getBalance', 'senderId.list']).toEqual(expect.arrayContaining(called));
	expect(new Set(called).size).toBe(called.length);
	expect([cache.entries.size, cache.sets.length]).toEqual([0, 0]);
};

it('every action that sends has a Dry Run, and its output says whether it was one', async () => {
	const { steps } = await readDefinition();
	const sends = steps.filter((step) => staticFields(step).some(({ key }) => key === 'send_once_key'));
	expect(sends.length).toBeGreaterThanOrEqual(6);
	for (const step of sends) {
		expect([step.key, staticFields(step).map(({ key }) => key)]).toEqual([
			step.key,
			expect.arrayContaining(['dry_run']),
		]);
		expect(step.operation.sample).toMatchObject({ dry_run: false });
	}
});

describe('Dry Run of Send SMS', () => {
	it('predicts size, cost and balance, and sends nothing', async () => {
		const text = `Pay GH₵50 today. ${'Thank you for your order. '.repeat(4)}`;
		const output = await predict(methods.sendSms, { ...sms, message: text, price_per_segment: '0.05' });
		const { segment_count } = countSegments(text);
		expect(output).toMatchObject({
			dry_run: true,
			outcome: 'would_send',
			to: PHONE,
			sender_id,
			segment_count,
			encoding: 'UCS-2',
			message: text,
			cheaper_message: expect.stringContaining('GHS 50') as string,
			cost: 0.1,
			balance_now: 40,
			balance: 39.9,
			currency: 'GHS',
			already_sent: false,
			message_id: null,
			note: expect.stringContaining(NOTHING_SENT) as string,
		});
		await nothingHappened();
	});

	it('predicts no cost without a price', async () => {
		expect(await predict(methods.sendSms, sms)).toMatchObject({ cost: null, balance: null, balance_now: 40 });
	});

	it('keeps its output if the balance cannot be read, and says so', async () => {
		await control.fault({
			endpoint: 'wallet.getBalance',
			kind: 'answer',
			status: 403,
			times: 1,
			body: { message: 'No' },
		});
		expect(await predict(methods.sendSms, { ...sms, price_per_segment: 0.05 })).toMatchObject({
			outcome: 'would_send',
			cost: 0.05,
			balance_now: null,
			note: expect.stringMatching(/balance .* could not be read: No/) as string,
		});
	});

	it.each<[string, Record<string, unknown>]>([
		['a wrong number', { to: '12' }],
		['a blank message', { message: ' ' }],
		['no sender ID', { sender_id: '' }],
		['a wrong Key Scope', { send_once_key: 'k', key_scope: 'account' }],
	])('halts for %s in the words of a real run', async (_, more) => {
		const dry = await account().failure(methods.sendSms, { ...sms, ...more, dry_run: true });
		await nothingHappened();
		expect(dry).toEqual(await account().failure(methods.sendSms, { ...sms, ...more }));
	});

	it.each<[string, Record<string, unknown>, string]>([
		['an unclear Dry Run', { dry_run: 'maybe' }, 'Dry Run'],
		['a price that is no amount', { dry_run: true, price_per_segment: '-1' }, 'Price per Segment'],
	])('sends nothing with %s', async (_, more, label) => {
		expect(await account().failure(methods.sendSms, { ...sms, ...more })).toMatchObject(haltedFor(label));
		await nothingHappened();
	});

	it('sends nothing if a mapped Dry Run is empty in this run', async () => {
		const raw = { ...sms, dry_run: '{{1__test}}' };
		const failure = await account({ raw }).failure(methods.sendSms, { ...sms, dry_run: '' });
		expect(failure).toMatchObject(haltedFor('Dry Run'));
		await nothingHappened();
	});

	it('sends if Dry Run is no', async () => {
		expect(await account().run(methods.sendSms, { ...sms, dry_run: 'false' })).toMatchObject({
			dry_run: false,
			outcome: 'accepted',
			note: null,
		});
		expect(await control.messages()).toHaveLength(1);
	});
});

describe('Note', () => {
	const noteOf = (output: unknown) => z.looseObject({ note: z.string() }).parse(output).note;

	it.each([
		[methods.sendSms, sms],
		[methods.sendBulkSms, toList(numbers(2))],
	])('warns in a dry run about a sender ID that is not in the list: %s', async (method, inputs) => {
		const output = await predict(method, { ...inputs, sender_id: 'NOTMINE' });
		expect(noteOf(output)).toContain('Sender ID "NOTMINE" is not in the list of your account. Approved: ');
		await nothingHappened();
	});

	it('does not warn in a dry run about the sender ID if the list cannot be read', async () => {
		await control.fault({ endpoint: 'senderId.list', kind: 'answer', status: 403, times: 1, body: { message: 'No' } });
		const output = await predict(methods.sendSms, { ...sms, sender_id: 'NOTMINE' });
		expect(noteOf(output)).not.toContain('NOTMINE');
	});

	it.each([true, false])('warns about a text with a missing value, with Dry Run %s', async (dry_run) => {
		const hole = 'The text has a gap before a comma or a full stop. A value may be missing.';
		const one = await account().run(methods.sendSms, { ...sms, message: 'Hi , we are open', dry_run });
		expect(noteOf(one)).toContain(hole);
		const all = await account().run(methods.sendBulkSms, {
			...toList(numbers(2)),
			message: 'Hi , we are open',
			dry_run,
		});
		expect(noteOf(all)).toContain(hole);
		const mail = { to: 'ama@example.com', subject: 'Your order, null', message: 'It is ready.', dry_run };
		expect(noteOf(await account().run(methods.sendEmail, mail))).toContain('The text has the word "null".');
	});

	it('says in a dry run from 100 requests on that the rest may come back as lines to send again', async () => {
		const lines = (count: number) =>
			Array.from({ length: count }, (_, n) => ({ line_to: `02012${10_000 + n}`, line_message: `Hi ${n}` }));
		const some = await predict(methods.sendBulkSms, toLines(lines(99)));
		expect(noteOf(some)).not.toContain('to Send Again');
		const many = await predict(methods.sendBulkSms, toLines(lines(300)));
		expect(many).toMatchObject({ would_send: 300, requests: 300 });
		expect(noteOf(many)).toContain('all 300 requests. The rest come back as Lines to Send Again');
	});
});

describe('Dry Run with a Send Once Key', () => {
	const keyed = { ...sms, send_once_key: 'order 7' };

	it('claims no key, so a real run sends, and then predicts that nothing would be sent', async () => {
		expect(await predict(methods.sendSms, keyed)).toMatchObject({ outcome: 'would_send', already_sent: false });
		await nothingHappened();
		const sent = await account().run(methods.sendSms, keyed);
		expect(sent).toMatchObject({ outcome: 'accepted' });
		expect(await predict(methods.sendSms, keyed)).toMatchObject({
			dry_run: true,
			outcome: 'would_skip',
			already_sent: true,
			to: PHONE,
			cost: null,
			message_id: (await control.messages())[0]?.message_id,
		});
		expect(await control.messages()).toHaveLength(1);
	});

	it('halts as a real run if an earlier run with the key may have sent', async () => {
		await control.fault({ endpoint: 'sms.send', kind: 'drop_after' });
		await account().failure(methods.sendSms, keyed);
		const dry = await account().failure(methods.sendSms, { ...keyed, dry_run: true });
		expect(dry).toEqual(await account().failure(methods.sendSms, keyed));
		expect(dry.name).toBe('HaltedError');
	});

	it('says that the key is not known if the cache cannot be reached', async () => {
		cache.mood = 'down';
		expect(await predict(methods.sendSms, keyed)).toMatchObject({
			outcome: 'would_send',
			note: expect.stringContaining('not known here') as string,
		});
	});

	it('says that only the relay knows the key, and asks it for nothing', async () => {
		const output = await account({}, true).run(methods.sendSms, { ...keyed, dry_run: true });
		expect(output).toMatchObject({
			outcome: 'would_send',
			note: expect.stringContaining('Only the relay knows') as string,
		});
		await nothingHappened();
	});
});

describe('Dry Run of Send Bulk SMS', () => {
	it('predicts a row for each number and the totals, with nothing to send again', async () => {
		const [first = '', second = '', excluded = ''] = numbers(3);
		const inputs = toList([first, second, 'abc', first, excluded], {
			excluded_numbers: [excluded],
			numbers_per_request: 1,
			price_per_segment: '0.05',
		});
		expect(await predict(methods.sendBulkSms, inputs)).toMatchObject({
			dry_run: true,
			outcome: 'would_send',
			total: 5,
			would_send: 2,
			would_skip: 3,
			accepted: 0,
			rejected: 0,
			requests: 2,
			total_segments: 2,
			cost: 0.1,
			balance_now: 40,
			balance: 39.9,
			currency: 'GHS',
			numbers_to_send_again: [],
			lines_to_send_again: [],
			message,
			results: [
				{ to: first, outcome: 'would_send', segment_count: 1, encoding: 'GSM-7', cost: 0.05, line: 1 },
				{ to: second, outcome: 'would_send' },
				{ to: 'abc', outcome: 'would_skip', reason: expect.any(String) as string },
				{ to: first, outcome: 'would_skip' },
				{ to: excluded, outcome: 'would_skip' },
			],
		});
		await nothingHappened();
	});

	it('predicts line items with a message that a real run rejects', async () => {
		const [one = '', two = ''] = numbers(2);
		const inputs = toLines([
			{ line_to: one, line_message: message },
			{ line_to: two, line_message: ' ' },
		]);
		const dry = await predict(methods.sendBulkSms, inputs);
		await nothingHappened();
		const real = await account().run(methods.sendBulkSms, inputs);
		const reasons = (output: unknown) =>
			(output as { results: Array<{ reason: string }> }).results.map(({ reason }) => reason);
		expect(reasons(dry)).toEqual(reasons(real));
		expect(dry).toMatchObject({ would_send: 1, rejected: 1, numbers_to_send_again: [], message: null });
		expect(dry).toMatchObject({ results: [{ message }, { message: null }] });
	});

	it.each<[string, unknown]>([
		['no readable number', ['abc']],
		['only a message that is rejected', numbers(1)],
	])('halts for %s in the words of a real run', async (_, to) => {
		const inputs = { ...toList(to), message: ' ' };
		const dry = await account().failure(methods.sendBulkSms, { ...inputs, dry_run: true });
		await nothingHappened();
		expect(dry).toEqual(await account().failure(methods.sendBulkSms, inputs));
	});

	it('has nothing to send again after a run that used its Send Once Key, because a second step would send', async () => {
		const inputs = toList(numbers(2), { send_once_key: 'campaign' });
		await account().run(methods.sendBulkSms, inputs);
		expect(await predict(methods.sendBulkSms, inputs)).toMatchObject({
			dry_run: true,
			outcome: 'would_skip',
			already_sent: true,
			numbers_to_send_again: [],
		});
		expect(await control.messages()).toHaveLength(2);
	});
});

describe('Dry Run outside the Sending Hours', () => {
	const tomorrow = new Date(Date.now() + 86_400_000).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
	const hours = (outside: string) => ({
		hours_from: '08:00',
		hours_until: '19:00',
		sending_days: [tomorrow.toLowerCase()],
		hours_time_zone: 'Africa/Accra',
		outside_hours: outside,
	});
	const steps: Array<[string, string, Record<string, unknown>]> = [
		['Send SMS', methods.sendSms, { ...sms }],
		['Send Bulk SMS', methods.sendBulkSms, toList(numbers(1))],
	];

	it.each(steps)('predicts in %s the time of a message that the hours move', async (_, method, inputs) => {
		const dry = await predict(method, { ...inputs, ...hours('schedule') });
		await nothingHappened();
		const { send_at, allowed_at, schedule_reason } = Object(
			await account().run(method, { ...inputs, ...hours('schedule') }),
		) as Record<string, unknown>;
		expect(schedule_reason).toBe('outside_sending_hours');
		expect(dry).toMatchObject({ dry_run: true, outcome: 'would_send', send_at, allowed_at, schedule_reason });
	});

	it.each(steps)('predicts in %s that the hours skip a message', async (_, method, inputs) => {
		const dry = await predict(method, { ...inputs, ...hours('skip') });
		expect(dry).toMatchObject({ dry_run: true, outcome: 'would_skip', allowed_at: expect.any(String) as string });
		const real = await account().run(method, { ...inputs, ...hours('skip') });
		expect(real).toMatchObject({ dry_run: false, outcome: 'skipped' });
		await nothingHappened();
	});
});

it.each<[string, string, Record<string, unknown>]>([
	['Send WhatsApp Message', methods.sendWhatsappMessage, { to: PHONE, message }],
	['Send Email', methods.sendEmail, { to: 'ama@example.com', subject: 'Hi', message }],
	['Make Voice Call', methods.makeVoiceCall, { to: PHONE, message }],
	['Send Verification Code', methods.sendVerificationCode, { phone: PHONE, sender_id }],
])('predicts %s and sends nothing', async (_, method, inputs) => {
	expect(await predict(method, inputs)).toMatchObject({ dry_run: true, outcome: 'would_send', balance_now: 40 });
	await nothingHappened();
});

it('predicts the cost of a call at the price per call, and the balance afterwards with its currency', async () => {
	const call = { to: PHONE, message: 'Your order is ready. '.repeat(40) };
	expect(await predict(methods.makeVoiceCall, { ...call, price_per_call: '0.2' })).toMatchObject({
		outcome: 'would_send',
		cost: 0.2,
		balance_now: 40,
		balance: 39.8,
		currency: 'GHS',
	});
	await nothingHappened();
	const wrong = await account().failure(methods.makeVoiceCall, { ...call, price_per_call: '-1', dry_run: true });
	expect(wrong).toMatchObject(haltedFor('Price per Call'));
});

it('has a price field wherever n8n has one for a send that it predicts', async () => {
	const { steps } = await readDefinition();
	const priceOf = (key: string) =>
		steps
			.filter((step) => step.key === key)
			.flatMap(staticFields)
			.flatMap(({ key: field }) => (field.startsWith('price_per') ? [field] : []));
	for (const [key, { fields }] of Object.entries(SAME_SEND)) {
		const names = fields.flatMap(({ options = [] }) => options.map(({ name }) => name));
		const prices = names.filter((name) => name.startsWith('pricePer'));
		const keys = prices.map((name) => name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`));
		expect([key, priceOf(key)]).toEqual([key, keys]);
	}
});
