import { sendListSchema, type Send } from '../../../relay/sends/schema';
import { eventually } from '../../support/eventually';
import { useDatabase } from '../../support/relay/databases';
import type { Relay } from '../../support/relay/relay';
import { useSandbox } from '../../support/useSandbox';
import { callThrough, gatewayEnv, sendThrough, sms } from '../../support/relay/gateway';

const { sandbox, control } = useSandbox();

const AMA = '+233201110001';
const KOFI = '+233201110002';
/** The last digits of {@link AMA}, in another network. */
const ESI = '+233241110001';

describe('erasing a number', () => {
	const database = useDatabase('postgres');
	let relay: Relay;

	beforeAll(async () => {
		relay = await database().start({ env: gatewayEnv(sandbox.baseUrl, { RELAY_SERVICE_TIMEOUT_SECONDS: '2' }) });
	});

	const erase = async (number: string): Promise<unknown> =>
		await (await relay.api('DELETE', `/v1/events?number=${encodeURIComponent(number)}`)).json();
	const list = async (state: string): Promise<Send[]> =>
		sendListSchema.parse(await (await relay.api('GET', `/v1/sends?state=${state}`)).json()).data;

	/** Sends with an unknown outcome. The service accepted it. */
	async function unknownSend(key: string, to: string): Promise<Send> {
		await control.fault({ endpoint: 'sms.send', kind: 'drop_after' });
		expect((await sendThrough(relay, sms('We are open', to), { key })).outcome).toBe('unknown');
		const [newest] = await list('unknown');
		return newest ?? fail();
	}

	it('removes it from unknown sends, which stay unknown and are not sent again', async () => {
		const mine = await unknownSend('erase-1', AMA);
		const others = [await unknownSend('erase-2', KOFI), await unknownSend('erase-3', ESI)];
		expect([mine.to, mine.erased]).toEqual([AMA, false]);
		expect(await erase('00233 20 111 0001')).toEqual({ deleted: 0, sends: 1 });
		const left = await list('unknown');
		expect(left.find(({ id }) => id === mine.id)).toEqual({ ...mine, to: null, to_end: null, erased: true });
		for (const other of others) expect(left).toContainEqual(other);
		const again = await sendThrough(relay, sms('We are open', AMA), { key: 'erase-1' });
		expect([again.status, again.code, again.isReplay]).toEqual([502, 'outcome_unknown', true]);
		expect(await control.messages()).toHaveLength(3);
		expect(await erase(AMA)).toEqual({ deleted: 0, sends: 0 });
	});

	it('removes it from a call in flight, and its outcome is written all the same', async () => {
		await control.fault({ endpoint: 'sms.send', kind: 'hang' });
		const sent = sendThrough(relay, sms('We are open', AMA), { key: 'erase-flight' });
		const { id } = await eventually('the call to be in flight', async () => (await list('in_flight'))[0]);
		expect(await erase(AMA)).toEqual({ deleted: 0, sends: 1 });
		expect((await sent).outcome).toBe('unknown');
		const unknown = (await list('unknown')).find((one) => one.id === id);
		expect(unknown).toMatchObject({ to: null, to_end: null, erased: true });
	});

	it('keeps the other recipients of a bulk send with one key', async () => {
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'drop_after' });
		const body = { ...sms(), to: [AMA, KOFI, ESI] };
		await callThrough(relay, 'POST', '/sms/bulk', body, { key: 'erase-bulk' });
		// The first test left unknown sends of these two.
		expect(await Promise.all([erase(AMA), erase(KOFI)])).toEqual([
			{ deleted: 0, sends: 1 },
			{ deleted: 0, sends: 2 },
		]);
		const [bulk] = await list('unknown');
		expect([bulk?.endpoint, bulk?.to, bulk?.erased]).toEqual(['sms.sendBulk', ESI, true]);
	});

	it('lets a person settle the send all the same', async () => {
		const { id } = await unknownSend('erase-settle', AMA);
		await erase(AMA);
		expect((await relay.api('POST', `/v1/sends/${id}/settle`, { outcome: 'arrived' })).status).toBe(200);
		const again = await sendThrough(relay, sms('We are open', AMA), { key: 'erase-settle' });
		expect([again.outcome, again.isReplay]).toEqual(['accepted', true]);
	});
});

function fail(): never {
	throw new Error('The list is empty');
}
