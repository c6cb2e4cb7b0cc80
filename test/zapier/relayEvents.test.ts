import { z } from 'zod/v4';
import { stubServer } from '../support/stubServer';
import { useSandbox } from '../support/useSandbox';
import { readDefinition } from '../support/zapier/definition';
import { useRelay } from '../support/zapier/useRelay';
import { zapierHooks, type ZapierHooks } from '../support/zapier/zapierHooks';

const { sandbox } = useSandbox();
const used = useRelay(() => ({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey }));

let hooks: ZapierHooks;
beforeEach(async () => {
	hooks = await zapierHooks(used.account());
});
afterEach(async () => await hooks[Symbol.asyncDispose]());

const TRIGGERS = ['new_inbound_sms', 'message_status_updated', 'new_inbound_whatsapp_message'] as const;
const rows = z.array(z.looseObject({ id: z.string(), received_at: z.iso.datetime({ offset: true }) }));

const hours = { from: '+233201234567', to: 'KOFISHOP', message: 'HOURS', message_id: 'in_1', keyword: null };
const stop = { from: '+233201234568', to: 'KOFISHOP', message: 'Stop!', message_id: 'in_2', keyword: 'stop' };
const receipt = {
	message_id: 'msg_1',
	to: '+233201234567',
	channel: 'sms',
	provider_status: 'DELIVRD',
};

const listed = async (trigger: string, inputs = {}, meta = {}) =>
	rows.parse(await used.drive(undefined, {}, meta).run(trigger, 'performList', inputs));

describe('events of an instant trigger', () => {
	const inputs = { statuses: ['delivered', 'failed', 'sent'], include_opt_outs: true };
	const eventOf = {
		new_inbound_sms: ['sms.inbound', hours],
		new_inbound_whatsapp_message: ['whatsapp.inbound', { ...hours, to: null, message_id: null }],
		message_status_updated: ['message.status', { ...receipt, status: 'delivered' }],
	} as const;

	it.each(TRIGGERS)(
		'%s gives the same row for a delivery and in the editor, with the keys of the sample',
		async (key) => {
			const zap = await hooks.turnOn(key, inputs);
			const [type, data] = eventOf[key];
			expect(await used.relay.publish(type, data, 'evt_1')).toEqual([200]);
			const found = await listed(key, inputs);
			expect(zap.runs).toEqual(found);
			const { triggers } = await readDefinition();
			expect(Object.keys(found[0] ?? {})).toEqual(Object.keys(triggers[key]?.operation.sample ?? {}));
			expect(found[0]).toMatchObject({ id: 'evt_1', received_at: '2026-11-20T09:00:00.000Z' });
		},
	);

	it('gives an inbound message with its words unchanged', async () => {
		const zap = await hooks.turnOn('new_inbound_sms');
		const message = '2026-11-20 10:00 {{bundle.authData.api_key}} {{x}} 😀';
		await used.relay.publish('sms.inbound', { ...hours, message, forwarded: true }, 'evt_1');
		expect(zap.runs).toEqual([{ id: 'evt_1', received_at: '2026-11-20T09:00:00.000Z', ...hours, message }]);
	});

	it('gives a status in the words of the filter, and the word of the service beside it', async () => {
		const zap = await hooks.turnOn('message_status_updated', { statuses: ['delivrd'] });
		await used.relay.publish('message.status', { ...receipt, status: 'delivrd', provider_status: null }, 'evt_1');
		expect(zap.runs).toMatchObject([{ status: 'delivered', provider_status: 'delivrd' }]);
	});

	it('gives a receipt without the fields that only a check at the service fills', async () => {
		const zap = await hooks.turnOn('message_status_updated');
		await used.relay.publish('message.status', { ...receipt, status: 'failed', to: null, channel: null }, 'evt_1');
		expect(zap.runs).toEqual([
			{
				id: 'evt_1',
				received_at: '2026-11-20T09:00:00.000Z',
				message_id: 'msg_1',
				status: 'failed',
				to: null,
				channel: null,
				provider_status: 'DELIVRD',
			},
		]);
	});

	it('shows the newest three events in the editor, and up to 100 otherwise', async () => {
		for (let event = 1; event <= 5; event++) await used.relay.publish('sms.inbound', hours, `evt_${event}`);
		expect((await listed('new_inbound_sms', {}, { isLoadingSample: true })).map(({ id }) => id)).toEqual([
			'evt_5',
			'evt_4',
			'evt_3',
		]);
		expect(await listed('new_inbound_sms')).toHaveLength(5);
		expect(used.relay.received.map(({ call }) => call)).toEqual([
			'GET /v1/events?type=sms.inbound&limit=3&opt_outs=exclude',
			'GET /v1/events?type=sms.inbound&limit=100&opt_outs=exclude',
		]);
	});

	it.each(TRIGGERS)('%s shows nothing in the editor if there is no event', async (key) => {
		expect(await listed(key, {}, { isLoadingSample: true })).toEqual([]);
	});

	it('shows events in the editor by the same filters', async () => {
		await used.relay.publish('sms.inbound', hours, 'evt_1');
		await used.relay.publish('sms.inbound', stop, 'evt_2');
		await used.relay.publish('sms.inbound', { ...hours, to: '1234', message: 'Price' }, 'evt_3');
		const ids = async (fields: object) => (await listed('new_inbound_sms', fields)).map(({ id }) => id);
		expect(await ids({})).toEqual(['evt_3', 'evt_1']);
		expect(await ids({ include_opt_outs: true })).toEqual(['evt_3', 'evt_2', 'evt_1']);
		expect(await ids({ to: 'kofishop' })).toEqual(['evt_1']);
		expect(await ids({ keyword: 'price, stop' })).toEqual(['evt_3', 'evt_2']);
	});

	it('shows receipts in the editor by status and channel', async () => {
		const publish = async (id: string, status: string, channel: string | null) =>
			await used.relay.publish('message.status', { ...receipt, status, channel }, id);
		await publish('evt_1', 'delivered', 'whatsapp');
		for (const id of ['evt_2', 'evt_3', 'evt_4']) await publish(id, 'delivered', 'sms');
		await publish('evt_5', 'sent', 'whatsapp');
		await publish('evt_6', 'delivered', null);
		const ids = async (fields: object) =>
			(await listed('message_status_updated', fields, { isLoadingSample: true })).map(({ id }) => id);
		expect(await ids({})).toEqual(['evt_6', 'evt_4', 'evt_3']);
		expect(await ids({ statuses: ['sent'] })).toEqual(['evt_5']);
		expect(await ids({ channel: 'whatsapp' })).toEqual(['evt_1']);
		expect(await ids({ channel: 'WhatsApp', statuses: ['sent', 'delivered'] })).toEqual(['evt_5', 'evt_1']);
	});

	it('omits events that it cannot read', async () => {
		const event = {
			id: 'evt_1',
			type: 'sms.inbound',
			timestamp: '2026-11-20T09:00:00.000Z',
			sequence: 1,
			data: { event: 'sms.inbound', ...hours },
		};
		const unreadable = [
			{ ...event, id: '' },
			{ ...event, timestamp: '2026-11-20 09:00:00' },
			null,
			{ ...event, data: 1 },
		];
		const body = JSON.stringify({ data: [...unreadable, event], has_more: false });
		await using other = await stubServer({ status: 200, body });
		const relay_url = new URL(other.baseUrl).origin;
		expect(await used.drive(undefined, { relay_url }).run('new_inbound_sms', 'performList')).toMatchObject([
			{ id: 'evt_1' },
		]);
	});
});
