import { useSandbox } from '../support/useSandbox';
import { cacheServer } from '../support/zapier/cacheServer';
import { useRelay } from '../support/zapier/useRelay';
import { zapierHooks, type ZapierHooks } from '../support/zapier/zapierHooks';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

const { sandbox, control } = useSandbox();
const used = useRelay(() => ({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey }));

let hooks: ZapierHooks;
beforeEach(async () => {
	hooks = await zapierHooks(used.account());
});
afterEach(async () => await hooks[Symbol.asyncDispose]());

const hours = { from: '+233201234567', to: 'KOFISHOP', message: 'HOURS', message_id: 'in_1', keyword: null };
const stop = { from: '+233201234568', to: 'KOFISHOP', message: 'Stop!', message_id: 'in_2', keyword: 'stop' };

describe('Zaps on one trigger', () => {
	it('starts every Zap, and the others still after one is turned off', async () => {
		const [one, other] = [await hooks.turnOn('new_inbound_sms'), await hooks.turnOn('new_inbound_sms')];
		expect(await used.relay.publish('sms.inbound', hours, 'evt_1')).toEqual([200, 200]);
		await one.turnOff();
		expect(await used.relay.publish('sms.inbound', hours, 'evt_2')).toEqual([200]);
		expect([one, other].map(({ runs }) => runs.map(({ id }) => id))).toEqual([['evt_1'], ['evt_1', 'evt_2']]);
		expect(used.relay.subscriptions.size).toBe(1);
	});

	it('starts no Zap for an opt-out, unless the Zap asks for it', async () => {
		const usual = await hooks.turnOn('new_inbound_sms');
		const including = await hooks.turnOn('new_inbound_sms', { include_opt_outs: true });
		await used.relay.publish('sms.inbound', stop, 'evt_1');
		expect([usual.runs.length, including.runs.length]).toEqual([0, 1]);
	});

	it('loses its subscription with the next event if Zapier forgot the Zap', async () => {
		const zap = await hooks.turnOn('new_inbound_sms');
		zap.vanish();
		expect(await used.relay.publish('sms.inbound', hours)).toEqual([410]);
		expect(used.relay.subscriptions.size).toBe(0);
	});

	it('sends one reply if the relay delivers an event twice, with the ID as Send Once Key', async () => {
		await using cache = await cacheServer();
		const zap = await hooks.turnOn('new_inbound_sms');
		await used.relay.publish('sms.inbound', hours, 'evt_1');
		// As after a response that was lost.
		await used.relay.repeat('evt_1');
		expect(zap.runs.map(({ id }) => id)).toEqual(['evt_1', 'evt_1']);
		const reply = { sender_id: 'KOFISHOP', message: 'We are open 8 am to 6 pm.' };
		const sent = [];
		for (const { id, from } of zap.runs) {
			const app = driveApp(used.account(), { rpc_base: cache.rpcBase });
			sent.push(await app.run(methods.sendSms, { ...reply, to: from, send_once_key: id }));
		}
		expect(sent).toMatchObject([{ already_sent: false }, { already_sent: true }]);
		expect(await control.messages()).toHaveLength(1);
	});
});
