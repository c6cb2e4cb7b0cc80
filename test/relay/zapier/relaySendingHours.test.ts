import { z } from 'zod/v4';
import { NOTHING_SENT } from '../../support/promises';
import { bulkOutput, numbers, toList } from '../../support/zapier/bulkStep';
import { haltedFor } from '../../support/zapier/haltedFor';
import { useSendingRelay } from '../../support/zapier/sendingRelay';
import { driveApp, methods, type MethodName } from '../../support/zapier/zapierTestApp';

/** A Send Once Key with Sending Hours, through a real relay, in front of a sandbox. */
const used = useSendingRelay();
const { control } = used;

const sms = { to: '+233201234567', sender_id: 'KOFISHOP', message: 'New stock is in' };
const ghana = { hours_from: '08:00', hours_until: '19:00', hours_time_zone: 'Africa/Accra' };

/** Monday noon in Accra, the Saturday evening before it, and that Monday's evening. */
const OPEN = '2031-12-01T12:00:00Z';
const CLOSED = '2031-11-29T20:15:00Z';
const CLOSED_LATER = '2031-12-01T20:15:00Z';
const NEXT = '2031-12-01T08:00:00.000Z';

const realNow = Date.now.bind(Date);
let offsetMs = 0;
const setNow = (moment: string) => (offsetMs = Date.parse(moment) - realNow());
beforeAll(() => void jest.spyOn(Date, 'now').mockImplementation(() => realNow() + offsetMs));
afterAll(() => jest.restoreAllMocks());

type Inputs = Readonly<Record<string, unknown>>;
let keys = 0;
const newKey = () => `promo ${(keys += 1)}`;
const app = () => driveApp(used.account());
const idOf = (row: unknown) => z.looseObject({ message_id: z.string() }).parse(row).message_id;
const balance = async () => (await control.wallet()).balance;

/** Both steps with the same message, these fields, and how many messages they send. */
const steps: ReadonlyArray<readonly [step: MethodName, inputs: (more: Inputs) => Inputs, messages: number]> = [
	['sendSms', (more) => ({ ...sms, ...ghana, ...more }), 1],
	['sendBulkSms', (more) => toList(numbers(2), { ...ghana, ...more }), 2],
];

describe.each(steps)('%s with a Send Once Key outside the Sending Hours, through a relay', (step, inputs, messages) => {
	const run = async (moment: string, more: Inputs) => {
		setNow(moment);
		return await app().run(methods[step], inputs(more));
	};
	const failure = async (moment: string, more: Inputs) => {
		setNow(moment);
		return await app().failure(methods[step], inputs(more));
	};
	const idsOf = (output: unknown) => (step === 'sendSms' ? [output] : bulkOutput.parse(output).results).map(idOf);
	const sent = async () => (await control.messages()).length;

	it.each([
		['at another moment outside the hours', CLOSED, CLOSED_LATER],
		['inside the hours', CLOSED, OPEN],
		['outside the hours after a run inside them', OPEN, CLOSED_LATER],
	])('sends nothing in a replay %s and returns the first result', async (_, before, after) => {
		const send_once_key = newKey();
		const first = await run(before, { send_once_key });
		expect(first).toMatchObject({ already_sent: false, allowed_at: before === CLOSED ? NEXT : null });
		const charged = await balance();
		const replayed = await run(after, { send_once_key });
		// The relay does not know when the first message leaves.
		expect(replayed).toMatchObject({
			...{ outcome: 'accepted', already_sent: true, send_at: null, schedule_reason: null, allowed_at: null },
		});
		expect(idsOf(replayed)).toEqual(idsOf(first));
		expect(new Set(idsOf(first)).size).toBe(messages);
		expect(await sent()).toBe(messages);
		expect(await balance()).toBe(charged);
	});

	it.each(['', '2031-11-30T12:00:00Z'])('halts for another message (Send At "%s")', async (send_at) => {
		const send_once_key = newKey();
		await run(CLOSED, { send_once_key, send_at });
		const failed = await failure(CLOSED, { send_once_key, send_at, message: 'Another text' });
		expect(failed).toMatchObject(haltedFor('Send Once Key', 'another message', NOTHING_SENT));
		expect(await sent()).toBe(messages);
	});

	it('compares the Send At that the hours moved', async () => {
		const send_once_key = newKey();
		const [send_at, other] = ['2031-11-30T12:00:00Z', '2031-11-30T13:00:00Z'];
		expect(await run(CLOSED, { send_once_key, send_at })).toMatchObject({ already_sent: false, allowed_at: NEXT });
		const moved = await run(CLOSED, { send_once_key, send_at, hours_from: '09:00' });
		expect(moved).toMatchObject({ already_sent: true });
		const always = { sending_days: ['sunday'] };
		expect(await run(CLOSED, { send_once_key, send_at, ...always })).toMatchObject({ already_sent: true });
		for (const changed of [other, '']) {
			const failed = await failure(CLOSED, { send_once_key, send_at: changed });
			expect(failed).toMatchObject(haltedFor('Send Once Key', 'another message', NOTHING_SENT));
		}
		expect(await sent()).toBe(messages);
	});
});
