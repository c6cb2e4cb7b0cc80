import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { countingService, type CountingService, type ServiceReply } from '../support/countingService';
import { deduplicationStore } from '../support/n8n/deduplicationStore';
import { startEngine, type Engine, type NodeRun } from '../support/n8n/engine';
import { NOTHING_SENT } from '../support/promises';
import { useSandbox } from '../support/useSandbox';

const numbers = ['+233201234561', '+233201234562', '+233201234563'] as const;
const items = numbers.map((to) => ({ to }));
const first = { to: numbers[0] };
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const ghana = {
	from: '08:00',
	until: '19:00',
	days: weekdays,
	timeZone: 'Africa/Accra',
	holidays: '',
	outside: 'schedule',
};
const hours = (more: INodeParameters = {}, options: INodeParameters = {}): INodeParameters => ({
	...options,
	sendingHours: { values: { ...ghana, ...more } },
});
const sms = (operation: string, options: INodeParameters, more: INodeParameters = {}): INodeParameters => ({
	resource: 'sms',
	operation,
	senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
	to: '={{ $json.to }}',
	message: 'New stock is in',
	...(operation === 'sendLater' && { sendAt: '={{ $json.at }}' }),
	options,
	...more,
});

/** Monday noon in Accra, and the Saturday evening before it. */
const OPEN = '2031-12-01T12:00:00Z';
const CLOSED = '2031-11-29T20:15:00Z';
const NEXT = { schedule_at: '2031-12-01 08:00:00', allowed_at: '2031-12-01T08:00:00.000Z' };
const MOVED = { ...NEXT, schedule_reason: 'outside_sending_hours' };

const realNow = Date.now.bind(Date);
let offsetMs = 0;
const setNow = (moment: string) => (offsetMs = Date.parse(moment) - realNow());

const { sandbox, control } = useSandbox();
let engine: Engine;

beforeAll(async () => {
	jest.spyOn(Date, 'now').mockImplementation(() => realNow() + offsetMs);
	engine = await startEngine({
		messagingServiceApi: { baseUrl: sandbox.baseUrl, apiKey: 'sk_sandbox_demo', authHeader: 'X-API-Key' },
	});
});
afterAll(() => jest.restoreAllMocks());
beforeEach(() => {
	setNow(CLOSED);
	deduplicationStore.clear();
});

const run = async (more: NodeRun, on = engine) => {
	const { outputs, ...rest } = await on.run(more);
	const json = (output: number): IDataObject[] => outputs[output]?.map((item) => item.json) ?? [];
	return { ...rest, rows: json(0), summary: json(1)[0] ?? {} };
};
const endpoints = async () => (await control.requests()).map(({ endpoint }) => endpoint);
const spent = async () => Math.round((40 - (await control.wallet()).balance) * 100) / 100;

describe('SMS > Send with Sending Hours', () => {
	it('sends at once inside the hours', async () => {
		setNow(OPEN);
		const { rows, hints } = await run({ parameters: sms('send', hours()), items });
		expect(await endpoints()).toEqual(['sms.send', 'sms.send', 'sms.send']);
		expect(rows).toMatchObject(numbers.map((to) => ({ to, outcome: 'accepted', status: 'submitted' })));
		for (const row of rows) expect(row).not.toHaveProperty('schedule_at');
		expect(hints).toEqual([]);
	});

	it('schedules a message outside the hours, and the row has the time and the reason', async () => {
		const { rows, hints } = await run({ parameters: sms('send', hours()), items: [first] });
		expect(rows).toEqual([
			expect.objectContaining({
				...MOVED,
				outcome: 'accepted',
				to: first.to,
				sender_id: 'KOFISHOP',
				segment_count: 1,
				message_id: expect.any(String) as string,
				cost: 0.05,
			}),
		]);
		expect(rows[0]).not.toHaveProperty('results');
		expect(await endpoints()).toEqual(['sms.sendBulk']);
		expect(await spent()).toBe(0.05);
		expect(hints).toEqual([expect.stringMatching(/1 message is scheduled/)]);
	});

	it('skips a message outside the hours before its key is claimed or a limit is counted', async () => {
		const options = hours(
			{ outside: '={{ $json.outside }}' },
			{ sendOnceKey: 'promo', maxRecipients: 1, maxSpend: 0.05, pricePerSegment: 0.05 },
		);
		const parameters = sms('send', options);
		const { rows } = await run({
			parameters,
			items: [
				{ ...first, outside: 'skip' },
				{ ...first, outside: 'schedule' },
			],
		});
		expect(rows).toMatchObject([
			{
				to: first.to,
				outcome: 'skipped',
				reason: 'outside_sending_hours',
				allowed_at: NEXT.allowed_at,
				message: expect.stringMatching(/Saturday 2031-11-29 20:15.*Monday 2031-12-01 08:00/) as string,
			},
			{ outcome: 'accepted', ...MOVED },
		]);
		expect(await spent()).toBe(0.05);
	});

	it('leaves the key of a skipped message free for the next run', async () => {
		const parameters = sms('send', hours({ outside: 'skip' }, { sendOnceKey: 'promo' }));
		expect((await run({ parameters, items: [first] })).rows).toMatchObject([{ outcome: 'skipped' }]);
		expect(await control.requests()).toEqual([]);
		setNow(OPEN);
		expect((await run({ parameters, items: [first] })).rows).toMatchObject([{ outcome: 'accepted' }]);
	});

	it('counts a scheduled message as sent: its key is used, and the limits hold', async () => {
		const parameters = sms('send', hours({}, { sendOnceKey: 'promo' }));
		await run({ parameters, items: [first] });
		setNow(OPEN);
		expect((await run({ parameters, items: [first] })).rows).toMatchObject([
			{ outcome: 'skipped', reason: 'already_sent' },
		]);
		setNow(CLOSED);
		const limited = await run({ parameters: sms('send', hours({}, { maxRecipients: 2 })), items });
		expect(limited.error?.message).toMatch(/^Maximum Recipients is 2/);
		expect(await control.messages()).toHaveLength(1);
	});

	it.each(['send', 'sendLater', 'sendBulk'])('stops %s with an error before anything is sent', async (operation) => {
		const at = '2031-11-30T12:00:00Z';
		const { status, error } = await run({
			parameters: sms(operation, hours({ outside: 'stop' })),
			items: items.map((item) => ({ ...item, at })),
		});
		expect(status).toBe('error');
		expect(error?.message).toMatch(
			/^Sending Hours .*\(item 1 of 3\) do not allow a message on .*Monday 2031-12-01 08:00/,
		);
		expect(error?.description).toContain(NOTHING_SENT);
		expect(await control.requests()).toEqual([]);
	});

	it('does not attempt the items outside their hours if the run continues', async () => {
		const parameters = sms('send', hours({ outside: 'stop', until: '={{ $json.until }}' }));
		const { rows } = await run({
			parameters,
			items: [
				{ ...first, until: '19:00' },
				{ to: numbers[1], until: '21:00' },
			],
			settings: { onError: 'continueRegularOutput' },
		});
		expect(rows).toMatchObject([
			{ outcome: 'not_attempted', details: { sent: 'no', description: NOTHING_SENT } },
			{ outcome: 'accepted', to: numbers[1] },
		]);
	});

	it('uses the time zone of the workflow if none is entered', async () => {
		// The workflow is in New York, where it is 18:30 on Saturday.
		setNow('2031-11-29T23:30:00Z');
		await run({ parameters: sms('send', hours({ timeZone: '' })), items: [first] });
		setNow('2031-11-30T00:30:00Z');
		const { rows } = await run({ parameters: sms('send', hours({ timeZone: '' })), items: [first] });
		expect(await endpoints()).toEqual(expect.arrayContaining(['sms.send', 'sms.sendBulk']));
		expect(rows).toMatchObject([{ schedule_at: '2031-12-01 13:00:00' }]);
	});

	it.each<[string, INodeParameters]>([
		['a list', { holidays: '={{ ["2031-12-01", "2031-12-02"] }}' }],
		['text', { holidays: '2031-12-01, 2031-12-02' }],
		['lines', { holidays: '2031-12-01\n2031-12-02\n' }],
	])('sends nothing on holidays: %s', async (_, more) => {
		const { rows } = await run({ parameters: sms('send', hours(more)), items: [first] });
		expect(rows).toMatchObject([{ schedule_at: '2031-12-03 08:00:00' }]);
	});

	it('accepts an empty list of holidays', async () => {
		const { rows } = await run({ parameters: sms('send', hours({ holidays: '={{ [] }}' })), items: [first] });
		expect(rows).toMatchObject([MOVED]);
	});
});

describe('SMS > Send Later with Sending Hours', () => {
	it('keeps a time inside the hours, and moves one outside to the next allowed time', async () => {
		const { rows } = await run({
			parameters: sms('sendLater', hours()),
			items: [
				{ to: numbers[0], at: '2031-12-01T12:00:00Z' },
				{ to: numbers[1], at: '2031-12-01T21:00:00Z' },
			],
		});
		expect(rows).toMatchObject([
			{ outcome: 'accepted', schedule_at: '2031-12-01 12:00:00' },
			{ outcome: 'accepted', schedule_at: '2031-12-02 08:00:00', schedule_reason: 'outside_sending_hours' },
		]);
		expect(rows[0]).not.toHaveProperty('schedule_reason');
	});

	it('looks at the chosen time, not at the present', async () => {
		const parameters = sms('sendLater', hours({ outside: 'skip' }));
		const { rows } = await run({
			parameters,
			items: [
				{ to: numbers[0], at: '2031-12-01T12:00:00Z' },
				{ to: numbers[1], at: '2031-12-07T12:00:00Z' },
			],
		});
		expect(rows).toMatchObject([
			{ outcome: 'accepted' },
			{ outcome: 'skipped', reason: 'outside_sending_hours', allowed_at: '2031-12-08T08:00:00.000Z' },
		]);
	});
});

describe('just before the hours begin', () => {
	const MINUTE = 60_000;
	/** At least 5 minutes after the run begins, and a multiple of 5. */
	const SOON = { schedule_at: '2031-12-01 08:05:00', allowed_at: '2031-12-01T08:05:00.000Z' };
	beforeEach(async () => {
		setNow('2031-12-01T07:59:58Z');
		// The requests arrive a few seconds after the start.
		await control.ask('POST', 'clock/set', { now: '2031-12-01T08:00:03Z' });
	});

	it.each<[string, INodeParameters, string]>([
		['send', {}, ''],
		['sendLater', {}, '2031-12-01T07:59:59Z'],
		['sendBulk', {}, ''],
		['sendBulk', { sendAt: '={{ $json.at }}' }, '2031-12-01T07:59:59Z'],
	])('%s with options %j moves to a time that is still ahead', async (operation, options, at) => {
		const { rows } = await run({ parameters: sms(operation, hours({}, options)), items: [{ ...first, at }] });
		expect(rows).toMatchObject([{ outcome: 'accepted', ...MOVED, ...SOON }]);
		await control.advanceClock(4 * MINUTE);
		expect(await control.messages()).toMatchObject([{ status: 'queued' }]);
		await control.advanceClock(10 * MINUTE);
		expect(await control.messages()).toMatchObject([{ status: 'delivered' }]);
	});

	it('moves to the next window if this one is over by then', async () => {
		const { rows } = await run({ parameters: sms('send', hours({ until: '08:02' })), items: [first] });
		expect(rows).toMatchObject([{ outcome: 'accepted', schedule_at: '2031-12-02 08:00:00' }]);
	});

	it('leaves the items of a slow run enough time, and all of them the same', async () => {
		const options = hours({}, { requestsPerSecond: 0.01, parallelRequests: 1 });
		const { rows } = await run({ parameters: sms('send', { ...options, dryRun: true }), items });
		// Three requests, one every 100 seconds.
		expect(rows).toMatchObject(items.map(() => ({ allowed_at: '2031-12-01T08:10:00.000Z' })));
	});

	it.each(['send', 'sendBulk'])(
		'%s gives the same message the same time in all of the last minutes',
		async (operation) => {
			const times: unknown[] = [];
			for (const moment of ['07:55:10', '07:57:00', '07:59:50']) {
				setNow(`2031-12-01T${moment}Z`);
				const { rows } = await run({ parameters: sms(operation, hours({}, { dryRun: true })), items: [first] });
				times.push(rows[0]?.allowed_at);
			}
			expect(times).toEqual([SOON.allowed_at, SOON.allowed_at, SOON.allowed_at]);
		},
	);

	it('changes nothing if the hours begin later', async () => {
		setNow('2031-12-01T07:54:00Z');
		const { rows } = await run({ parameters: sms('send', hours({}, { dryRun: true })), items: [first] });
		expect(rows).toMatchObject([MOVED]);
	});
});

describe('SMS > Send Bulk with Sending Hours', () => {
	it('schedules all recipients in one request, and each row has the time and the reason', async () => {
		const { rows, summary, hints } = await run({ parameters: sms('sendBulk', hours()), items });
		expect(rows).toMatchObject(numbers.map((to) => ({ to, outcome: 'accepted', ...MOVED })));
		expect(summary).toMatchObject({ accepted: 3, requests: 1, batches: [{ schedule_at: NEXT.schedule_at }] });
		expect(hints).toEqual([expect.stringMatching(/3 messages are scheduled/)]);
		expect(await spent()).toBe(0.15);
	});

	it('sends at once inside the hours', async () => {
		setNow(OPEN);
		const { rows, summary } = await run({ parameters: sms('sendBulk', hours()), items });
		expect(rows).toMatchObject(numbers.map(() => ({ outcome: 'accepted' })));
		for (const row of rows) expect(row).not.toHaveProperty('schedule_at');
		expect(summary).toMatchObject({ requests: 1 });
	});

	it('sends a number one message if two of its times move to the same moment', async () => {
		const { rows, summary } = await run({
			parameters: sms('sendBulk', hours({}, { sendAt: '={{ $json.at }}' })),
			items: [
				{ ...first, at: '2031-11-30T09:00:00Z' },
				{ ...first, at: '2031-11-30T18:00:00Z' },
				{ to: numbers[1], at: '2031-12-01T12:00:00Z' },
			],
		});
		expect(rows).toMatchObject([
			{ to: first.to, outcome: 'accepted', ...MOVED },
			{ to: first.to, outcome: 'skipped', reason: 'duplicate' },
			{ to: numbers[1], outcome: 'accepted' },
		]);
		expect(rows[2]).not.toHaveProperty('schedule_reason');
		expect(summary).toMatchObject({ requests: 2 });
	});

	it('skips items outside the hours with a row for each number, without a key, a limit or a request', async () => {
		const parameters = sms('sendBulk', hours({ outside: 'skip' }, { sendOnceKey: 'promo', maxRecipients: 1 }));
		const { rows, summary, status } = await run({ parameters, items: [{ to: numbers.join(', ') }] });
		expect(status).toBe('success');
		expect(rows).toMatchObject(
			numbers.map((to) => ({
				to,
				outcome: 'skipped',
				reason: 'outside_sending_hours',
				allowed_at: NEXT.allowed_at,
				message: expect.stringContaining('Monday 2031-12-01 08:00 (Africa/Accra)') as string,
			})),
		);
		expect(summary).toMatchObject({
			total: 3,
			skipped: 3,
			skipped_by_reason: { outside_sending_hours: 3 },
			requests: 0,
		});
		expect(await control.requests()).toEqual([]);
		setNow(OPEN);
		const promo = { parameters: sms('sendBulk', hours({}, { sendOnceKey: 'promo' })), items: items.slice(0, 1) };
		expect((await run(promo)).rows.map(({ outcome }) => outcome)).toEqual(['accepted']);
	});

	it.each(['send', 'sendBulk'])(
		'repeats the message of %s that the hours moved, not another one',
		async (operation) => {
			const parameters = sms(operation, hours({}, { sendOnceKey: `moved-${operation}` }));
			const moved = await run({ parameters, items: items.slice(0, 1) });
			expect(moved.rows).toMatchObject([{ outcome: 'accepted', schedule_reason: 'outside_sending_hours' }]);
			setNow(OPEN);
			const { rows } = await run({ parameters, items: items.slice(0, 1) });
			expect(rows).toMatchObject([{ outcome: 'skipped', reason: 'already_sent' }]);
		},
	);
});

describe('a run while the window closes', () => {
	let service: CountingService;
	let counted: Engine;
	let decide: () => ServiceReply = () => 'accept';
	beforeAll(async () => {
		service = await countingService(() => decide());
		counted = await startEngine({
			messagingServiceApi: { baseUrl: service.baseUrl, apiKey: 'sk_sandbox_demo', authHeader: 'X-API-Key' },
		});
	});
	afterAll(() => service[Symbol.asyncDispose]());
	beforeEach(() => {
		setNow('2031-12-01T18:59:00Z');
		service.accepted.length = 0;
		service.paths.length = 0;
	});
	/** The window closes with the first request. */
	const closing = (reply: ServiceReply) => () => {
		const begun = service.paths.length > 1;
		if (!begun) setNow('2031-12-01T19:01:00Z');
		return begun ? 'accept' : reply;
	};

	it('decides once for all items, when it reads them', async () => {
		decide = closing('accept');
		const { rows } = await run({ parameters: sms('send', hours({}, { parallelRequests: 1 })), items }, counted);
		expect(rows.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted']);
		expect(service.paths).toEqual(['/sms/send', '/sms/send', '/sms/send']);
	});

	it('schedules a message in a second try that is after the end, and keeps the one that was sent', async () => {
		let requests = 0;
		decide = () => {
			if (++requests === 2) setNow('2031-12-01T19:01:00Z');
			return requests === 2 ? { status: 422, body: { message: 'The gateway failed' } } : 'accept';
		};
		const { rows } = await run(
			{
				parameters: sms('send', hours({}, { parallelRequests: 1 })),
				items: items.slice(0, 2),
				settings: { retryOnFail: true, maxTries: 2 },
			},
			counted,
		);
		expect(service.paths).toEqual(['/sms/send', '/sms/send', '/sms/bulk']);
		expect(service.accepted.map(({ to, schedule_at }) => [to, schedule_at])).toEqual([
			[numbers[0], undefined],
			[numbers[1], '2031-12-02 08:00:00'],
		]);
		expect(rows).toMatchObject([
			{ outcome: 'accepted', to: numbers[0] },
			{ outcome: 'accepted', to: numbers[1], schedule_at: '2031-12-02 08:00:00' },
		]);
		expect(rows[0]).not.toHaveProperty('schedule_at');
	});

	it('recognizes a message that an agent repeats after the end', async () => {
		decide = closing('accept');
		const call = { to: numbers[0], message: 'New stock is in' };
		const responses = await counted.callTool([call, call], {}, 'one by one', hours());
		expect(responses.map((text) => JSON.parse(text) as IDataObject[])).toMatchObject([
			[{ outcome: 'accepted' }],
			[{ outcome: 'skipped', reason: 'already_sent' }],
		]);
		expect(service.accepted).toHaveLength(1);
	});
});
