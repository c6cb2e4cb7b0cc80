import { NOTHING_SENT } from '../support/promises';
import { useSandbox } from '../support/useSandbox';
import { bulkOutput, numbers, toLines, toList } from '../support/zapier/bulkStep';
import { cacheServer } from '../support/zapier/cacheServer';
import { haltedFor } from '../support/zapier/haltedFor';
import { driveApp, methods, type MethodName } from '../support/zapier/zapierTestApp';

const sms = { to: '+233201234567', sender_id: 'KOFISHOP', message: 'New stock is in' };
const ghana = { hours_from: '08:00', hours_until: '19:00', hours_time_zone: 'Africa/Accra' };
const WITHOUT_HOURS = { hours_from: '', hours_until: '', hours_time_zone: '' };

/** Monday noon in Accra, and the Saturday evening before it. */
const OPEN = '2031-12-01T12:00:00Z';
const CLOSED = '2031-11-29T20:15:00Z';
const NEXT = '2031-12-01T08:00:00.000Z';

const realNow = Date.now.bind(Date);
let offsetMs = 0;
const setNow = (moment: string) => (offsetMs = Date.parse(moment) - realNow());

const { sandbox, control } = useSandbox();

beforeAll(() => void jest.spyOn(Date, 'now').mockImplementation(() => realNow() + offsetMs));
afterAll(() => jest.restoreAllMocks());
beforeEach(() => void setNow(CLOSED));

type Inputs = Readonly<Record<string, unknown>>;
const account = () => ({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey });
const run = async (step: MethodName, inputs: Inputs) => await driveApp(account()).run(methods[step], inputs);
const failure = async (step: MethodName, inputs: Inputs, raw = inputs) =>
	await driveApp(account(), { raw }).failure(methods[step], inputs);
const endpoints = async () => (await control.requests()).map(({ endpoint }) => endpoint);
const scheduled = async () => (await control.messages()).map(({ status }) => status);

/** Both steps with the same message and these fields. */
const steps: ReadonlyArray<readonly [step: MethodName, inputs: (more: Inputs) => Inputs]> = [
	['sendSms', (more) => ({ ...sms, ...more })],
	['sendBulkSms', (more) => toList(numbers(2), more)],
];

describe('Send SMS with Send At', () => {
	it('schedules the message as a bulk send to one', async () => {
		const result = await run('sendSms', { ...sms, send_at: '2031-12-24T08:30:00', priority: true });
		expect(result).toMatchObject({
			outcome: 'accepted',
			to: sms.to,
			sender_id: sms.sender_id,
			segment_count: 1,
			send_at: '2031-12-24T08:30:00.000Z',
			schedule_reason: null,
			allowed_at: null,
			reason: null,
			message_id: expect.any(String) as string,
			cost: 0.05,
			already_sent: false,
		});
		expect(await endpoints()).toEqual(['sms.sendBulk']);
		expect(await control.messages()).toMatchObject([{ to: sms.to, message: sms.message, priority: true }]);
		expect(await scheduled()).toEqual(['queued']);
	});

	it('sends now if Send At is empty in the Zap', async () => {
		expect(await run('sendSms', { ...sms, send_at: '' })).toMatchObject({ outcome: 'accepted', send_at: null });
		expect(await endpoints()).toEqual(['sms.send']);
	});

	it.each<[string, unknown, string]>([
		['in the past', '2020-01-01T08:00:00Z', 'past'],
		['unreadable', 'next Friday', 'date and time'],
		['a list', ['2031-12-24T08:30:00Z'], 'list'],
	])('halts if it is %s', async (_, send_at, fact) => {
		expect(await failure('sendSms', { ...sms, send_at })).toMatchObject(haltedFor('Send At', fact, NOTHING_SENT));
		expect(await control.requests()).toEqual([]);
	});

	it('halts if it is mapped and empty in this run, because the message would leave now', async () => {
		const failed = await failure('sendSms', { ...sms, send_at: '' }, { ...sms, send_at: '{{1__date}}' });
		expect(failed).toMatchObject(haltedFor('Send At', NOTHING_SENT));
	});

	it('halts if the recipient of a scheduled message has opted out', async () => {
		const stop = { from: sms.to, to: sms.sender_id, message: 'STOP' };
		await fetch(`${sandbox.url}/webhooks/inbound/sms`, { method: 'POST', body: new URLSearchParams(stop) });
		const failed = await failure('sendSms', { ...sms, send_at: '2031-12-24T08:30:00Z' });
		expect(failed.name).toBe('HaltedError');
		expect(await control.messages()).toEqual([]);
	});

	it('halts with doubt if the response is lost', async () => {
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'drop_after' });
		const failed = await failure('sendSms', { ...sms, send_at: '2031-12-24T08:30:00Z' });
		expect(failed.name).toBe('HaltedError');
		expect(failed.message).not.toContain(NOTHING_SENT);
		expect(await control.requests()).toHaveLength(1);
	});
});

describe.each(steps)('%s with Sending Hours', (step, inputs) => {
	it('sends at once inside the hours', async () => {
		setNow(OPEN);
		expect(await run(step, inputs(ghana))).toMatchObject({
			outcome: 'accepted',
			send_at: null,
			schedule_reason: null,
			allowed_at: null,
		});
		expect(await endpoints()).toEqual([step === 'sendSms' ? 'sms.send' : 'sms.sendBulk']);
	});

	it('schedules for the next allowed time outside the hours', async () => {
		expect(await run(step, inputs(ghana))).toMatchObject({
			outcome: 'accepted',
			send_at: NEXT,
			schedule_reason: 'outside_sending_hours',
			allowed_at: NEXT,
		});
		expect(await endpoints()).toEqual(['sms.sendBulk']);
		expect(new Set(await scheduled())).toEqual(new Set(['queued']));
	});

	it.each(['', '2031-12-01T07:59:59Z'])(
		'moves a send just before the start to a time that is still ahead when its request arrives (Send At "%s")',
		async (send_at) => {
			setNow('2031-12-01T07:59:58Z');
			await control.ask('POST', 'clock/set', { now: '2031-12-01T08:00:03Z' });
			const result = await run(step, inputs({ ...ghana, send_at }));
			expect(result).toMatchObject({ outcome: 'accepted', schedule_reason: 'outside_sending_hours' });
			await control.advanceClock(4 * 60_000);
			expect(new Set(await scheduled())).toEqual(new Set(['queued']));
		},
	);

	it('moves a Send At outside the hours, and keeps one inside', async () => {
		const at = async (send_at: string) => await run(step, inputs({ ...ghana, send_at }));
		expect(await at('2031-12-01T21:00:00Z')).toMatchObject({ send_at: '2031-12-02T08:00:00.000Z' });
		expect(await at('2031-12-01T12:00:00Z')).toMatchObject({
			send_at: '2031-12-01T12:00:00.000Z',
			schedule_reason: null,
		});
	});

	it('skips outside the hours: the step succeeds, and nothing is sent', async () => {
		const result = await run(step, inputs({ ...ghana, outside_hours: 'skip' }));
		expect(result).toMatchObject({ outcome: 'skipped', allowed_at: NEXT, already_sent: false });
		expect(JSON.stringify(result)).toMatch(/Saturday 2031-11-29 20:15.*Monday 2031-12-01 08:00/);
		expect(await control.requests()).toEqual([]);
	});

	it('leaves the Send Once Key of a skipped message free', async () => {
		await using cache = await cacheServer();
		const app = driveApp(account(), { rpc_base: cache.rpcBase });
		const keyed = inputs({ ...ghana, outside_hours: 'skip', send_once_key: 'promo' });
		expect(await app.run(methods[step], keyed)).toMatchObject({ outcome: 'skipped' });
		setNow(OPEN);
		expect(await app.run(methods[step], keyed)).toMatchObject({ outcome: 'accepted', already_sent: false });
		setNow(CLOSED);
		expect(await app.run(methods[step], { ...keyed, outside_hours: 'schedule' })).toMatchObject({ already_sent: true });
	});

	it('halts outside the hours with the choice to stop, and says when it would be allowed', async () => {
		const failed = await failure(step, inputs({ ...ghana, outside_hours: 'stop' }));
		expect(failed).toMatchObject(haltedFor('Sending Hours', 'Monday 2031-12-01 08:00', NOTHING_SENT));
		expect(await control.requests()).toEqual([]);
	});

	it("uses the Zap's time zone and Monday to Saturday if these fields are empty", async () => {
		const { hours_from, hours_until } = ghana;
		const lagos = driveApp(account(), { meta: { timezone: 'Africa/Lagos' } });
		expect(await lagos.run(methods[step], inputs({ hours_from, hours_until }))).toMatchObject({
			send_at: '2031-12-01T07:00:00.000Z',
		});
	});

	it('leaves out holidays and days that are not chosen', async () => {
		const more = { sending_days: ['monday', 'sunday'], holidays: ['2031-11-30, 2031-12-01', '2031-12-07'] };
		expect(await run(step, inputs({ ...ghana, ...more }))).toMatchObject({ send_at: '2031-12-08T08:00:00.000Z' });
	});

	it.each<[string, Inputs, string]>([
		['only a start', { hours_until: '' }, 'Sending Hours Until'],
		['words as a time', { hours_from: '8 am' }, 'Sending Hours From'],
		['an end before the start', { hours_until: '07:00' }, 'Sending Hours Until'],
		['no such day', { sending_days: ['fryday'] }, 'Sending Days'],
		['an unknown time zone', { hours_time_zone: 'Ghana' }, 'Sending Hours Time Zone'],
		['an unreadable holiday', { holidays: ['Boxing Day'] }, 'Holidays'],
		['no such choice', { outside_hours: 'wait' }, 'Outside Sending Hours'],
		['holidays without hours', { ...WITHOUT_HOURS, holidays: '2031-12-25' }, 'Holidays'],
		['skip without hours', { ...WITHOUT_HOURS, outside_hours: 'skip' }, 'Outside Sending Hours'],
		['stop without hours', { ...WITHOUT_HOURS, outside_hours: 'stop' }, 'Outside Sending Hours'],
	])('halts if the hours have %s', async (_, more, label) => {
		const failed = await failure(step, inputs({ ...ghana, ...more }));
		expect(failed).toMatchObject(haltedFor(label, NOTHING_SENT));
		expect(await control.requests()).toEqual([]);
	});

	it('sends now if there are no hours and the choice has its default', async () => {
		const result = await run(step, inputs({ ...ghana, ...WITHOUT_HOURS, outside_hours: 'schedule' }));
		expect(result).toMatchObject({ outcome: 'accepted', send_at: null });
	});

	it.each(['hours_from', 'hours_until', 'sending_days', 'hours_time_zone', 'holidays', 'outside_hours'])(
		'halts if %s is mapped and empty in this run',
		async (key) => {
			const failed = await failure(step, inputs({ ...ghana, [key]: '' }), inputs({ ...ghana, [key]: '{{1__field}}' }));
			expect(failed.name).toBe('HaltedError');
			expect(failed.message).toContain('is empty in this run');
			expect(await control.requests()).toEqual([]);
		},
	);
});

it('Send Bulk SMS gives each skipped line its reason', async () => {
	const lines = numbers(2).map((line_to, index) => ({ line_to, line_message: `Hi no. ${index}` }));
	const result = bulkOutput.parse(await run('sendBulkSms', toLines(lines, { ...ghana, outside_hours: 'skip' })));
	expect(result).toMatchObject({ outcome: 'skipped', total: 2, skipped: 2, requests: 0 });
	expect(result.results).toMatchObject(
		numbers(2).map((to, index) => ({
			to,
			outcome: 'skipped',
			line: index + 1,
			reason: expect.stringContaining('Monday') as string,
		})),
	);
});
