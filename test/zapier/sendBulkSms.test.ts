import { z } from 'zod/v4';
import { eventually } from '../support/eventually';
import { fakeTimeouts } from '../support/fakeTimeouts';
import { MAY_HAVE_BEEN_ACCEPTED } from '../support/promises';
import { stubServer } from '../support/stubServer';
import { useSandbox } from '../support/useSandbox';
import { bulkOutput, message, numbers, sender_id, toLines, toList, type BulkOutput } from '../support/zapier/bulkStep';
import { readDefinition } from '../support/zapier/definition';
import { haltedFor } from '../support/zapier/haltedFor';
import { driveApp, methods, type Surroundings } from '../support/zapier/zapierTestApp';

const { sandbox, control } = useSandbox();

const account = (surroundings?: Surroundings) =>
	driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey }, surroundings);
const send = async (inputs: Readonly<Record<string, unknown>>) =>
	bulkOutput.parse(await account().run(methods.sendBulkSms, inputs));
const failToSend = (inputs: Readonly<Record<string, unknown>>) => account().failure(methods.sendBulkSms, inputs);
const outcomes = ({ results }: BulkOutput) => results.map(({ outcome }) => outcome);

describe('Send Bulk SMS to a list', () => {
	it.each<[string, unknown]>([
		['one per field', ['+233201234500', ' 020 123 4501 ', '+233 20 123 4502']],
		['separated by commas', ['+233201234500, 0201234501,+233201234502']],
		['separated by line breaks', '+233201234500\n0201234501\n\n+233201234502'],
	])('sends once to each number, %s', async (_, to) => {
		const result = await send(toList(to));
		expect(result).toMatchObject({
			outcome: 'accepted',
			total: 3,
			accepted: 3,
			requests: 1,
			total_segments: 3,
			cost: 0.15,
			balance: 39.85,
		});
		expect(result.results[0]).toMatchObject({ to: '+233201234500', status: 'queued', reason: null, line: 1 });
		expect((await control.messages()).map((sent) => [sent.to, sent.message]).sort()).toEqual(
			numbers(3).map((to) => [to, message]),
		);
	});

	it('returns all fields of its sample', async () => {
		const result = await send(toList(numbers(1)));
		const sample = (await readDefinition()).creates.send_bulk_sms?.operation.sample ?? { none: 1 };
		expect(Object.keys(result)).toEqual(expect.arrayContaining(Object.keys(sample)));
		const [row] = z.array(z.record(z.string(), z.unknown())).parse(sample.results);
		expect(Object.keys(result.results[0] ?? {})).toEqual(expect.arrayContaining(Object.keys(row ?? { none: 1 })));
	});

	it('gives the sender ID and the segments of accepted rows, and null for others', async () => {
		const result = await send(toList([...numbers(1), '12'], { message: 'x'.repeat(161) }));
		expect(result.results).toEqual([
			expect.objectContaining({ outcome: 'accepted', sender_id: 'KOFISHOP', segment_count: 2 }),
			expect.objectContaining({ outcome: 'skipped', sender_id: null, segment_count: null }),
		]);
	});

	it('delivers the message unchanged', async () => {
		const text = 'Hi {name} }} {{ ₵5 😀\n';
		await send(toList(numbers(2), { message: text }));
		expect((await control.messages()).map((sent) => sent.message)).toEqual([text, text]);
	});

	it('sends to all others if a short code is one of the Excluded Numbers', async () => {
		const [first = '', second = ''] = numbers(2);
		const { results } = await send(toList([first, second], { excluded_numbers: ['1234', second] }));
		expect(results.map(({ to, outcome }) => [to, outcome])).toEqual([
			[first, 'accepted'],
			[second, 'skipped'],
		]);
	});

	it('skips unreadable, duplicate and excluded numbers, with reasons', async () => {
		const to = ['+233201234500', '12', '0201234500', '+233201234501', 'Kofi'];
		const result = await send(toList(to, { excluded_numbers: ['020 123 4501'] }));
		expect(result).toMatchObject({ outcome: 'partly_accepted', total: 5, accepted: 1, skipped: 4 });
		expect(outcomes(result)).toEqual(['accepted', 'skipped', 'skipped', 'skipped', 'skipped']);
		const reasons = result.results.map(({ reason }) => reason);
		expect(reasons.map((reason) => /short|already|Excluded Numbers|letters/.exec(String(reason))?.[0])).toEqual([
			undefined,
			'short',
			'already',
			'Excluded Numbers',
			'letters',
		]);
		expect(await control.messages()).toHaveLength(1);
	});

	it.each<[Record<string, unknown>, string, ...string[]]>([
		[toList([]), 'To', 'empty'],
		[toList(['12', 'x']), 'To', 'short'],
		[toList(numbers(1), { excluded_numbers: ['everybody'] }), 'Excluded Numbers', '"everybody"', 'letters'],
		[toList(numbers(1), { message: '' }), 'Message'],
		[toList(numbers(1), { sender_id: '' }), 'Sender ID'],
		[toList(numbers(1), { numbers_per_request: '0' }), 'Numbers per Request'],
		[toList(numbers(1), { default_country: 'Atlantis' }), 'Default Country'],
		[toLines([]), 'Lines'],
	])('rejects without a request: %j', async (inputs, label, ...facts) => {
		expect(await failToSend(inputs)).toMatchObject(haltedFor(label, ...facts));
		expect(await control.requests()).toEqual([]);
	});

	it('splits the numbers by Numbers per Request', async () => {
		const result = await send(toList(numbers(7), { numbers_per_request: '3' }));
		expect(result).toMatchObject({ outcome: 'accepted', accepted: 7, requests: 3, cost: 0.35 });
		expect(await control.requests()).toHaveLength(3);
	});
});

describe('Send Bulk SMS of line items', () => {
	it('sends each line its own message, with one request per message', async () => {
		const [ama, kofi, esi] = numbers(3);
		const lines = [
			{ line_to: ama, line_message: 'Hi Ama {1}' },
			{ line_to: kofi, line_message: 'Hello' },
			{ line_to: esi, line_message: 'Hello' },
			{ line_to: ama, line_message: 'Hello' },
			{ line_to: '12', line_message: 'Hello' },
		];
		const result = await send(toLines(lines));
		expect(result).toMatchObject({ total: 5, accepted: 4, skipped: 1, requests: 2 });
		expect(result.results.map(({ line, to, outcome }) => [line, to, outcome])).toEqual([
			[1, ama, 'accepted'],
			[2, kofi, 'accepted'],
			[3, esi, 'accepted'],
			[4, ama, 'accepted'],
			[5, '12', 'skipped'],
		]);
		expect((await control.messages()).map((sent) => sent.message).sort()).toEqual([
			'Hello',
			'Hello',
			'Hello',
			'Hi Ama {1}',
		]);
	});

	it('accepts a single line that Zapier passes beside the other fields', async () => {
		const inputs = { sender_id, recipients_from: 'line_items', line_to: numbers(1)[0], line_message: 'Hi' };
		expect(await send(inputs)).toMatchObject({ outcome: 'accepted', accepted: 1 });
	});

	it('shows the fields of the chosen Recipients From', async () => {
		const fields = async (recipients_from: string) => {
			const given = await account().run('creates.send_bulk_sms.operation.inputFields', { recipients_from });
			return z
				.array(z.looseObject({ key: z.string() }))
				.parse(given)
				.map(({ key }) => key);
		};
		expect(await fields('list')).toEqual(expect.arrayContaining(['to', 'message']));
		expect(await fields('line_items')).toEqual(expect.arrayContaining(['lines']));
		expect(await fields('line_items')).not.toContain('to');
	});
});

describe('scheduled bulk send', () => {
	const at = (send_at: string, timezone: string | null = 'America/New_York') =>
		account({ meta: { timezone } }).run(methods.sendBulkSms, toList(numbers(1), { send_at }));
	const year = new Date().getUTCFullYear() + 1;

	it.each([
		[`${year}-01-15T09:00:00-05:00`, `${year}-01-15T14:00:00.000Z`],
		[`${year}-01-15T09:00`, `${year}-01-15T14:00:00.000Z`],
		[`${year}-07-15T09:00:00Z`, `${year}-07-15T09:00:00.000Z`],
	])('schedules a bulk send for the instant of %s', async (typed, instant) => {
		expect(await at(typed)).toMatchObject({ outcome: 'accepted', send_at: instant });
		const scheduled = z.array(z.looseObject({ scheduled_at: z.string() })).parse(await control.ask('GET', 'batches'));
		expect(new Date(`${scheduled[0]?.scheduled_at.replace(' ', 'T').replace(/Z?$/, 'Z')}`).toISOString()).toBe(instant);
	});

	it.each([
		['2020-01-01T00:00:00Z', 'past'],
		['tomorrow', 'date and time'],
		[`${year}-01-15T09:00`, 'time zone'],
	])('rejects %s as Send At', async (typed, fact) => {
		const inputs = toList(numbers(1), { send_at: typed });
		const failed = await account({ meta: { timezone: null } }).failure(methods.sendBulkSms, inputs);
		expect(failed).toMatchObject(haltedFor('Send At', fact));
		expect(await control.requests()).toEqual([]);
	});
});

describe('bulk send with some failures', () => {
	const stop = (from: string) => control.ask('POST', 'opt-outs', { number: from });

	it('rejects opted-out recipients and sends to the others', async () => {
		const all = numbers(9);
		await stop(all[4] ?? '');
		const result = await send(toList(all));
		expect(result).toMatchObject({ outcome: 'partly_accepted', accepted: 8, rejected: 1, cost: 0.4 });
		expect(result.results[4]).toMatchObject({
			outcome: 'rejected',
			reason: expect.stringContaining('opted out') as string,
		});
		expect((await control.messages()).map((sent) => sent.to).sort()).toEqual(all.filter((_, index) => index !== 4));
	});

	it('halts if all recipients opted out', async () => {
		for (const number of numbers(2)) await stop(number);
		expect(await failToSend(toList(numbers(2)))).toMatchObject({ name: 'HaltedError' });
	});

	it('rejects the whole request with Skip Rejected Numbers off', async () => {
		await stop('+233201234500');
		const failed = await failToSend(toList(numbers(3), { skip_rejected_numbers: 'false' }));
		expect(failed).toMatchObject({ name: 'HaltedError' });
		expect(await control.requests()).toHaveLength(1);
		expect(await control.messages()).toEqual([]);
	});

	it('continues after a request with an unknown outcome, and does not send it again', async () => {
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'drop_after' });
		const result = await send(toList(numbers(9), { numbers_per_request: 3 }));
		expect(result).toMatchObject({ outcome: 'unknown', accepted: 6, unknown: 3 });
		expect(result.unknown_numbers).toHaveLength(3);
		expect(await control.messages()).toHaveLength(9);
		expect(await control.requests()).toHaveLength(3);
		const unknown = result.results.filter(({ outcome }) => outcome === 'unknown');
		expect(unknown[0]?.reason).toMatch(MAY_HAVE_BEEN_ACCEPTED);
	});

	it('stops when the wallet is empty, and lists the numbers not attempted', async () => {
		await control.ask('POST', 'wallet/adjust', { amount: -39.8 });
		const result = await send(toList(numbers(40), { numbers_per_request: 3 }));
		expect(result).toMatchObject({ outcome: 'partly_accepted', accepted: 3 });
		const tried = new Set(outcomes(result));
		expect(tried).toEqual(new Set(['accepted', 'rejected', 'not_attempted']));
		expect(result.numbers_to_send_again).toContain(numbers(40)[39]);
		expect(await control.messages()).toHaveLength(3);
	});

	it('fails if the wallet cannot pay for any message', async () => {
		await control.ask('POST', 'wallet/adjust', { amount: -40 });
		const failed = await failToSend(toList(numbers(3)));
		expect(failed).toMatchObject({ name: 'AppError', code: 'insufficient_balance' });
	});

	it("fails with the service's message if the sender ID is not approved", async () => {
		const failed = await failToSend(toList(numbers(3), { sender_id: 'PENDINGCO' }));
		expect(failed).toMatchObject({ name: 'AppError', code: 'sender_not_approved', status: 422 });
	});

	it('waits after a 429 if something was accepted, and is throttled otherwise', async () => {
		const accepted = { status: 200, body: '{"success": true, "batch_id": "b"}' };
		const slower = { status: 429, headers: { 'Retry-After': '1' }, body: '{}' };
		const run = async (...script: Parameters<typeof stubServer>) => {
			await using server = await stubServer(...script);
			const driven = driveApp({ base_url: server.baseUrl, api_key: 'sk_1' });
			const ending = await driven.attempt(methods.sendBulkSms, toList(numbers(6), { numbers_per_request: 1 }));
			const reached = server.received.flatMap(({ body, answered }) =>
				answered === 200 ? z.object({ to: z.array(z.string()) }).parse(JSON.parse(body)).to : [],
			);
			return { ...ending, reached };
		};
		const later = await run(accepted, slower, accepted);
		expect(later.results).toMatchObject({ outcome: 'accepted', accepted: 6 });
		expect(later.reached.sort()).toEqual(numbers(6));
		const before = await run(slower);
		expect(before.failure).toMatchObject({ name: 'ThrottledError', delay: 1 });
		expect(before.reached).toEqual([]);
	});
});

describe('slow bulk send', () => {
	beforeEach(() => fakeTimeouts());
	afterEach(() => jest.useRealTimers());

	it('stops before Zapier ends the step, and awaits the requests in flight', async () => {
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'hang', times: 50 });
		const sending = send(toList(numbers(12), { numbers_per_request: 1 }));
		await eventually('five requests', async () => ((await control.requests()).length >= 5 ? true : undefined), 10_000);
		jest.advanceTimersByTime(15_000);
		for (let settling = 0; settling < 20; settling++) await control.requests();
		expect(await control.requests()).toHaveLength(5);
		jest.advanceTimersByTime(10_000);
		const result = await sending;
		expect(result).toMatchObject({ outcome: 'unknown', unknown: 5, not_attempted: 7, accepted: 0 });
		expect(result.numbers_to_send_again).toEqual(numbers(12).slice(5));
		expect(result.results.at(-1)?.reason).toMatch(/no time/);
	});
});
