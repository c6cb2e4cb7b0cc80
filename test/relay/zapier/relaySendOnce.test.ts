import { z } from 'zod/v4';
import { contract, createClient, sendOnceIdempotencyKey } from '../../../shared';
import { undiciTransport } from '../../../shared/transports/undici';
import { NOTHING_SENT } from '../../support/promises';
import { cacheServer, type CacheServer } from '../../support/zapier/cacheServer';
import { haltedFor } from '../../support/zapier/haltedFor';
import { lossyProxy } from '../../support/lossyProxy';
import { useSendingRelay } from '../../support/zapier/sendingRelay';
import { driveApp, methods, type Account, type Surroundings } from '../../support/zapier/zapierTestApp';

/** Sends through a real relay, in front of a sandbox. Each test has its own Send Once Key, because the relay keeps keys. */
const used = useSendingRelay();
const { control } = used;

const sms = { to: '+233201234567', sender_id: 'KOFISHOP', message: 'Your order is ready.' };

let cache: CacheServer;
beforeEach(async () => {
	cache = await cacheServer();
});
afterEach(async () => {
	// With a relay, Zapier's cache is never used.
	expect(cache.sets).toEqual([]);
	await cache[Symbol.asyncDispose]();
	await used.settle('send_again');
});

let keys = 0;
const newKey = () => `order ${(keys += 1)}`;

const app = (surroundings: Surroundings = {}, more: Account = {}) =>
	driveApp({ ...used.account(), ...more }, { rpc_base: cache.rpcBase, ...surroundings });
const sample = z.looseObject({ message_id: z.string().nullable(), already_sent: z.boolean() });
const send = async (send_once_key: unknown, more: Readonly<Record<string, unknown>> = {}) =>
	sample.parse(await app().run(methods.sendSms, { ...sms, send_once_key, ...more }));
const failToSend = async (send_once_key: unknown, more: Readonly<Record<string, unknown>> = {}) =>
	await app().failure(methods.sendSms, { ...sms, send_once_key, ...more });
const sent = async () => (await control.messages()).length;

describe('step with a Send Once Key, through a relay', () => {
	it('sends once over any number of replays, and returns the first result', async () => {
		const key = newKey();
		const first = await send(key);
		expect(first).toMatchObject({ status: 'submitted', to: sms.to, already_sent: false });
		for (let replay = 0; replay < 3; replay += 1) {
			expect(await send(key)).toEqual({ ...first, already_sent: true });
		}
		expect(await sent()).toBe(1);
		expect((await control.wallet()).balance).toBe(39.95);
	});

	it.each<[string, Record<string, unknown>]>([
		['another recipient', { to: '+233201234568' }],
		['another message', { message: 'Your order is late.' }],
		['another sender', { sender_id: 'KOFISHOP2' }],
	])('halts and sends nothing if its key was used for %s', async (_, more) => {
		const key = newKey();
		await send(key);
		const failure = await failToSend(key, more);
		expect(failure).toMatchObject(haltedFor('Send Once Key', 'another message', NOTHING_SENT));
		expect(await sent()).toBe(1);
	});

	it.each(['drop_after', 'drop_before', 'half_json'])(
		'halts a replay after an unknown outcome (%s), and sends again only if a person says so',
		async (kind) => {
			const key = newKey();
			await control.fault({ endpoint: 'sms.send', kind });
			const first = await failToSend(key);
			expect(first.name).toBe('AppError');
			expect(first.message).toContain('settle it on the page of the relay');
			const before = await sent();
			for (let replay = 0; replay < 2; replay += 1) {
				const replayed = await failToSend(key);
				expect(replayed.name).toBe('HaltedError');
				expect(replayed.message).toMatch(/^An earlier run with this Send Once Key may have sent this/);
				expect(replayed.message).toContain('the page of the relay');
				expect(replayed.message).not.toContain(NOTHING_SENT);
			}
			expect(await sent()).toBe(before);
			expect(await used.unknown()).toEqual([sms.to]);
			await used.settle('send_again');
			expect(await send(key)).toMatchObject({ already_sent: false });
			expect(await send(key)).toMatchObject({ already_sent: true });
			expect(await sent()).toBe(before + 1);
		},
		60_000,
	);

	it.each<[string, string, Record<string, unknown>]>([
		['a message', 'sms.send', {}],
		['a scheduled message', 'sms.sendBulk', { send_at: '2031-12-24T08:30:00.000Z' }],
	])('succeeds with its own fields after a person said that %s arrived', async (_, endpoint, more) => {
		const key = newKey();
		await control.fault({ endpoint, kind: 'drop_after' });
		await failToSend(key, more);
		await used.settle('arrived');
		expect(await send(key, more)).toMatchObject({
			outcome: 'accepted',
			message_id: null,
			cost: null,
			to: sms.to,
			sender_id: sms.sender_id,
			segment_count: 1,
			send_at: null,
			...more,
			already_sent: true,
		});
		expect(await sent()).toBe(1);
	});

	it('schedules a message once over any number of replays', async () => {
		const key = newKey();
		const send_at = '2031-12-24T08:30:00.000Z';
		const first = await send(key, { send_at });
		expect(first).toMatchObject({ send_at, already_sent: false });
		const { batch_id, message_id } = first;
		expect(message_id).toEqual(expect.any(String));
		expect(await send(key, { send_at })).toMatchObject({
			...{ outcome: 'accepted', send_at, batch_id, message_id, already_sent: true },
		});
		expect(await failToSend(key)).toMatchObject(haltedFor('Send Once Key', 'another message', NOTHING_SENT));
		expect(await sent()).toBe(1);
	});

	it.each<[string, Record<string, unknown>]>([
		['a 422', { kind: 'answer', status: 422 }],
		['a stray 401', { kind: 'answer', status: 401 }],
	])('sends a message in a replay after %s', async (_, fault) => {
		const key = newKey();
		await control.fault({ endpoint: 'sms.send', ...fault });
		expect(await failToSend(key)).toMatchObject({ name: 'AppError' });
		expect(await send(key)).toMatchObject({ already_sent: false });
		expect(await sent()).toBe(1);
	});

	it('reruns later if the service limits the rate for longer than the step may take', async () => {
		const key = newKey();
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 429, headers: { 'Retry-After': '90' } });
		expect(await failToSend(key)).toMatchObject({ name: 'ThrottledError', delay: expect.any(Number) as number });
		await used.restart();
		expect(await send(key)).toMatchObject({ already_sent: false });
	}, 60_000);

	it.each<[keyof typeof methods, number, Record<string, unknown>]>([
		['sendWhatsappMessage', 0.08, {}],
		['sendEmail', 0.01, { to: 'ama@example.com', subject: 'Order' }],
		['makeVoiceCall', 0.2, {}],
		['sendVerificationCode', 0.05, { phone: sms.to }],
	])('works in %s', async (name, cost, more) => {
		const inputs = { ...sms, ...more, send_once_key: newKey() };
		const first = await app().run(methods[name], inputs);
		expect(await sent()).toBe(1);
		const replayed = await app().run(methods[name], inputs);
		expect(replayed).toMatchObject({ status: expect.any(String) as string, cost, already_sent: true });
		// The relay stores the fields of the API, and no others.
		expect(first).toMatchObject({ ...Object(replayed), already_sent: false });
		expect(await sent()).toBe(1);
	});

	it('accepts a key of any length, and tells two long keys apart', async () => {
		const long = `${newKey()}${'x'.repeat(10_000)}`;
		expect(await send(`${long}1`)).toMatchObject({ already_sent: false });
		expect(await send(`${long}2`)).toMatchObject({ already_sent: false });
		expect(await send(` ${long}1\n`)).toMatchObject({ already_sent: true });
		expect(await sent()).toBe(2);
	});

	it.each<[string, unknown]>([
		['an empty text', ''],
		['no value', undefined],
		['an empty list', []],
	])('halts if the key is mapped and this run has %s', async (_, key) => {
		const raw = { ...sms, send_once_key: '{{123__id}}' };
		const failure = await app({ raw }).failure(methods.sendSms, { ...sms, send_once_key: key });
		expect(failure).toMatchObject(haltedFor('Send Once Key'));
		expect(await control.requests()).toEqual([]);
	});

	it('ignores the key in an editor test, so a changed message is sent', async () => {
		const key = newKey();
		const testing = app({ meta: { isLoadingSample: true } });
		for (const message of ['First try', 'Second try']) {
			const result = await testing.run(methods.sendSms, { ...sms, message, send_once_key: key });
			expect(result).toMatchObject({ already_sent: false });
		}
		expect(await send(key)).toMatchObject({ already_sent: false });
		expect(await sent()).toBe(3);
	});
});

describe('the Key Scope of a step, through a relay', () => {
	it('is the action by default, in all Zaps of the account', async () => {
		const key = newKey();
		const first = await send(key);
		const other = { ...sms, send_once_key: key };
		expect(await app().run(methods.sendWhatsappMessage, other)).toMatchObject({ already_sent: false });
		expect(await send(key, { key_scope: 'action' })).toEqual({ ...first, already_sent: true });
		expect(await sent()).toBe(2);
	});

	it('can be the account, so that no other action sends under the key', async () => {
		const key = newKey();
		await send(key, { key_scope: 'account' });
		const other = { ...sms, send_once_key: key, key_scope: 'account' };
		const failure = await app().failure(methods.sendWhatsappMessage, other);
		expect(failure).toMatchObject(haltedFor('Send Once Key', 'another message', NOTHING_SENT));
		expect(await send(key, { key_scope: 'account' })).toMatchObject({ already_sent: true });
		expect(await send(key)).toMatchObject({ already_sent: false });
		expect(await sent()).toBe(2);
	});

	it.each<[string, Record<string, unknown>]>([
		['now', {}],
		['later', { send_at: '2031-12-24T08:30:00.000Z' }],
	])(
		'can be the account, so that a bulk send and a single message that leaves %s do not both send',
		async (_, when) => {
			for (const order of ['single first', 'bulk first']) {
				const keyed = { send_once_key: newKey(), key_scope: 'account' };
				const single = { method: methods.sendSms, inputs: { ...sms, ...when, ...keyed } };
				const many = { method: methods.sendBulkSms, inputs: { ...sms, recipients_from: 'list', ...keyed } };
				const [first, second] = order === 'single first' ? [single, many] : [many, single];
				await app().run(first.method, first.inputs);
				const failure = await app().failure(second.method, second.inputs);
				expect(failure).toMatchObject(haltedFor('Send Once Key', 'another message', NOTHING_SENT));
			}
			expect(await sent()).toBe(2);
		},
	);

	it('shares the account with other programs, such as n8n', async () => {
		const { base_url = '', api_key = '' } = used.account();
		const client = createClient({ baseUrl: base_url, apiKey: api_key, relay: true, transport: undiciTransport() });
		const call = async (key: string) => {
			const idempotencyKey = await sendOnceIdempotencyKey({ kind: 'account' }, key);
			return await client.call(contract.sms.send, sms, { idempotencyKey });
		};
		const [elsewhere, here] = [newKey(), newKey()];
		const first = await call(elsewhere);
		const again = await send(elsewhere, { key_scope: 'account' });
		expect(again).toMatchObject({ message_id: expect.any(String) as string, already_sent: true });
		const { message_id } = again;
		expect(first).toMatchObject({ outcome: 'accepted', output: { message_id }, relay: { replayed: false } });
		const zap = await send(here, { key_scope: 'account' });
		const output = { message_id: zap.message_id };
		expect(await call(here)).toMatchObject({ outcome: 'accepted', output, relay: { replayed: true } });
		expect(await sent()).toBe(2);
	});

	it.each<[string, unknown]>([
		['another word', 'zap'],
		['a list', ['account', 'action']],
	])('halts the step if it is %s', async (_, key_scope) => {
		expect(await failToSend(newKey(), { key_scope })).toMatchObject(haltedFor('Key Scope'));
		expect(await control.requests()).toEqual([]);
	});

	it('halts the step if it is mapped and empty in this run', async () => {
		const raw = { ...sms, send_once_key: '7', key_scope: '{{123__scope}}' };
		const inputs = { ...sms, send_once_key: newKey(), key_scope: '' };
		expect(await app({ raw }).failure(methods.sendSms, inputs)).toMatchObject(haltedFor('Key Scope'));
	});

	it('halts the step if it is the account, without a relay', async () => {
		const direct = { base_url: used.sandbox.baseUrl, base_url_is_relay: 'false' };
		const inputs = { ...sms, send_once_key: newKey(), key_scope: 'account' };
		const failure = await app({}, direct).failure(methods.sendSms, inputs);
		expect(failure).toMatchObject(haltedFor('Key Scope', 'relay', NOTHING_SENT));
		expect(await control.requests()).toEqual([]);
	});
});

describe('step without a Send Once Key, through a relay', () => {
	it('sends in every run', async () => {
		for (let run = 0; run < 2; run += 1) expect(await send('')).toMatchObject({ already_sent: false });
		expect(await sent()).toBe(2);
	});

	it.each([1, 2])('sends once if %i responses of the relay get lost', async (lose) => {
		await using proxy = await lossyProxy(used.relay.url);
		proxy.lose(lose);
		const result = await app({}, { base_url: `${proxy.url}/api/v1/` }).run(methods.sendSms, sms);
		expect(result).toMatchObject({ status: 'submitted', already_sent: false });
		expect(await sent()).toBe(1);
		const posts = proxy.sends();
		expect(posts).toHaveLength(lose + 1);
		expect(new Set(posts.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
	});

	it('halts if all responses of the relay get lost', async () => {
		await using proxy = await lossyProxy(used.relay.url);
		proxy.lose(100);
		const failure = await app({}, { base_url: `${proxy.url}/api/v1/` }).failure(methods.sendSms, sms);
		expect(failure.name).toBe('HaltedError');
		expect(failure.message).toContain('Replaying this step would send it again');
		expect(await sent()).toBe(1);
	});
});
