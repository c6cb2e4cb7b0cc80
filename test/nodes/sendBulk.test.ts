import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { alreadySent } from '../support/promises';
import { stubServer } from '../support/stubServer';
import { startEngine, type Engine, type NodeRun } from '../support/n8n/engine';
import { useSandbox } from '../support/useSandbox';

const number = (index: number) => `+2332012${String(index).padStart(5, '0')}`;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => number(index));
const recipients = (count: number) => numbers(count).map((to) => ({ to }));
const send = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'sms',
	operation: 'sendBulk',
	senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
	to: '={{ $json.to }}',
	message: 'We are open on Boxing Day',
	...more,
});

const { sandbox, control } = useSandbox();
let engine: Engine;

beforeAll(async () => {
	engine = await engineOn(sandbox.baseUrl);
});

const engineOn = (baseUrl: string) =>
	startEngine({ messagingServiceApi: { baseUrl, apiKey: 'sk_sandbox_demo', authHeader: 'X-API-Key' } });
const run = async (more: Partial<NodeRun> = {}, on = engine) => {
	const { outputs, ...rest } = await on.run({ parameters: send(), ...more });
	const json = (output: number): IDataObject[] => outputs[output]?.map((item) => item.json) ?? [];
	return { ...rest, outputs, rows: json(0), summary: json(1)[0] ?? {} };
};
const outcomes = (rows: readonly IDataObject[]) => rows.map(({ outcome }) => outcome);
const acceptedNumbers = async () => (await control.messages()).map(({ to }) => to).sort();
const requests = async () => (await control.requests()).filter(({ endpoint }) => endpoint === 'sms.sendBulk').length;
const optOut = async (from: string) => {
	const body = JSON.stringify({ from, to: 'KOFISHOP', message: 'STOP' });
	const headers = { 'Content-Type': 'application/json' };
	const response = await fetch(`${sandbox.url}/webhooks/inbound/sms`, { method: 'POST', headers, body });
	expect(response.status).toBe(200);
};

describe('SMS > Send Bulk', () => {
	it('sends the items of a run in one request, and returns a row for each and a summary', async () => {
		const { rows, summary, outputs, hints } = await run({ items: recipients(3) });
		expect(rows).toEqual(
			numbers(3).map((to) => ({
				to,
				outcome: 'accepted',
				sender_id: 'KOFISHOP',
				segment_count: 1,
				message_id: expect.any(String) as string,
				status: 'queued',
				batch_id: expect.any(String) as string,
			})),
		);
		expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		expect(summary).toMatchObject({ total: 3, accepted: 3, skipped: 0, requests: 1, total_segments: 3, cost: 0.15 });
		expect(hints).toEqual([]);
		expect(await requests()).toBe(1);
		expect(await acceptedNumbers()).toEqual(numbers(3));
	});

	it.each<[string, unknown]>([
		['a list', numbers(3)],
		['text with commas', numbers(3).join(', ')],
		['lines', `${numbers(3).join('\n')}\n`],
	])('reads the recipients from one item: %s', async (_, to) => {
		const { rows } = await run({ items: [{ to }] });
		expect(outcomes(rows)).toEqual(['accepted', 'accepted', 'accepted']);
		expect(await acceptedNumbers()).toEqual(numbers(3));
	});

	it('sends items with different messages in separate requests', async () => {
		const items = recipients(4).map((one, index) => ({ ...one, text: index % 2 === 0 ? 'Even' : 'Odd' }));
		const { rows } = await run({ parameters: send({ message: '={{ $json.text }}' }), items });
		expect(rows.map(({ to }) => to)).toEqual(numbers(4));
		expect(await requests()).toBe(2);
		const messages = await control.messages();
		expect(
			messages
				.filter(({ message }) => message === 'Odd')
				.map(({ to }) => to)
				.sort(),
		).toEqual([number(1), number(3)]);
	});

	it('skips duplicates, invalid numbers and excluded numbers, each with its reason', async () => {
		const to = [number(0), 'Ama', number(1), '0201200000', number(2)];
		const parameters = send({ options: { excludedNumbers: `x${number(1)}`.slice(1) } });
		const { rows, summary, hints } = await run({ parameters, items: [{ to }] });
		expect(rows).toMatchObject([
			{ to: number(0), outcome: 'accepted' },
			{ to: 'Ama', outcome: 'skipped', reason: 'invalid_number' },
			{ to: number(1), outcome: 'skipped', reason: 'excluded' },
			{ to: number(0), outcome: 'skipped', reason: 'duplicate' },
			{ to: number(2), outcome: 'accepted' },
		]);
		expect(summary).toMatchObject({ total: 5, accepted: 2, skipped: 3, skipped_by_reason: { duplicate: 1 } });
		expect(hints).toEqual([expect.stringContaining('2 of 5 recipients accepted')]);
		expect(await acceptedNumbers()).toEqual([number(0), number(2)]);
	});

	it('skips or sends to numbers in unknown ranges, as Unknown Number Ranges says', async () => {
		const strict = await run({
			// A STOP from such a number must not end the campaign.
			parameters: send({ options: { excludedNumbers: '+233257654321' } }),
			items: [{ to: [number(0), '025 123 4567'] }],
		});
		expect(strict.rows).toMatchObject([
			{ outcome: 'accepted' },
			{
				to: '025 123 4567',
				reason: 'invalid_number',
				message: expect.stringMatching(/^This .*Unknown Number Ranges/) as string,
			},
		]);
		const options = { unknownNumberRanges: 'allow', excludedNumbers: '025 765 4321' };
		const { rows } = await run({
			parameters: send({ options }),
			items: [{ to: ['0251234567', '0257654321', '025 123 456'] }],
		});
		expect(rows).toMatchObject([
			{ to: '+233251234567', outcome: 'accepted' },
			{ to: '+233257654321', reason: 'excluded' },
			{ to: '025 123 456', reason: 'invalid_number' },
		]);
	});

	it('rejects Excluded Numbers with an unreadable entry, and sends nothing', async () => {
		const { error } = await run({
			parameters: send({ options: { excludedNumbers: '0201200001, 02' } }),
			items: recipients(2),
		});
		expect(error?.message).toMatch(/^Excluded Numbers \(item 1 of 2\) contains "02"/);
		expect(await control.requests()).toEqual([]);
	});

	it('splits a run into requests of the chosen size, and keeps the order of the rows', async () => {
		const parameters = send({ options: { recipientsPerRequest: 4, parallelRequests: 3 } });
		const { rows, summary } = await run({ parameters, items: recipients(10) });
		expect(rows.map(({ to }) => to)).toEqual(numbers(10));
		expect(summary).toMatchObject({ requests: 3, accepted: 10, cost: 0.5 });
		expect(await requests()).toBe(3);
	});

	it('reads Send At in the time zone of the workflow', async () => {
		// The engine's workflow uses n8n's default time zone, New York.
		const { summary } = await run({
			parameters: send({ options: { sendAt: '2030-07-01T08:30:00' } }),
			items: recipients(1),
		});
		expect(summary.batches).toMatchObject([{ schedule_at: '2030-07-01 12:30:00' }]);
		await control.advanceClock(24 * 60 * 60 * 1000);
		expect((await control.messages()).map(({ status }) => status)).toEqual(['queued']);
	});

	it('rejects a Send At in the past before any request', async () => {
		const { error } = await run({
			parameters: send({ options: { sendAt: '2020-07-01T08:30:00' } }),
			items: recipients(1),
		});
		expect(error?.message).toMatch(/^Send At .*past/);
		expect(await control.requests()).toEqual([]);
	});

	describe('a rejected request with Skip Rejected Numbers off', () => {
		const options = { recipientsPerRequest: 3, parallelRequests: 1, skipRejectedNumbers: false };
		const parameters = send({ options });
		beforeEach(async () => {
			await control.settings({ bulk_opt_outs: 'refuse' });
			await optOut(number(4));
		});

		it('stops the run and names the recipients already accepted', async () => {
			const { status, error } = await run({ parameters, items: recipients(9) });
			expect(status).toBe('error');
			expect(error?.message).toContain('opted out');
			expect(error?.description).toMatch(alreadySent(3, 'bulk_\\w+'));
			expect(await acceptedNumbers()).toEqual(numbers(3));
		});

		it('gives each number of a rejected request an error row, and sends none again, when the run continues', async () => {
			const { rows, summary } = await run({
				parameters,
				items: recipients(9),
				settings: { onError: 'continueRegularOutput' },
			});
			expect(outcomes(rows)).toEqual(
				[0, 3, 6].flatMap((_, batch) => Array<string>(3).fill(batch === 1 ? 'rejected' : 'accepted')),
			);
			expect(rows[3]).toMatchObject({ to: number(3), error: expect.stringContaining('opted out') as string });
			expect(summary).toMatchObject({ accepted: 6, rejected: 3, requests: 3 });
		});

		it('puts each number of a rejected request on the error output', async () => {
			const { outputs, summary } = await run({
				parameters,
				items: recipients(9),
				settings: { onError: 'continueErrorOutput' },
			});
			expect(outputs[0]).toHaveLength(6);
			expect(outputs[2]?.map(({ json }) => json.details)).toMatchObject(
				[3, 4, 5].map((index) => ({ to: number(index) })),
			);
			expect(summary).toMatchObject({ accepted: 6, rejected: 3 });
		});
	});

	describe('while the gateway is down', () => {
		const items = recipients(100);

		beforeEach(async () => {
			const body = { code: 'failed_send', message: 'The gateway is down.' };
			await control.fault({ endpoint: 'sms.sendBulk', kind: 'answer', status: 422, body, times: 1000 });
		});

		it('ends in its words with On Error set to Stop, after a few requests', async () => {
			const { status, error } = await run({ items });
			expect(status).toBe('error');
			expect(error?.message).toContain('The gateway is down');
			expect(await requests()).toBeLessThan(60);
		});

		it('gives each number a row with its words if the run continues', async () => {
			const { rows } = await run({ items, settings: { onError: 'continueRegularOutput' } });
			expect(rows).toHaveLength(100);
			expect(rows.filter(({ error }) => typeof error !== 'string' || !error.includes('The gateway is down'))).toEqual(
				[],
			);
		});
	});

	describe('Skip Rejected Numbers, on by default', () => {
		const rejected = { status: 422, body: '{"message": "A recipient has opted out"}' };
		const accepted = { status: 200, body: '{"batch_id": "b", "status": "queued"}' };
		const recipientsOf = ({ received }: { readonly received: ReadonlyArray<{ readonly body: string }> }) =>
			received.map(({ body }) => (JSON.parse(body) as { to: string[] }).to);

		it.each<[string, INodeParameters]>([
			['without the option', {}],
			['with the option on', { skipRejectedNumbers: true }],
		])('finds the rejected number by splitting the request and sends to the others, %s', async (_, options) => {
			await control.settings({ bulk_opt_outs: 'refuse' });
			await optOut(number(4));
			const { status, rows, summary } = await run({ parameters: send({ options }), items: recipients(9) });
			expect(status).toBe('success');
			expect(rows.filter(({ outcome }) => outcome !== 'accepted')).toMatchObject([
				{ to: number(4), outcome: 'rejected', error: expect.stringContaining('opted out') as string },
			]);
			expect(summary).toMatchObject({ accepted: 8, rejected: 1 });
			expect(await acceptedNumbers()).toEqual(numbers(9).filter((to) => to !== number(4)));
		});

		it("skips a number that the service names, with the service's words", async () => {
			const words = `${number(1)} has opted out`;
			await using server = await stubServer({ status: 422, body: JSON.stringify({ message: words }) }, accepted);
			const { rows } = await run({ items: recipients(3) }, await engineOn(server.baseUrl));
			expect(rows).toMatchObject([
				{ to: number(0), outcome: 'accepted' },
				{ to: number(1), outcome: 'rejected', error: words },
				{ to: number(2), outcome: 'accepted' },
			]);
			expect(recipientsOf(server)).toEqual([numbers(3), [number(0), number(2)]]);
		});

		it("stops the run with the service's words if certainly no message was sent", async () => {
			await using server = await stubServer(rejected);
			const { status, error } = await run({ items: recipients(2) }, await engineOn(server.baseUrl));
			expect(status).toBe('error');
			expect(error?.message).toContain('opted out');
			expect(recipientsOf(server)).toEqual([numbers(2), [number(0)], [number(1)]]);
		});

		it('never repeats a request that may have been accepted, and sends no other after it', async () => {
			await using server = await stubServer(rejected, accepted, {
				status: 422,
				body: '{"message": "Rejected", "batch_id": "b2", "status": "queued"}',
			});
			const parameters = send({ options: { recipientsPerRequest: 4, parallelRequests: 1 } });
			const settings = { retryOnFail: true, maxTries: 3 };
			const { status, error } = await run(
				{ parameters, items: recipients(12), settings },
				await engineOn(server.baseUrl),
			);
			expect(status).toBe('error');
			expect(error?.description).toMatch(alreadySent(4));
			expect(recipientsOf(server)).toEqual([numbers(4), numbers(8).slice(4), numbers(12).slice(8)]);
		});

		it('reports only the numbers without a known outcome as unknown', async () => {
			await using server = await stubServer(rejected, accepted, { status: 500, body: '{"message": "Oops"}' });
			const parameters = send({ options: { parallelRequests: 1 } });
			const settings = { onError: 'continueRegularOutput' as const };
			const { rows } = await run({ parameters, items: recipients(4), settings }, await engineOn(server.baseUrl));
			expect(outcomes(rows)).toEqual(['accepted', 'accepted', 'unknown', 'unknown']);
			expect(recipientsOf(server)).toHaveLength(3);
		});
	});

	it('sends no message twice with Retry On Fail, although its text contains the time', async () => {
		const size = 2;
		for (const failing of [0, 1, 2]) {
			await control.reset();
			for (let before = 0; before < failing; before++) {
				await control.fault({ endpoint: 'sms.sendBulk', kind: 'delay', milliseconds: 0, times: 1 });
			}
			await control.fault({ endpoint: 'sms.sendBulk', kind: 'answer', status: 422, times: 1, body: { message: 'No' } });
			const options = { recipientsPerRequest: size, parallelRequests: 1, skipRejectedNumbers: false };
			const { status, rows } = await run({
				parameters: send({ message: '=Now it is {{ $now.toMillis() }}', options }),
				items: recipients(6),
				settings: { retryOnFail: true, maxTries: 2 },
			});
			expect([failing, status, outcomes(rows)]).toEqual([failing, 'success', Array<string>(6).fill('accepted')]);
			expect(await acceptedNumbers()).toEqual(numbers(6));
		}
	});

	it('sends no message twice with Retry On Fail after a split request', async () => {
		const accepted = { status: 200, body: '{"batch_id": "b", "status": "queued"}' };
		await using server = await stubServer(
			{ status: 422, body: '{"message": "A recipient has opted out"}' },
			accepted,
			{ status: 402, body: '{"code": "insufficient_balance", "message": "Top up first"}' },
			accepted,
		);
		const parameters = send({ options: { parallelRequests: 1 } });
		const settings = { retryOnFail: true, maxTries: 2 };
		const { status } = await run({ parameters, items: recipients(4), settings }, await engineOn(server.baseUrl));
		expect(status).toBe('success');
		const requests = server.received.map(({ body }) => (JSON.parse(body) as { to: string[] }).to);
		expect(requests).toEqual([numbers(4), numbers(2), numbers(4).slice(2), numbers(4).slice(2)]);
	});

	it('reports a batch that may have been accepted as unknown, and never sends it again', async () => {
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'drop_after', times: 1 });
		const { rows } = await run({
			items: recipients(2),
			settings: { onError: 'continueRegularOutput', retryOnFail: true },
		});
		expect(outcomes(rows)).toEqual(['unknown', 'unknown']);
		expect(await requests()).toBe(1);
		expect(await acceptedNumbers()).toEqual(numbers(2));
	});

	it('attempts no further request after the wallet is empty', async () => {
		await using server = await stubServer(
			{ status: 200, body: '{"batch_id": "b1", "status": "queued"}' },
			{ status: 402, body: '{"code": "insufficient_balance", "message": "Top up first"}' },
		);
		const parameters = send({ options: { recipientsPerRequest: 2, parallelRequests: 1 } });
		const settings = { onError: 'continueRegularOutput' as const };
		const { rows, summary } = await run({ parameters, items: recipients(6), settings }, await engineOn(server.baseUrl));
		expect(outcomes(rows)).toEqual(['accepted', 'accepted', 'rejected', 'rejected', 'not_attempted', 'not_attempted']);
		expect(rows[0]).toEqual({
			to: number(0),
			outcome: 'accepted',
			sender_id: 'KOFISHOP',
			segment_count: 1,
			batch_id: 'b1',
		});
		expect(summary).toMatchObject({ accepted: 2, rejected: 2, not_attempted: 2, requests: 2 });
		expect(server.received).toHaveLength(2);
	});

	it('fails only the item that cannot be read when the run continues', async () => {
		const items = [...recipients(2), {}];
		const parameters = send({ to: "={{ $json.to || $('No such node').item.json.to }}" });
		const { rows } = await run({ parameters, items, settings: { onError: 'continueRegularOutput' } });
		expect(outcomes(rows)).toEqual(['accepted', 'accepted', 'rejected']);
	});
});

describe('SMS > Send Later', () => {
	const later = (more: INodeParameters = {}) =>
		send({ operation: 'sendLater', sendAt: '2030-07-01T08:30:00', ...more });

	it('sends a scheduled bulk message to one number, in the time zone of the workflow', async () => {
		const { rows } = await run({ parameters: later(), items: recipients(2) });
		expect(rows).toMatchObject(
			numbers(2).map((to) => ({
				outcome: 'accepted',
				to,
				schedule_at: '2030-07-01 12:30:00',
				message_id: expect.any(String) as string,
			})),
		);
		expect(rows[0]).not.toHaveProperty('results');
		await control.advanceClock(24 * 60 * 60 * 1000);
		expect((await control.messages()).map(({ status }) => status)).toEqual(['queued', 'queued']);
	});

	it.each<[string, string, string]>([
		['an empty Send At', '={{ "" }}', 'Send At is empty'],
		['a Send At in the past', '2020-01-01T00:00:00', 'Send At is in the past'],
		['a Send At that is not a time', 'tomorrow', 'Send At is not a date and time'],
	])('rejects %s before any request', async (_, sendAt, words) => {
		const { error } = await run({ parameters: later({ sendAt }), items: recipients(1) });
		expect(error?.message).toContain(words);
		expect(await control.requests()).toEqual([]);
	});

	it.each([
		'={{ $now.plus({ days: 1 }).set({ hour: 9 }) }}',
		'={{ $now.plus({ days: 1 }).toISO() }}',
		'={{ Date.now() + 86400000 }}',
	])('accepts the time from an expression: %s', async (sendAt) => {
		const { rows } = await run({ parameters: later({ sendAt }), items: recipients(1) });
		expect(rows).toMatchObject([{ outcome: 'accepted', schedule_at: expect.stringMatching(/^\d{4}-/) as string }]);
	});
});

describe('a response that accepts only some of the numbers', () => {
	const [first = '', second = ''] = numbers(2);
	it.each<[string, object[]]>([
		[
			'a flag',
			[
				{ to: first, success: true },
				{ to: second, success: false, error: 'Opted out' },
			],
		],
		[
			'a flag without words',
			[
				{ to: first, ok: true },
				{ to: second, ok: false },
			],
		],
		[
			'an error without a status',
			[
				{ to: first, message_id: 'm1' },
				{ to: second, error: 'Opted out' },
			],
		],
		[
			'the status opt_out',
			[
				{ to: first, status: 'queued' },
				{ to: second, status: 'opt_out' },
			],
		],
		[
			'the status denied',
			[
				{ to: first, status: 'queued' },
				{ to: second, status: 'denied' },
			],
		],
		[
			'a status beside phone instead of to',
			[
				{ phone: first, status: 'queued' },
				{ phone: second, status: 'failed' },
			],
		],
		[
			'a status beside a numeric number',
			[
				{ to: Number(first), status: 'sent' },
				{ to: Number(second), status: 'failed' },
			],
		],
		[
			'a status beside a local number',
			[
				{ to: '020 120 0000', status: 'sent' },
				{ to: '0201200001', status: 'failed' },
			],
		],
	])('does not report the number with %s as accepted', async (name, results) => {
		// Only short lists of words are a clear no.
		const outcome = /without a status|opt_out|denied/.test(name) ? 'unknown' : 'rejected';
		await using server = await stubServer({
			status: 200,
			body: JSON.stringify({ success: true, batch_id: 'b1', results }),
		});
		const { rows } = await run({ items: recipients(2) }, await engineOn(server.baseUrl));
		expect(outcomes(rows)).toEqual(['accepted', outcome]);
	});

	it.each(['rejected', 'failed'])('reports a Send Later message as rejected if the service says %s', async (status) => {
		await using server = await stubServer({
			status: 200,
			body: JSON.stringify({ batch_id: 'b1', results: [{ to: first, status, reason: 'Opted out' }] }),
		});
		const parameters = send({ operation: 'sendLater', sendAt: '2030-07-01T08:30:00' });
		const settings = { onError: 'continueRegularOutput' as const };
		const { rows } = await run({ parameters, items: recipients(1), settings }, await engineOn(server.baseUrl));
		expect(rows).toMatchObject([{ outcome: 'rejected', error: 'Opted out' }]);
		const stopped = await run({ parameters, items: recipients(1) }, await engineOn(server.baseUrl));
		expect(stopped.error?.message).toBe('Opted out');
	});

	it('reports how many numbers the service skipped if it does not say which', async () => {
		await using server = await stubServer({
			status: 200,
			body: JSON.stringify({ batch_id: 'b1', total: 3, queued: 1, skipped: 2 }),
		});
		const { summary, rows, hints } = await run({ items: recipients(3) }, await engineOn(server.baseUrl));
		expect(summary).toMatchObject({ batches: [{ batch_id: 'b1', total: 3, queued: 1, skipped: 2 }] });
		expect(outcomes(rows)).toEqual(['unknown', 'unknown', 'unknown']);
		expect(hints).toEqual([expect.stringMatching(/\b2 of /)]);
	});
});

describe('a large bulk send', () => {
	it('sends to 10,000 recipients from 10,000 items', async () => {
		await control.adjustWallet(1000);
		const { rows, summary } = await run({ items: recipients(10_000) });
		expect(rows).toHaveLength(10_000);
		expect(summary).toMatchObject({ accepted: 10_000, requests: 10 });
	});
});
