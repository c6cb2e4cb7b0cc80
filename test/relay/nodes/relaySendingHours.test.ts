import type { INodeParameters } from 'n8n-workflow';
import { fresh, KEYED, smsParameters, useRelayedEngines } from '../../support/n8n/relayedEngines';

/** A Send Once Key with Sending Hours, with a relay as Base URL, on n8n's engine. */
const relayed = useRelayedEngines();
const { control, rows, charged } = relayed;

/** Monday noon in Accra, the Saturday evening before it, and that Monday's evening. */
const OPEN = '2031-12-01T12:00:00Z';
const CLOSED = '2031-11-29T20:15:00Z';
const CLOSED_LATER = '2031-12-01T20:15:00Z';
const MONDAY = '2031-12-01 08:00:00';

const realNow = Date.now.bind(Date);
let offsetMs = 0;
const setNow = (moment: string) => (offsetMs = Date.parse(moment) - realNow());
beforeAll(() => void jest.spyOn(Date, 'now').mockImplementation(() => realNow() + offsetMs));
afterAll(() => jest.restoreAllMocks());

const GOES_ON = { onError: 'continueRegularOutput' as const };
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const ghana = { from: '={{ $json.from }}', until: '19:00', days: weekdays, timeZone: 'Africa/Accra', holidays: '' };
const sendingHours = { values: { ...ghana, outside: 'schedule' } };
const numbers = ['+233201234561', '+233201234562'];

interface Item {
	readonly to: string;
	readonly text: string;
	readonly key: string;
	readonly at?: string;
	readonly from: string;
}
const newItems = (more: Partial<Item> = {}): Item[] => {
	const key = fresh('hours');
	return numbers.map((to, index) => ({
		to,
		text: `New stock is in ${key}`,
		key: `${key} ${index}`,
		from: '08:00',
		...more,
	}));
};
const run = async (operation: string, moment: string, items: readonly Item[]) => {
	setNow(moment);
	const timed = items.some(({ at }) => at !== undefined);
	const options: INodeParameters = {
		...KEYED,
		sendingHours,
		...(operation === 'sendBulk' && timed && { sendAt: '={{ $json.at }}' }),
	};
	const more = operation === 'sendLater' ? { operation, sendAt: '={{ $json.at }}' } : { operation };
	return await rows({
		parameters: smsParameters(more, options),
		items: items.map((item) => ({ ...item })),
		settings: GOES_ON,
	});
};
const balance = async () => (await control.wallet()).balance;
const REUSED = { outcome: 'rejected', details: { sent: 'no', code: 'idempotency_key_reused' } };

describe.each(['send', 'sendBulk'])(
	'SMS > %s with a Send Once Key outside the Sending Hours, with a relay',
	(operation) => {
		it.each([
			['at another moment outside the hours', CLOSED, CLOSED_LATER],
			['inside the hours', CLOSED, OPEN],
			['outside the hours after a run inside them', OPEN, CLOSED_LATER],
		])('skips the message %s with the first result', async (_, before, after) => {
			const items = newItems();
			const first = await run(operation, before, items);
			const time = before === CLOSED ? { schedule_at: MONDAY } : {};
			expect(first).toMatchObject([
				{ outcome: 'accepted', ...time },
				{ outcome: 'accepted', ...time },
			]);
			const left = await balance();
			const second = await run(operation, after, items);
			expect(second).toMatchObject(
				first.map(({ message_id, status, to }) => ({
					...{ outcome: 'skipped', reason: 'already_sent', first_outcome: 'accepted' },
					...{ message_id, status, to },
				})),
			);
			for (const { message_id } of first) expect(message_id).toEqual(expect.any(String));
			// The relay does not know when the first message leaves.
			for (const row of second) {
				for (const field of ['schedule_at', 'allowed_at', 'schedule_reason']) expect(row).not.toHaveProperty(field);
			}
			expect(await charged()).toHaveLength(2);
			expect(await balance()).toBe(left);
		});

		it('rejects another text under the key', async () => {
			const items = newItems();
			await run(operation, CLOSED, items);
			const others = items.map((item) => ({ ...item, text: 'Another text' }));
			expect(await run(operation, CLOSED_LATER, others)).toMatchObject([REUSED, REUSED]);
			expect(await charged()).toHaveLength(2);
		});
	},
);

describe.each(['sendLater', 'sendBulk'])(
	'a time that the user gave SMS > %s and the Sending Hours moved',
	(operation) => {
		it('belongs to the message of the key', async () => {
			const items = newItems({ at: '2031-11-30T12:00:00Z' });
			const moved = { outcome: 'accepted', schedule_at: MONDAY };
			expect(await run(operation, CLOSED, items)).toMatchObject([moved, moved]);
			const skipped = { outcome: 'skipped', reason: 'already_sent' };
			expect(await run(operation, CLOSED, items)).toMatchObject([skipped, skipped]);
			const changed = items.map((item) => ({ ...item, at: '2031-11-30T13:00:00Z' }));
			expect(await run(operation, CLOSED, changed)).toMatchObject([REUSED, REUSED]);
			expect(await charged()).toHaveLength(2);
		});
	},
);

it('keeps apart the times of items that the Sending Hours move to one time', async () => {
	const [one, two] = newItems({ at: '2031-11-30T12:00:00Z' });
	if (!one || !two) throw new Error('There are two items');
	const later = { ...two, at: '2031-11-30T13:00:00Z' };
	const moved = { outcome: 'accepted', schedule_at: MONDAY };
	expect(await run('sendBulk', CLOSED, [one, later])).toMatchObject([moved, moved]);
	const skipped = { outcome: 'skipped', reason: 'already_sent' };
	expect(await run('sendBulk', CLOSED, [later])).toMatchObject([skipped]);
	expect(await run('sendBulk', CLOSED, [one, later])).toMatchObject([skipped, skipped]);
	expect(await run('sendBulk', CLOSED, [two])).toMatchObject([REUSED]);
	expect(await charged()).toHaveLength(2);
});

it('sends one of two items with the same key and message that the Sending Hours move to two times', async () => {
	const [one] = newItems();
	if (!one) throw new Error('There are two items');
	for (const operation of ['send', 'sendBulk']) {
		const keyed = { ...one, key: `${one.key} ${operation}` };
		const both = await run(operation, CLOSED, [keyed, { ...keyed, from: '09:00' }]);
		// Two requests of a bulk send leave at the same time.
		expect(both.map(({ outcome, reason }) => reason ?? outcome).sort()).toEqual(['accepted', 'already_sent']);
	}
	expect(await charged()).toHaveLength(2);
});
