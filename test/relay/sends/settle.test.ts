import { sendListSchema, sendSchema, type Send } from '../../../relay/sends/schema';
import { useDatabase } from '../../support/relay/databases';
import type { Relay } from '../../support/relay/relay';
import { useSandbox } from '../../support/useSandbox';
import { gatewayEnv, sendThrough, sms } from '../../support/relay/gateway';

const { sandbox, control } = useSandbox();

describe('a person settles sends', () => {
	const database = useDatabase('postgres');
	let relay: Relay;

	beforeAll(async () => {
		relay = await database().start({ env: gatewayEnv(sandbox.baseUrl) });
	});

	const list = async (query = '') => sendListSchema.parse(await (await relay.api('GET', `/v1/sends${query}`)).json());
	const settle = async ({ id }: Send, outcome: string) =>
		(await relay.api('POST', `/v1/sends/${id}/settle`, { outcome })).status;

	/** A send whose outcome is unknown. @returns the newest one of the list */
	async function unknownSend(key: string): Promise<Send> {
		await control.fault({ endpoint: 'sms.send', kind: 'drop_after' });
		expect((await sendThrough(relay, sms(), { key })).outcome).toBe('unknown');
		const [newest] = (await list('?state=unknown')).data;
		return newest ?? fail('The list is empty');
	}

	it('lists unknown ones with their recipient, and accepted ones with its last digits', async () => {
		const unknown = await unknownSend('list-1');
		expect(unknown).toMatchObject({
			...{ state: 'unknown', mode: 'sandbox', endpoint: 'sms.send', to: '+233201234567', to_end: '4567' },
			...{ message_id: null, status: null, settled_by: null },
		});
		const { text } = await sendThrough(relay, sms(), { key: 'list-2' });
		const [accepted] = (await list('?state=accepted')).data;
		const { message_id } = JSON.parse(text) as { message_id: string };
		expect(accepted).toMatchObject({ to: null, to_end: '4567', message_id, status: 200, settled_by: 'service' });
		const response = await relay.api('GET', `/v1/sends/${unknown.id}`);
		expect(sendSchema.parse(await response.json())).toEqual(unknown);
	});

	it('lists them page by page, newest first', async () => {
		for (const key of ['page-1', 'page-2', 'page-3']) await sendThrough(relay, sms(), { key });
		const first = await list('?limit=2');
		const second = await list(`?limit=2&before=${first.data[1]?.id}`);
		expect([first.data.length, first.has_more]).toEqual([2, true]);
		const all = (await list()).data.map(({ id }) => id);
		expect((await relay.api('GET', '/v1/sends?before=snd_none')).status).toBe(422);
		expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(all.slice(0, 4));
	});

	it('as arrived, so that the key stays in use and a repeat says who settled it', async () => {
		const unknown = await unknownSend('arrived-1');
		expect(await settle(unknown, 'arrived')).toBe(200);
		const again = await sendThrough(relay, sms(), { key: 'arrived-1' });
		expect([again.status, again.outcome, again.isReplay]).toEqual([200, 'accepted', true]);
		expect(JSON.parse(again.text)).toEqual({ success: true, relay: { settled_by: 'person' } });
		expect(await control.messages()).toHaveLength(1);
		expect(await settle(unknown, 'send_again')).toBe(409);
	});

	it('as to be sent again, so that the key is free', async () => {
		const unknown = await unknownSend('again-1');
		expect(await settle(unknown, 'send_again')).toBe(200);
		const again = await sendThrough(relay, sms(), { key: 'again-1' });
		expect([again.outcome, again.isReplay]).toEqual(['accepted', false]);
		expect(await control.messages()).toHaveLength(2);
		expect(await settle(unknown, 'arrived')).toBe(404);
	});

	it('only if the outcome is unknown, and only in known ways', async () => {
		await sendThrough(relay, sms(), { key: 'known-1' });
		const [accepted] = (await list()).data;
		expect(await settle(accepted ?? fail('none'), 'send_again')).toBe(409);
		expect(await settle(accepted ?? fail('none'), 'forget')).toBe(422);
	});

	it('counts sends and replays by outcome in the metrics', async () => {
		const text = await (await relay.api('GET', '/metrics')).text();
		for (const outcome of ['accepted', 'unknown']) {
			expect(text).toMatch(new RegExp(`relay_sends_total\\{outcome="${outcome}"\\} [1-9]`));
		}
		expect(text).toMatch(/relay_send_replays_total\{outcome="accepted"\} 1\n/);
	});
});

function fail(message: string): never {
	throw new Error(message);
}
