import { z } from 'zod/v4';
import { stubServer } from '../support/stubServer';
import { useSandbox } from '../support/useSandbox';
import { bulkOutput, numbers, toLines, toList } from '../support/zapier/bulkStep';
import { haltedFor } from '../support/zapier/haltedFor';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

/** A bulk send succeeds only if something was or may have been accepted, or if there was nothing to send. */
const { sandbox, control } = useSandbox();

const account = () => driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey });
const send = async (inputs: Readonly<Record<string, unknown>>) =>
	bulkOutput.parse(await account().run(methods.sendBulkSms, inputs));
const fail = (inputs: Readonly<Record<string, unknown>>) => account().failure(methods.sendBulkSms, inputs);
const stop = (number: string | undefined) => control.ask('POST', 'opt-outs', { number });
const gatewayDown = {
	endpoint: 'sms.sendBulk',
	kind: 'answer',
	status: 422,
	body: { success: false, code: 'failed_send', message: 'The gateway is down' },
	times: 1000,
};

describe('bulk send with nothing accepted', () => {
	it.each<[string, Record<string, unknown>]>([
		['in one request', {}],
		['in several requests', { numbers_per_request: '5' }],
		['with rejected requests left as they are', { skip_rejected_numbers: 'false' }],
	])("fails with the service's message if the gateway is down: %s", async (_, more) => {
		await control.fault(gatewayDown);
		expect(await fail(toList(numbers(20), more))).toMatchObject({
			name: 'AppError',
			code: 'failed_send',
			status: 422,
			message: expect.stringContaining(gatewayDown.body.message) as string,
		});
		expect(await control.messages()).toEqual([]);
	});

	it('halts if all recipients opted out, and names them', async () => {
		for (const number of numbers(3)) await stop(number);
		const failed = await fail(toList(numbers(3)));
		expect(failed.name).toBe('HaltedError');
		for (const number of numbers(3)) expect(failed.message).toContain(number);
	});

	it('fails if one recipient opted out and the gateway rejects the other', async () => {
		await stop(numbers(1)[0]);
		const unreachable = '+233990000001';
		expect(await fail(toList([...numbers(1), unreachable]))).toMatchObject({
			name: 'AppError',
			code: 'failed_send',
			message: expect.stringContaining(unreachable) as string,
		});
	});

	it('halts with Skip Rejected Numbers off, and names the rejected number', async () => {
		const [ama, kofi] = numbers(2);
		await stop(kofi);
		const failed = await fail(toList([ama, kofi], { skip_rejected_numbers: 'false' }));
		expect(failed).toMatchObject({ name: 'HaltedError', message: expect.stringContaining(String(kofi)) as string });
		expect(failed.message).not.toContain(ama);
		expect(await control.requests()).toHaveLength(1);
	});

	it.each<[string, unknown, string]>([
		['rejected', { results: numbers(2).map((to) => ({ to, status: 'failed', error: 'Unreachable' })) }, 'AppError'],
		['opted out', { results: numbers(2).map((to) => ({ to, status: 'blocked', error: 'Opted out' })) }, 'HaltedError'],
		['skipped', { skipped: numbers(2) }, 'AppError'],
	])('fails if the service accepts the request but reports every number as %s', async (_, body, name) => {
		await using server = await stubServer({
			status: 200,
			body: JSON.stringify({ batch_id: 'b', ...Object(body) }),
		});
		const failed = await driveApp({ base_url: server.baseUrl, api_key: 'sk_1' }).failure(
			methods.sendBulkSms,
			toList(numbers(2)),
		);
		expect(failed.name).toBe(name);
	});

	it.each([100, 150, 1000])("fails in the gateway's words after a few requests for %i numbers", async (count) => {
		const body = { code: 'failed_send', message: 'The gateway is down. Nothing was charged.' };
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'answer', status: 422, body, times: 1000 });
		const failed = await fail(toList(numbers(count)));
		expect(failed).toMatchObject({
			name: 'AppError',
			message: expect.stringContaining('The gateway is down') as string,
		});
		expect((await control.requests()).length).toBeLessThan(45);
	});

	it('halts if all numbers are on the Excluded Numbers list', async () => {
		const failed = await fail(toList(numbers(2), { excluded_numbers: numbers(2) }));
		expect(failed).toMatchObject(haltedFor('To', 'Excluded Numbers'));
		expect(await control.requests()).toEqual([]);
	});

	it.each<[string, unknown]>([
		['text', '0201234561,0241234562'],
		['a list', ['0201234561', '0241234562']],
	])('halts if a line holds two numbers as %s', async (_, line_to) => {
		const line_message = 'Dear Ama, your result is A,Dear Kofi, your result is F';
		const failed = await fail(
			toLines([
				{ line_to: numbers(1)[0], line_message: 'Hi' },
				{ line_to, line_message },
			]),
		);
		expect(failed).toMatchObject(haltedFor('Lines'));
		expect(failed.message).toContain('line 2');
		expect(await control.requests()).toEqual([]);
	});

	it('returns lines to send again as they were written', async () => {
		await control.emptyWallet();
		await control.adjustWallet(0.05);
		const lines = numbers(2).map((line_to, day) => ({ line_to, line_message: `2026-12-0${day + 1} 10:00` }));
		const { lines_to_send_again } = z
			.looseObject({ lines_to_send_again: z.unknown() })
			.parse(await send(toLines(lines)));
		expect(JSON.stringify(lines_to_send_again)).toMatch(/"message":"2026-12-0\d 10:00"/);
	});

	it('halts if every line is blank', async () => {
		const failed = await fail(toLines(numbers(2).map((line_to) => ({ line_to, line_message: ' \n' }))));
		expect(failed).toMatchObject(haltedFor('Message'));
		expect(await control.requests()).toEqual([]);
	});
});

describe('bulk send with some numbers accepted', () => {
	it('does not report a bulk send as accepted if a number cannot be read', async () => {
		expect(await send(toList([...numbers(1), '12']))).toMatchObject({
			outcome: 'partly_accepted',
			accepted: 1,
			skipped: 1,
		});
	});

	it('does not report a bulk send as accepted if a line has no number', async () => {
		const lines = [{ line_to: numbers(1)[0], line_message: 'Hi Ama' }, { line_message: 'Hi Kofi' }];
		expect(await send(toLines(lines))).toMatchObject({ outcome: 'partly_accepted', accepted: 1, skipped: 1 });
	});

	it.each<[string, Record<string, unknown>]>([
		['a number is listed twice', {}],
		['a number is on the Excluded Numbers list', { excluded_numbers: '+233201234501' }],
	])('reports a bulk send as accepted if %s', async (_, more) => {
		const to = [...numbers(2), '0201234500'];
		expect(await send(toList(to, more))).toMatchObject({ outcome: 'accepted' });
	});

	it("rejects lines with a blank message, and uses the step's labels", async () => {
		const [ama, kofi, esi] = numbers(3);
		const result = await send(
			toLines([
				{ line_to: ama, line_message: 'Hi Ama' },
				{ line_to: kofi, line_message: ' ' },
				{ line_to: esi, line_message: ' \n ' },
			]),
		);
		expect(result).toMatchObject({ outcome: 'partly_accepted', accepted: 1, rejected: 2, requests: 1 });
		expect(result.results.map(({ outcome }) => outcome)).toEqual(['accepted', 'rejected', 'rejected']);
		for (const { reason } of result.results.slice(1)) expect(reason).toMatch(/^Message is empty/);
		expect((await control.messages()).map((sent) => sent.message)).toEqual(['Hi Ama']);
		expect(await control.requests()).toHaveLength(1);
		expect(result.numbers_to_send_again).toEqual([]);
	});

	it('removes the numbers that the service names, and counts the sent requests', async () => {
		const all = numbers(200);
		for (const index of [3, 70, 199]) await stop(all[index]);
		const result = await send(toList(all));
		expect(result).toMatchObject({ outcome: 'partly_accepted', accepted: 197, rejected: 3 });
		expect(result.requests).toBe((await control.requests()).length);
		expect(result.requests).toBe(2);
		expect((await control.messages()).map((sent) => sent.to).sort()).toEqual(
			all.filter((_, index) => ![3, 70, 199].includes(index)),
		);
	});

	it('counts halved requests and retries after a 429, but no unsent requests', async () => {
		const [ama] = numbers(1);
		await control.fault({
			endpoint: 'sms.sendBulk',
			kind: 'answer',
			status: 422,
			body: { message: 'Not today' },
		});
		const lines = [
			...numbers(8).map((line_to) => ({ line_to, line_message: 'Hi' })),
			{ line_to: ama, line_message: '' },
			{ line_to: ama, line_message: 'x'.repeat(1601) },
		];
		const result = await send(toLines(lines));
		expect(result).toMatchObject({ accepted: 8, rejected: 2 });
		expect(result.requests).toBe((await control.requests()).length);
	});

	it("gives each row the number's position in the list", async () => {
		const { results } = await send(toList(['12', ...numbers(2)]));
		expect(results.map(({ line, to }) => [line, to])).toEqual([
			[1, '12'],
			[2, numbers(2)[0]],
			[3, numbers(2)[1]],
		]);
	});

	it('ends every sentence of a reason with a period', async () => {
		const [ama] = numbers(1);
		const { results } = await send(
			toLines([
				{ line_to: ama, line_message: 'Hi' },
				{ line_to: ama, line_message: 'x'.repeat(1601) },
			]),
		);
		expect(results[1]?.reason).toMatch(/^Message .*1601.*1600.*\w\. [A-Z].*\w\.$/);
	});
});
