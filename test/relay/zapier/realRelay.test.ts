import { z } from 'zod/v4';
import { eventually } from '../../support/eventually';
import { startRelay, type Relay } from '../../support/relay/relay';
import { useSandbox } from '../../support/useSandbox';
import { zapierHooks, type Zap, type ZapierHooks } from '../../support/zapier/zapierHooks';
import { driveApp, methods, type Account } from '../../support/zapier/zapierTestApp';

/** The instant triggers on the relay itself, with Zapier's hooks on loopback. */
const { sandbox } = useSandbox();

let relay: Relay;
let account: Account;
let hooks: ZapierHooks;
beforeAll(async () => {
	relay = await startRelay();
	const token = z.object({ id: z.string(), token: z.string() });
	const created = token.parse(await (await relay.api('POST', '/v1/tokens', { name: 'Kofi', kind: 'zapier' })).json());
	account = {
		base_url: sandbox.baseUrl,
		api_key: sandbox.apiKey,
		relay_url: relay.url,
		relay_token: created.token,
	};
	hooks = await zapierHooks(account);
}, 120_000);
afterAll(async () => {
	await hooks[Symbol.asyncDispose]();
	await relay.stop();
});

const run = async (trigger: string, method: string, inputs = {}, meta = {}) =>
	await driveApp(account, { meta }).run(`triggers.${trigger}.operation.${method}`, inputs);
const sms = async (message: string, from: string) => {
	expect((await relay.post({ from, to: 'KOFISHOP', message }, { path: '/sms' })).status).toBe(200);
};
const receipt = async (message_id: string, status: string, channel: string) => {
	expect((await relay.post({ message_id, status, to: '+233201234567', channel })).status).toBe(200);
};
const subscriptions = async () =>
	z
		.object({ data: z.array(z.looseObject({ url: z.string() })) })
		.parse(await (await relay.api('GET', '/v1/subscriptions')).json()).data;
/** Waits for this many runs of a Zap. Events of different messages arrive in any order. */
const ran = async (zap: Zap, count: number) =>
	await eventually(`${count} runs`, () => (zap.runs.length >= count ? zap.runs : undefined));

it('tests the connection', async () => {
	expect(await driveApp(account).run(methods.test)).toMatchObject({ balance: 40 });
	const failed = await driveApp({ ...account, relay_token: 'rly_other' }).failure(methods.test);
	expect(failed).toMatchObject({ name: 'AppError', code: 'unauthorized', status: 401 });
});

it('starts each Zap for the inbound messages that pass its filters', async () => {
	const all = await hooks.turnOn('new_inbound_sms');
	const optOuts = await hooks.turnOn('new_inbound_sms', { keyword: 'stop' });
	const some = await hooks.turnOn('new_inbound_sms', { keyword: 'hours, price', to: 'kofishop' });
	const other = await hooks.turnOn('new_inbound_sms', { to: '1234', include_opt_outs: true });
	await sms('Hours!', '+233201234561');
	await sms('Stop', '+233201234562');
	await sms('Are you open?', '+233201234563');
	await sms('END', '+233201234564');
	await sms('Stop Kofishop pls', '+233201234566');
	await sms('HOURS', '+233201234565');
	await ran(all, 3);
	await ran(optOuts, 3);
	await ran(some, 2);
	const said = ({ runs }: Zap) => runs.map(({ message }) => message).sort();
	expect(said(all)).toEqual(['Are you open?', 'HOURS', 'Hours!']);
	expect(said(optOuts)).toEqual(['END', 'Stop', 'Stop Kofishop pls']);
	expect(said(some)).toEqual(['HOURS', 'Hours!']);
	expect(said(other)).toEqual([]);
	const listed = z.array(z.object({ message: z.string() }).loose());
	const shown = listed.parse(await run('new_inbound_sms', 'performList', { keyword: 'hours, price', to: 'kofishop' }));
	expect(shown.map(({ message }) => message)).toEqual(['HOURS', 'Hours!']);
	expect(shown[0]).toEqual(some.runs.find(({ message }) => message === 'HOURS'));
	for (const zap of [all, optOuts, some, other]) await zap.turnOff();
	expect(await subscriptions()).toEqual([]);
});

it('starts a Zap for receipts by status and channel', async () => {
	const usual = await hooks.turnOn('message_status_updated');
	const sent = await hooks.turnOn('message_status_updated', { statuses: ['sent'], channel: 'whatsapp' });
	await receipt('msg_1', 'sent', 'WhatsApp');
	await receipt('msg_2', 'sent', 'sms');
	await receipt('msg_1', 'DELIVRD', 'whatsapp');
	await receipt('msg_2', 'undelivered', 'sms');
	await ran(usual, 2);
	await ran(sent, 1);
	const facts = ({ runs }: Zap) =>
		runs.map(({ message_id, status }) => `${String(message_id)} ${String(status)}`).sort();
	expect(facts(usual)).toEqual(['msg_1 delivered', 'msg_2 failed']);
	expect(facts(sent)).toEqual(['msg_1 sent']);
	const shown = await run('message_status_updated', 'performList', { statuses: ['sent'], channel: 'whatsapp' });
	expect(shown).toEqual(sent.runs);
	expect(await run('message_status_updated', 'performList', {}, { isLoadingSample: true })).toHaveLength(2);
	for (const zap of [usual, sent]) await zap.turnOff();
});

it('starts a Zap for an inbound WhatsApp message', async () => {
	const zap = await hooks.turnOn('new_inbound_whatsapp_message');
	const message = { from: 'whatsapp:+233201234567', to: '+233302123456', message: 'Open {{today}}? 😀' };
	expect((await relay.post(message, { path: '/whatsapp' })).status).toBe(200);
	const row = { from: '+233201234567', to: '+233302123456', message: message.message };
	expect(await ran(zap, 1)).toMatchObject([row]);
	await zap.turnOff();
});

it('removes the subscription of a Zap that Zapier forgot, with the next event', async () => {
	const [one, two] = [await hooks.turnOn('new_inbound_sms'), await hooks.turnOn('new_inbound_sms')];
	one.vanish();
	await sms('Anyone there?', '+233201234566');
	await ran(two, 1);
	await eventually('the end of a subscription', async () => ((await subscriptions()).length === 1 ? true : undefined));
	expect((await subscriptions())[0]?.url).toBe(two.url);
	await two.turnOff();
});

it('starts no run for a test from the page of the relay', async () => {
	const zap = await hooks.turnOn('new_inbound_sms');
	const { id } = z.object({ id: z.string() }).parse(zap.subscribeData);
	const sent = await relay.api('POST', `/v1/subscriptions/${id}/test`, {});
	const event = z.object({ id: z.string() }).parse(await sent.json());
	const deliveries = z.object({ deliveries: z.array(z.object({ state: z.string() })) });
	await eventually('delivery of the test', async () => {
		const found = deliveries.parse(await (await relay.api('GET', `/v1/events/${event.id}`)).json());
		return found.deliveries[0]?.state === 'delivered' ? true : undefined;
	});
	expect(zap.runs).toEqual([]);
	await zap.turnOff();
});

it('shows why a token of the kind Zapier may not use a URL outside Zapier', async () => {
	const app = driveApp(account, { hook: { targetUrl: 'https://shop.example/hook' } });
	const failed = await app.failure('triggers.new_inbound_sms.operation.performSubscribe');
	expect(failed).toMatchObject({ name: 'AppError', code: 'url_blocked', status: 422 });
	expect(failed.message).toMatch(/^The relay reports: .*hooks\.zapier\.com/);
});
