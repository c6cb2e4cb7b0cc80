import { gatewayEnv, callThrough, sendThrough, sms, type GatewayResponse } from '../../support/relay/gateway';
import { useDatabase } from '../../support/relay/databases';
import type { Relay } from '../../support/relay/relay';
import { useSandbox } from '../../support/useSandbox';

const { sandbox, control } = useSandbox();
const database = useDatabase('folder');
let relay: Relay;
beforeAll(async () => {
	relay = await database().start({ env: gatewayEnv(sandbox.baseUrl) });
});

const MONDAY = '2031-12-01 08:00:00';
const TUESDAY = '2031-12-02 08:00:00';
const PLANNED = '2031-11-30 21:00:00';
const TO = '+233201234567';

/** A message to one recipient for a time, as a bulk send. */
const later = (schedule_at: string, message?: string) => ({ ...sms(message), to: [TO], schedule_at });
const movedFrom = (time: string) => ({ 'relay-moved-from': time });
const schedule = async (key: string, body: object, time?: string) =>
	await callThrough(relay, 'POST', '/sms/bulk', body, { key, ...(time && { headers: movedFrom(time) }) });
const idIn = ({ text }: GatewayResponse) => (JSON.parse(text) as { message_id?: string }).message_id;
const reused = { status: 422, code: 'idempotency_key_reused' };
const sent = async () => (await control.messages()).length;

describe('a message whose time was moved', () => {
	it('is the same message at another time, and as a single send', async () => {
		const first = await schedule('moved-1', later(MONDAY), 'now');
		expect([first.status, first.isReplay]).toEqual([200, false]);
		const again = await schedule('moved-1', later(TUESDAY), 'now');
		const single = await sendThrough(relay, sms(), { key: 'moved-1' });
		expect([again.isReplay, single.isReplay]).toEqual([true, true]);
		expect(idIn(single)).toEqual(expect.any(String));
		expect(idIn(again)).toBe(idIn(single));
		expect(await sent()).toBe(1);
	});

	it('is the same message as an earlier single send', async () => {
		const first = await sendThrough(relay, sms(), { key: 'moved-2' });
		const again = await schedule('moved-2', later(MONDAY), 'now');
		expect([again.isReplay, idIn(again)]).toEqual([true, idIn(first)]);
		expect(await sent()).toBe(1);
	});

	it('has the time that its sender gave', async () => {
		await schedule('moved-3', later(MONDAY), PLANNED);
		expect(await schedule('moved-3', later(TUESDAY), PLANNED)).toMatchObject({ isReplay: true });
		expect(await schedule('moved-3', later(PLANNED))).toMatchObject({ isReplay: true });
		expect(await schedule('moved-3', later(MONDAY), '2031-11-30 22:00:00')).toMatchObject(reused);
		expect(await schedule('moved-3', later(MONDAY), 'now')).toMatchObject(reused);
		expect(await schedule('moved-3', later(MONDAY))).toMatchObject(reused);
		expect(await sendThrough(relay, sms(), { key: 'moved-3' })).toMatchObject(reused);
		expect(await sent()).toBe(1);
	});

	it('gets 422 with another text or recipient', async () => {
		await schedule('moved-4', later(MONDAY), 'now');
		expect(await schedule('moved-4', later(MONDAY, 'Other words'), 'now')).toMatchObject(reused);
		expect(await schedule('moved-4', { ...later(MONDAY), to: ['+233201234568'] }, 'now')).toMatchObject(reused);
		expect(await sendThrough(relay, sms('Other words'), { key: 'moved-4' })).toMatchObject(reused);
		expect(await sent()).toBe(1);
	});

	it('keeps its time in the request to the service', async () => {
		await schedule('moved-5', later(MONDAY), 'now');
		expect(await control.messages()).toMatchObject([{ status: 'queued' }]);
	});

	it('is another message without the header', async () => {
		await schedule('moved-6', later(MONDAY));
		expect(await schedule('moved-6', later(TUESDAY))).toMatchObject(reused);
		expect(await sendThrough(relay, sms(), { key: 'moved-6' })).toMatchObject(reused);
		expect(await sent()).toBe(1);
	});

	it('changes nothing in a call that has no time', async () => {
		await sendThrough(relay, sms(), { key: 'moved-7', headers: movedFrom(PLANNED) });
		expect(await sendThrough(relay, sms(), { key: 'moved-7' })).toMatchObject({ isReplay: true });
		expect(await sent()).toBe(1);
	});
});

describe('a bulk send whose time was moved', () => {
	const bulk = (schedule_at: string | undefined, message?: string) => ({
		...sms(message),
		...(schedule_at !== undefined && { schedule_at }),
		to: [TO, '+233201234568'],
	});

	it('with one key for several recipients is the same at another time, and without a time', async () => {
		await schedule('moved-8', bulk(MONDAY), 'now');
		expect(await schedule('moved-8', bulk(TUESDAY), 'now')).toMatchObject({ isReplay: true });
		expect(await schedule('moved-8', bulk(undefined))).toMatchObject({ isReplay: true });
		expect(await schedule('moved-8', bulk(TUESDAY))).toMatchObject(reused);
		expect(await sent()).toBe(2);
	});

	it('with a key for each recipient leaves them out at another time, and without a time', async () => {
		const keyed = async (body: object, time?: string) =>
			await callThrough(
				relay,
				'POST',
				'/sms/bulk',
				{ ...body, idempotency_keys: ['moved-9-a', 'moved-9-b'] },
				{ ...(time && { headers: movedFrom(time) }) },
			);
		expect(await keyed(bulk(MONDAY), 'now')).toMatchObject({ status: 200, isReplay: false });
		expect(await control.messages()).toMatchObject([{ status: 'queued' }, { status: 'queued' }]);
		expect(await keyed(bulk(TUESDAY), 'now')).toMatchObject({ isReplay: true });
		expect(await keyed(bulk(undefined))).toMatchObject({ isReplay: true });
		expect(await keyed(bulk(MONDAY), PLANNED)).toMatchObject(reused);
		expect(await keyed(bulk(MONDAY, 'Other words'), 'now')).toMatchObject(reused);
		expect(await sent()).toBe(2);
	});
});
