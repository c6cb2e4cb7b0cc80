import { useSandbox } from '../support/useSandbox';
import { bulkOutput, numbers, sender_id, toLines, toList } from '../support/zapier/bulkStep';
import { haltedFor } from '../support/zapier/haltedFor';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

/** The steps of zapier/README.md: a second Send Bulk SMS sends to the numbers that the first one left over. */
const { sandbox, control } = useSandbox();

type Inputs = Readonly<Record<string, unknown>>;
const run = async (inputs: Inputs, raw?: Inputs) =>
	bulkOutput.parse(
		await driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey }, { raw }).run(methods.sendBulkSms, inputs),
	);
const fail = (inputs: Inputs, raw?: Inputs) =>
	driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey }, { raw }).failure(methods.sendBulkSms, inputs);
const sentTo = async () => (await control.messages()).map(({ to, message }) => `${to} ${message}`).sort();
const numberedLines = (count: number) =>
	numbers(count).map((to, index) => ({ line_to: to, line_message: `Hi no. ${index}` }));
const response = async (status: number, more: Inputs = {}) =>
	await control.fault({ endpoint: 'sms.sendBulk', kind: 'answer', status, body: { message: 'Not now' }, ...more });
const mapped = toList(['{{123__numbers_to_send_again}}']);
const mappedLines = toLines([
	{ line_to: '{{123__lines_to_send_again[]to}}', line_message: '{{123__lines_to_send_again[]message}}' },
]);

describe('Numbers to Send Again', () => {
	it('lists all numbers that an empty wallet left over, including rejected requests', async () => {
		await control.adjustWallet(-39.85);
		const first = await run(toList(numbers(40), { numbers_per_request: 3 }));
		expect(first).toMatchObject({ outcome: 'partly_accepted', accepted: 3 });
		expect(first.rejected).toBeGreaterThan(0);
		expect(first.not_attempted).toBeGreaterThan(0);
		expect(first.numbers_to_send_again).toHaveLength(37);

		await control.adjustWallet(10);
		const second = await run(toList(first.numbers_to_send_again), mapped);
		expect(second).toMatchObject({ outcome: 'accepted', accepted: 37, numbers_to_send_again: [] });
		expect((await control.messages()).map(({ to }) => to).sort()).toEqual(numbers(40));
	});

	it.each([401, 403, 413, 404])('lists the numbers of a request that was rejected with %i', async (status) => {
		await run(toList(numbers(1)));
		await control.reset();
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'delay', milliseconds: 0 });
		await response(status);
		const first = await run(toList(numbers(9), { numbers_per_request: 3 }));
		expect(first.accepted + first.numbers_to_send_again.length).toBe(9);
		expect(first.numbers_to_send_again.length).toBeGreaterThanOrEqual(3);
		const again = await run(toList(first.numbers_to_send_again), mapped);
		expect(again.outcome).toBe('accepted');
		expect((await control.messages()).map(({ to }) => to).sort()).toEqual(numbers(9));
	});

	it('lists the numbers of a 429 that asks for more time than the step has', async () => {
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'delay', milliseconds: 0 });
		await response(429, { headers: { 'Retry-After': '120' } });
		const first = await run(toList(numbers(9), { numbers_per_request: 3 }));
		expect(first.accepted + first.numbers_to_send_again.length).toBe(9);
		expect(first.numbers_to_send_again.length).toBeGreaterThanOrEqual(3);
	});

	it('omits unknown outcomes, opt-outs and unreachable numbers', async () => {
		const [out] = numbers(1);
		await control.ask('POST', 'opt-outs', { number: out });
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'drop_after' });
		const to = [...numbers(12), '+233990000001', '12'];
		const first = await run(toList(to, { numbers_per_request: 4 }));
		expect(first).toMatchObject({ unknown: expect.any(Number) as number, rejected: expect.any(Number) as number });
		expect(first.unknown_numbers.length).toBe(first.unknown);
		expect(first.numbers_to_send_again).toEqual([]);
	});

	it('lists the other numbers of a request rejected for one number, with Skip Rejected Numbers off', async () => {
		const all = numbers(6);
		await control.ask('POST', 'opt-outs', { number: all[4] });
		const first = await run(toList(all, { numbers_per_request: 3, skip_rejected_numbers: 'false' }));
		expect(first).toMatchObject({ outcome: 'partly_accepted', accepted: 3, rejected: 3 });
		expect(first.numbers_to_send_again).toEqual([all[3], all[5]]);
	});

	it('comes with the messages for line items', async () => {
		await control.adjustWallet(-39.85);
		const first = await run(toLines(numberedLines(9)));
		expect(first.lines_to_send_again).toHaveLength(9 - first.accepted);
		expect(first.lines_to_send_again.map(({ to }) => to)).toEqual(first.numbers_to_send_again);

		await control.adjustWallet(10);
		const lines = first.lines_to_send_again.map(({ to, message }) => ({ line_to: to, line_message: message }));
		const second = await run(toLines(lines), mappedLines);
		expect(second).toMatchObject({ outcome: 'accepted', numbers_to_send_again: [], lines_to_send_again: [] });
		expect(await sentTo()).toEqual(numberedLines(9).map(({ line_to, line_message }) => `${line_to} ${line_message}`));
	});

	it('returns no lines for a list, which has one message', async () => {
		expect(await run(toList(numbers(2)))).toMatchObject({ lines_to_send_again: [] });
	});
});

describe('second Send Bulk SMS with nothing left to send', () => {
	const nothing = { outcome: 'nothing_to_send', total: 0, accepted: 0, requests: 0, already_sent: false, results: [] };

	it.each<[string, Inputs, Inputs]>([
		['an empty list', toList([]), mapped],
		['an empty text', toList(''), toList('{{123__numbers_to_send_again}}')],
		['a list of empty values', toList(['', null]), mapped],
		['no value', toList(undefined), mapped],
		['no lines', toLines([]), mappedLines],
		['an empty line', toLines([{ line_to: '', line_message: null }]), mappedLines],
		['missing lines', toLines(undefined), mappedLines],
		[
			'the fields of a single line',
			{ sender_id, recipients_from: 'line_items', line_to: '', line_message: '' },
			{ sender_id, recipients_from: 'line_items', line_to: '{{1__to}}', line_message: '{{1__message}}' },
		],
	])('succeeds with Numbers 0 for %s', async (_, inputs, raw) => {
		expect(await run(inputs, raw)).toMatchObject(nothing);
		expect(await control.requests()).toEqual([]);
	});

	it('succeeds whatever the other fields contain', async () => {
		const more = { send_at: '2020-01-01T00:00:00Z', send_once_key: '' };
		const raw = { ...mapped, send_at: '{{1__at}}', send_once_key: '{{1__id}}' };
		expect(await run(toList([], more), raw)).toMatchObject(nothing);
	});

	it.each<[string, Inputs, Inputs, string]>([
		['To is empty in the Zap itself', toList([]), toList([]), 'To'],
		['Lines are empty in the Zap itself', toLines([]), toLines([]), 'Lines'],
		['the mapped value is not a number', toList(['none']), mapped, 'To'],
		['a line has a message and no number', toLines([{ line_to: '', line_message: 'Hi Ama' }]), mappedLines, 'To'],
	])('halts if %s', async (_, inputs, raw, label) => {
		expect(await fail(inputs, raw)).toMatchObject(haltedFor(label));
	});
});
