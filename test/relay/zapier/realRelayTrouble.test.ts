import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod/v4';
import { eventually } from '../../support/eventually';
import { accept, listEvents, readEvent } from '../../support/relay/api';
import { QUICK } from '../../support/relay/quick';
import { startReceiver, type Receiver } from '../../support/relay/receiver';
import { startRelay, type Relay } from '../../support/relay/relay';
import { receipt } from '../../support/relay/requests';
import { useSandbox } from '../../support/useSandbox';
import { cacheServer } from '../../support/zapier/cacheServer';
import { zapierHooks, type Zap, type ZapierHooks, type ZapierResponse } from '../../support/zapier/zapierHooks';
import { driveApp, methods, type Account } from '../../support/zapier/zapierTestApp';

/** Instant triggers on the relay itself when something fails. Zapier's hooks are on loopback. */
const { sandbox, control } = useSandbox();

const DEDUPLICATION_SECONDS = 2;
let relay: Relay;
let callback: Receiver;
let account: Account;
let hooks: ZapierHooks;

beforeAll(async () => {
	callback = await startReceiver();
	const env = {
		RELAY_SERVICE_URL: sandbox.baseUrl,
		RELAY_CALLBACK_URL: callback.url,
		RELAY_DEDUPLICATION_SECONDS: String(DEDUPLICATION_SECONDS),
	};
	relay = await startRelay({ env, settings: { ...QUICK, waits: { ...QUICK.waits, response: 2_000 } } });
	account = { base_url: sandbox.baseUrl, api_key: sandbox.apiKey, ...(await connection()).fields };
	hooks = await zapierHooks(account);
}, 120_000);
afterAll(async () => {
	await hooks[Symbol.asyncDispose]();
	await relay.stop();
	await callback.close();
});
// Each test has its own Zaps, so that no other one starts them.
afterEach(async () => {
	for (const { id, kind } of await subscriptions()) {
		if (kind === 'zapier') await relay.api('DELETE', `/v1/subscriptions/${id}`);
	}
});

const newToken = z.object({ id: z.string(), token: z.string() });
const subscriptionList = z.object({ data: z.array(z.object({ id: z.string(), url: z.string(), kind: z.string() })) });

/** Creates a token of the kind Zapier. @returns its ID, and the relay's fields of a connection with it */
async function connection() {
	const created = await relay.api('POST', '/v1/tokens', { name: 'Kofi', kind: 'zapier' });
	const { id, token } = newToken.parse(await created.json());
	return { id, fields: { relay_url: relay.url, relay_token: token } };
}

async function subscriptions() {
	return subscriptionList.parse(await (await relay.api('GET', '/v1/subscriptions')).json()).data;
}

const ran = async (zap: Zap, count: number, withinMs?: number) =>
	await eventually(`${count} runs`, () => (zap.runs.length >= count ? zap.runs : undefined), withinMs);
const sms = async (message: string, from = '+233201234567') =>
	await accept(relay, { from, to: 'KOFISHOP', message }, { path: '/sms' });
const statusesOf = ({ runs }: Zap) => runs.map(({ status }) => status);
const all = { statuses: ['submitted', 'sent', 'delivered'] };

describe('a Zap whose URL fails first', () => {
	it('runs once for each event, later and in the order of each message', async () => {
		const failures: readonly ZapierResponse[] = [
			429,
			{ status: 429, headers: { 'retry-after': '1' } },
			500,
			'cut',
			'hang',
			{ status: 302, headers: { location: callback.url } },
		];
		const zaps = [];
		for (const failure of failures) {
			const zap = await hooks.turnOn('message_status_updated', all);
			zap.respond = (count) => (count === 0 ? failure : 200);
			zaps.push(zap);
		}
		for (const status of ['submitted', 'sent', 'delivered']) await accept(relay, receipt('msg_trouble', status));
		for (const zap of zaps) await ran(zap, 3, 60_000);
		await sleep(300);
		for (const zap of zaps) {
			expect(statusesOf(zap)).toEqual(['submitted', 'sent', 'delivered']);
			expect(new Set(zap.runs.map(({ id }) => id)).size).toBe(3);
			expect(zap.posts).toHaveLength(4);
		}
		const [, limited] = zaps;
		expect((limited?.posts[1] ?? 0) - (limited?.posts[0] ?? 0)).toBeGreaterThanOrEqual(1_000);
		// The three receipts, and no redirected request.
		expect(callback.requests).toHaveLength(3);
	}, 120_000);

	it('runs twice with one ID if its response is lost, and a Send Once Key sends one reply', async () => {
		await using cache = await cacheServer();
		const zap = await hooks.turnOn('new_inbound_sms');
		zap.respond = (count) => (count === 0 ? 'lost' : 200);
		const { id } = await sms('Are you open?');
		const runs = await ran(zap, 2, 60_000);
		expect(runs.map((run) => run.id)).toEqual([id, id]);
		const sent = [];
		for (const run of runs) {
			const reply = { to: run.from, sender_id: 'KOFISHOP', message: 'Until 6 pm.', send_once_key: run.id };
			sent.push(await driveApp(account, { rpc_base: cache.rpcBase }).run(methods.sendSms, reply));
		}
		expect(sent).toMatchObject([{ already_sent: false }, { already_sent: true }]);
		expect(await control.messages()).toHaveLength(1);
	}, 90_000);

	it('loses its subscription after 404 three times, and gets no further request', async () => {
		const zap = await hooks.turnOn('new_inbound_sms');
		zap.respond = () => 404;
		for (const message of ['One', 'Two', 'Three']) await sms(message);
		await eventually('the end of the subscription', async () =>
			(await subscriptions()).some(({ url }) => url === zap.url) ? undefined : true,
		);
		expect(zap.posts).toHaveLength(3);
		const { id } = await sms('Four');
		expect((await readEvent(relay, id ?? '')).deliveries.map(({ subscription }) => subscription.url)).not.toContain(
			zap.url,
		);
		expect(zap.farewells).toBe(0);
	}, 60_000);
});

describe('events that arrive more than once', () => {
	it('start a Zap once for the same words at once, and again after the window', async () => {
		const zap = await hooks.turnOn('new_inbound_sms');
		const first = [await sms('YES'), await sms('YES')];
		expect(first.map(({ duplicate }) => duplicate)).toEqual([false, true]);
		const later = await eventually('the end of the window', async () => {
			const result = await sms('YES');
			return result.duplicate ? undefined : result;
		});
		await ran(zap, 2);
		expect(zap.runs.map(({ id }) => id).sort()).toEqual([first[0]?.id, later.id].sort());
	});

	it('start a Zap once for a receipt that arrives three times, and not for one behind its message', async () => {
		const zap = await hooks.turnOn('message_status_updated', all);
		for (let copy = 0; copy < 3; copy += 1) await accept(relay, receipt('msg_copies', 'delivered'));
		await accept(relay, receipt('msg_copies', 'sent'));
		await accept(relay, receipt('msg_after', 'sent'));
		await ran(zap, 2);
		expect(zap.runs.map(({ message_id, status }) => `${String(message_id)} ${String(status)}`).sort()).toEqual([
			'msg_after sent',
			'msg_copies delivered',
		]);
	});
});

describe('events for a Zap and for others', () => {
	it('forward a STOP to the service, and start only the Zap that includes opt-outs', async () => {
		const from = '+233206661234';
		const usual = await hooks.turnOn('new_inbound_sms');
		const including = await hooks.turnOn('new_inbound_sms', { include_opt_outs: true });
		await sms('Stop!', from);
		await ran(including, 1);
		await eventually('the opt-out', async () =>
			JSON.stringify(await control.ask('GET', 'opt-outs')).includes(from) ? true : undefined,
		);
		// An event after it shows that the usual Zap works.
		await sms('Thank you', from);
		await ran(usual, 1);
		await ran(including, 2);
		expect([usual, including].map(({ runs }) => runs.map(({ message }) => message))).toEqual([
			['Thank you'],
			expect.arrayContaining(['Stop!', 'Thank you']),
		]);
		const blocked = await driveApp(account).failure(methods.sendSms, {
			to: from,
			sender_id: 'KOFISHOP',
			message: 'Offer',
		});
		expect(blocked.message).toMatch(/opted out/i);
	});

	it('reach the previous callback URL and the Zap', async () => {
		const before = callback.requests.length;
		const zap = await hooks.turnOn('message_status_updated');
		await accept(relay, receipt('msg_both', 'delivered'));
		await ran(zap, 1);
		await eventually('the callback', () => (callback.requests.length > before ? true : undefined));
		expect(callback.requests.slice(before).map(({ text }) => JSON.parse(text) as unknown)).toEqual([
			receipt('msg_both', 'delivered'),
		]);
	});
});

describe('the subscription of a Zap', () => {
	const subscribe = 'triggers.new_inbound_sms.operation.performSubscribe';

	it('is one for one URL, also if Zapier subscribes twice, and the other Zap of the trigger keeps its own', async () => {
		const [one, other] = [await hooks.turnOn('new_inbound_sms'), await hooks.turnOn('new_inbound_sms')];
		const again = await driveApp(account, { hook: { targetUrl: one.url } }).run(subscribe);
		expect(again).toEqual(one.subscribeData);
		expect((await subscriptions()).map(({ url }) => url)).toEqual(expect.arrayContaining([one.url, other.url]));
		await sms('Both?');
		await Promise.all([ran(one, 1), ran(other, 1)]);
		await one.turnOff();
		await sms('Only one?');
		await ran(other, 2);
		expect([one.runs.length, one.posts.length, one.farewells]).toEqual([1, 1, 0]);
	});

	it('is the only one that stays after the next event, if Zapier edits a Zap and never unsubscribes', async () => {
		const versions = [];
		for (let version = 0; version < 3; version += 1) versions.push(await hooks.turnOn('new_inbound_sms'));
		for (const old of versions.slice(0, 2)) old.vanish();
		await sms('Edited?');
		await eventually('the end of the old ones', async () =>
			(await subscriptions()).filter(({ kind }) => kind === 'zapier').length === 1 ? true : undefined,
		);
		expect((await subscriptions()).map(({ url }) => url)).toContain(versions[2]?.url);
	});

	it('ends with its token, and Zapier learns it once for each Zap of the token', async () => {
		const revoked = await connection();
		const mine = await zapierHooks({ ...account, ...revoked.fields });
		const kept = await hooks.turnOn('new_inbound_sms');
		const zaps = [await mine.turnOn('new_inbound_sms'), await mine.turnOn('message_status_updated')];
		expect((await relay.api('DELETE', `/v1/tokens/${revoked.id}`)).status).toBe(204);
		await eventually('the requests to Zapier', () => (zaps.every(({ farewells }) => farewells > 0) ? true : undefined));
		await sms('After the token');
		await ran(kept, 1);
		expect(zaps.map(({ posts, farewells }) => [posts.length, farewells])).toEqual([
			[0, 1],
			[0, 1],
		]);
		expect(kept.farewells).toBe(0);
		await mine[Symbol.asyncDispose]();
	});

	it('ends on the page of the relay, and Zapier learns it', async () => {
		const zap = await hooks.turnOn('new_inbound_sms');
		const { id } = z.object({ id: z.string() }).parse(zap.subscribeData);
		await relay.api('DELETE', `/v1/subscriptions/${id}`);
		await eventually('the request to Zapier', () => (zap.farewells > 0 ? true : undefined));
		expect(zap.farewells).toBe(1);
	});

	it.each([
		['https://shop.example/hook', 'url_blocked'],
		['https://hooks.zapier.com.shop.example/hooks/standard/1/2/', 'url_blocked'],
		['https://hooks.zapier.com@shop.example/', 'invalid'],
		['http://hooks.zapier.com/hooks/standard/1/2/', 'url_needs_https'],
		['https://127.0.0.2/', 'url_blocked'],
		['https://2130706434/', 'url_blocked'],
		['https://10.0.0.1/', 'url_blocked'],
		['https://169.254.169.254/latest/meta-data/', 'url_blocked'],
		['https://[::1]/', 'url_blocked'],
		['https://[::ffff:7f00:2]/', 'url_blocked'],
		['file:///etc/passwd', 'invalid'],
		['', 'invalid'],
	])('is rejected for the URL “%s” (%s)', async (targetUrl, code) => {
		const failed = await driveApp(account, { hook: { targetUrl } }).failure(subscribe);
		expect(failed).toMatchObject({ name: 'AppError', status: 422, code });
		expect((await subscriptions()).map(({ kind }) => kind)).not.toContain('zapier');
	});
});

it('leaves no event out of the log, whatever happened to its Zaps', async () => {
	const events = await listEvents(relay, '?limit=100');
	const said = events.filter(({ type }) => type === 'sms.inbound').map(({ data }) => data.message);
	expect(said).toEqual(expect.arrayContaining(['Are you open?', 'One', 'Four', 'Stop!']));
});
