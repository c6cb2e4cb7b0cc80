import { z } from 'zod/v4';
import { startSandbox } from '../../sandbox/server';
import { NOTHING_SENT } from '../support/promises';
import { sandboxControl } from '../support/sandboxControl';
import { skipWaits } from '../support/skipWaits';
import { useSandbox } from '../support/useSandbox';
import { cacheServer, type CacheServer } from '../support/zapier/cacheServer';
import { haltedFor } from '../support/zapier/haltedFor';
import { driveApp, methods, type Account, type Surroundings } from '../support/zapier/zapierTestApp';

const sms = { to: '+233201234567', sender_id: 'KOFISHOP', message: 'Your order is ready.', send_once_key: 'order 7' };

const { sandbox, control } = useSandbox();
let cache: CacheServer;
beforeEach(async () => {
	cache = await cacheServer();
});
afterEach(() => cache[Symbol.asyncDispose]());

const account = (more: Account = {}, surroundings: Surroundings = {}) =>
	driveApp(
		{ base_url: sandbox.baseUrl, api_key: sandbox.apiKey, ...more },
		{ rpc_base: cache.rpcBase, ...surroundings },
	);
const send = (more: Readonly<Record<string, unknown>> = {}) => account().run(methods.sendSms, { ...sms, ...more });
const failToSend = (more: Readonly<Record<string, unknown>> = {}) =>
	account().failure(methods.sendSms, { ...sms, ...more });
const sent = async () => (await control.messages()).length;

describe('step with a Send Once Key', () => {
	it('sends once over any number of replays, and returns the first result', async () => {
		const first = await send();
		expect(first).toMatchObject({ status: 'submitted', already_sent: false });
		for (let replay = 0; replay < 3; replay++) {
			expect(await send()).toEqual({ ...(first as object), already_sent: true });
		}
		expect(await sent()).toBe(1);
		expect(await control.requests()).toHaveLength(1);
		expect((await control.wallet()).balance).toBe(39.95);
	});

	it('sends once if five runs start at the same time', async () => {
		const runs = await Promise.allSettled(Array.from({ length: 5 }, () => send()));
		expect(await sent()).toBe(1);
		expect(runs.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
	});

	it.each<[string, Record<string, unknown>]>([
		['another key', { send_once_key: 'order 8' }],
		['no key', { send_once_key: '' }],
		['spaces for a key', { send_once_key: '  ' }],
	])('sends again with %s', async (_, more) => {
		await send();
		expect(await send(more)).toMatchObject({ already_sent: false });
		expect(await sent()).toBe(2);
	});

	it('keeps the keys of steps and connections apart', async () => {
		await send();
		await account().run(methods.sendVerificationCode, { ...sms, phone: sms.to });
		expect(await sent()).toBe(2);
		const names = [...cache.entries.keys()];
		await using other = await startSandboxOfItsOwn();
		await account(other.account).run(methods.sendSms, sms);
		expect(await other.control.messages()).toHaveLength(1);
		expect(new Set([...names, ...cache.entries.keys()]).size).toBe(3);
	});

	it('stores no key, number or message, for seven days and this connection only', async () => {
		await send();
		expect(cache.sets.map(({ ttl, scope }) => [ttl, scope])).toEqual([
			[604_800, ['auth']],
			[604_800, ['auth']],
		]);
		const kept = JSON.stringify([...cache.entries]);
		for (const secret of [sms.to, sms.message, sms.send_once_key, sandbox.apiKey]) expect(kept).not.toContain(secret);
	});

	it.each<[string, keyof typeof methods, Record<string, unknown>, Record<string, unknown>]>([
		['another recipient', 'sendSms', {}, { to: '+233201234568' }],
		['another text', 'sendSms', {}, { message: 'Your order has left our shop.' }],
		['another sender ID', 'sendSms', {}, { sender_id: 'AMASHOP' }],
		['another time', 'sendSms', {}, { send_at: '2030-01-01T10:00:00Z' }],
		['another email subject', 'sendEmail', { to: 'ama@example.com', subject: 'A' }, { subject: 'B' }],
		['a code for another number', 'sendVerificationCode', { phone: sms.to }, { phone: '+233201234568' }],
		['a third number', 'sendBulkSms', { to: [sms.to] }, { to: [sms.to, '+233201234568'] }],
		['another bulk message', 'sendBulkSms', { to: [sms.to] }, { message: 'Closed on Friday' }],
	])('halts under a used key with %s, and names the key and the recipient', async (_, name, inputs, change) => {
		await account().run(methods[name], { ...sms, ...inputs });
		const changed = { ...sms, ...inputs, ...change };
		const before = await sent();
		const failure = await account().failure(methods[name], changed);
		expect(failure.name).toBe('HaltedError');
		const recipient = String(
			[name === 'sendVerificationCode' && 'phone' in changed ? changed.phone : changed.to].flat()[0],
		);
		for (const part of ['Send Once Key', sms.send_once_key, recipient, NOTHING_SENT]) {
			expect(failure.message).toContain(part);
		}
		expect(await sent()).toBe(before);
	});

	it('returns the first result for the same numbers in another order', async () => {
		const to = [sms.to, '+233201234568'];
		const first = await account().run(methods.sendBulkSms, { ...sms, to });
		const second = await account().run(methods.sendBulkSms, { ...sms, to: [...to].reverse() });
		expect(second).toEqual({ ...Object(first), already_sent: true });
	});

	it('recognizes a scheduled message whose time the Sending Hours chose at the first run', async () => {
		const hours = { hours_from: '08:00', hours_until: '08:01', hours_time_zone: 'Etc/GMT+12' };
		const first = await send(hours);
		expect(await send(hours)).toEqual({ ...Object(first), already_sent: true });
	});

	it.each([
		['text', JSON.stringify('1')],
		[
			'an entry of an earlier version',
			JSON.stringify({ run: 'a', to: 'b', state: 'accepted', output: { message_id: 'x' } }),
		],
	])('halts if the cache holds %s', async (_, stored) => {
		await send();
		for (const name of cache.entries.keys()) cache.entries.set(name, stored);
		const failure = await failToSend();
		expect(failure.name).toBe('HaltedError');
		expect(failure.message).not.toContain(NOTHING_SENT);
		expect(await sent()).toBe(1);
	});

	it.each(['drop_after', 'drop_before', 'half_json', 'html'])(
		'does not send a message again in a replay after %s',
		async (kind) => {
			await control.fault({ endpoint: 'sms.send', kind, ...(kind === 'html' && { status: 502 }) });
			const failing = failToSend();
			const first = await failing;
			expect(first.name).toBe('AppError');
			expect(first.message).toContain('Send Once Key');
			const before = await sent();
			const replayed = await failToSend();
			expect(replayed.name).toBe('HaltedError');
			expect(replayed.message).toContain('Send Once Key');
			expect(replayed.message).not.toContain(NOTHING_SENT);
			expect(await sent()).toBe(before);
			expect(await control.requests()).toHaveLength(1);
		},
		60_000,
	);

	it.each<[string, Record<string, unknown>, string]>([
		['a 429', { kind: 'answer', status: 429 }, 'ThrottledError'],
		['a 422', { kind: 'answer', status: 422 }, 'AppError'],
		['a stray 401', { kind: 'answer', status: 401 }, 'AppError'],
	])('sends a message in a replay after %s', async (_, fault, name) => {
		await control.fault({ endpoint: 'sms.send', ...fault });
		expect(await failToSend()).toMatchObject({ name });
		expect(cache.entries.size).toBe(0);
		expect(await send()).toMatchObject({ already_sent: false });
		expect(await sent()).toBe(1);
	});

	it.each(['down', 'forgetful', 'silent'] as const)(
		'sends nothing and allows a replay if the cache is %s',
		async (mood) => {
			cache.mood = mood;
			using _ = skipWaits(4_000);
			const failure = await failToSend();
			expect(failure).toMatchObject({ name: 'AppError', code: 'SendOnceKeyNotKept' });
			expect(failure.message).toContain(NOTHING_SENT);
			expect(await control.requests()).toEqual([]);
		},
	);

	it('halts a replay if the outcome could not be stored', async () => {
		cache.mood = 'down after a claim';
		expect(await send()).toMatchObject({ status: 'submitted', already_sent: false });
		cache.mood = 'kept';
		expect(await failToSend()).toMatchObject({ name: 'HaltedError' });
		expect(await sent()).toBe(1);
	});

	it('sends again after Zapier has forgotten the key', async () => {
		await send();
		cache.entries.clear();
		await send();
		expect(await sent()).toBe(2);
	});

	it('recognizes a replay even if the store ignores nx', async () => {
		cache.mood = 'ignoring nx';
		await send();
		expect(await send()).toMatchObject({ already_sent: true });
		expect(await sent()).toBe(1);
	});

	it('does not use the cache without a key', async () => {
		await send({ send_once_key: null });
		expect(cache.sets).toEqual([]);
	});

	it.each<[string, unknown]>([
		['an empty text', ''],
		['no value', undefined],
		['null', null],
		['an empty list', []],
	])('halts if the key is mapped and this run has %s', async (_, key) => {
		const raw = { ...sms, send_once_key: '{{123__id}}' };
		const failure = await account({}, { raw }).failure(methods.sendSms, { ...sms, send_once_key: key });
		expect(failure).toMatchObject(haltedFor('Send Once Key'));
		expect(await control.requests()).toEqual([]);
	});

	it.each([[['order 7']], [{ id: 7 }]])('halts if the key is %j', async (key) => {
		const failure = await failToSend({ send_once_key: key });
		expect(failure).toMatchObject(haltedFor('Send Once Key'));
		expect(await control.requests()).toEqual([]);
	});

	it.each([
		['order-', 'order-{{123__id}}'],
		['order-shipped', 'order-{{123__id}}shipped'],
		['order-undefined', '{{123__key}}'],
		['order-{{123__id}}', 'order-{{123__id}}'],
		[true, '{{123__key}}'],
		['Invalid DateTime', '{{123__key}}'],
	])('halts if the key is %j, made from %j', async (key, template) => {
		const raw = { ...sms, send_once_key: template };
		const failure = await account({}, { raw }).failure(methods.sendSms, { ...sms, send_once_key: key });
		expect(failure).toMatchObject(
			haltedFor('Send Once Key', `“${key}”`, 'one value for each message, such as 1001-shipped'),
		);
		expect(await control.requests()).toEqual([]);
	});

	it('ignores the key in an editor test, so a changed message is sent', async () => {
		const testing = account({}, { meta: { isLoadingSample: true } });
		for (const message of ['First try', 'Second try']) {
			expect(await testing.run(methods.sendSms, { ...sms, message })).toMatchObject({ already_sent: false });
		}
		expect(cache.entries.size).toBe(0);
		expect((await control.messages()).map(({ message }) => message).sort()).toEqual(['First try', 'Second try']);
		expect(await send()).toMatchObject({ already_sent: false });
	});

	it.each<[keyof typeof methods, Record<string, unknown>]>([
		['sendWhatsappMessage', {}],
		['sendEmail', { to: 'ama@example.com', subject: 'Order' }],
		['makeVoiceCall', {}],
		['sendVerificationCode', { phone: sms.to }],
		['sendBulkSms', { to: [sms.to, '+233201234568'] }],
	])('works in %s', async (name, more) => {
		const inputs = { ...sms, ...more };
		const first = await account().run(methods[name], inputs);
		const messages = await sent();
		expect(messages).toBeGreaterThan(0);
		expect(await account().run(methods[name], inputs)).toEqual({ ...(first as object), already_sent: true });
		expect(await sent()).toBe(messages);
	});
});

describe('bulk send with a Send Once Key', () => {
	const bulk = (more: Readonly<Record<string, unknown>> = {}) => ({
		...sms,
		recipients_from: 'list',
		to: ['+233201234567', '+233201234568', '+233201234569'],
		...more,
	});
	const attempt = (more: Readonly<Record<string, unknown>> = {}) => account().attempt(methods.sendBulkSms, bulk(more));
	const stop = (number: string) => control.ask('POST', 'opt-outs', { number });

	it.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
		[
			'the gateway was down',
			() =>
				control.fault({
					endpoint: 'sms.sendBulk',
					kind: 'answer',
					status: 422,
					body: { code: 'failed_send', message: 'The gateway is down' },
					times: 5,
				}),
			() => Promise.resolve(),
		],
		['all recipients had opted out', () => Promise.all(bulk().to.map(stop)), () => control.reset()],
		['the wallet was empty', () => control.emptyWallet(), () => control.adjustWallet(10)],
	])('releases its key if nothing was accepted because %s', async (_, spoil, repair) => {
		await spoil();
		expect((await attempt()).failure).toBeDefined();
		expect(cache.entries.size).toBe(0);
		await repair();
		expect((await attempt()).results).toMatchObject({ outcome: 'accepted', accepted: 3, already_sent: false });
	});

	it.each<[string, Record<string, unknown>]>([
		['excluded', { excluded_numbers: bulk().to }],
		['unreadable', { to: ['12', 'Kofi'] }],
	])('claims no key for a bulk send if all numbers are %s', async (_, more) => {
		expect((await attempt(more)).failure).toMatchObject({ name: 'HaltedError' });
		expect(cache.entries.size).toBe(0);
		expect((await attempt()).results).toMatchObject({ accepted: 3, already_sent: false });
	});

	it('claims no key for an empty mapped list', async () => {
		const raw = bulk({ to: ['{{123__numbers_to_send_again}}'] });
		const result = await account({}, { raw }).run(methods.sendBulkSms, bulk({ to: [] }));
		expect(result).toMatchObject({ outcome: 'nothing_to_send', already_sent: false });
		expect(cache.entries.size).toBe(0);
	});

	it('keeps its key if an outcome is unknown', async () => {
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'drop_before' });
		const { results: first } = await attempt();
		expect(first).toMatchObject({ outcome: 'unknown', unknown: 3 });
		expect((await attempt()).results).toEqual({ ...Object(first), already_sent: true });
		expect(await sent()).toBe(0);
	});

	it('returns the numbers to send again to a replay, even if the list is too long to store rows', async () => {
		const to = Array.from({ length: 300 }, (_, index) => `+233201${String(index).padStart(6, '0')}`);
		await control.ask('POST', 'wallet/adjust', { amount: -35 });
		const { results: first } = await attempt({ to, numbers_per_request: 100 });
		expect(first).toMatchObject({ outcome: 'partly_accepted', accepted: 100 });
		const again = z.looseObject({ numbers_to_send_again: z.array(z.string()) }).parse(first).numbers_to_send_again;
		expect(again).toHaveLength(200);
		const { results: replayed } = await attempt({ to, numbers_per_request: 100 });
		expect(replayed).toMatchObject({
			already_sent: true,
			accepted: 100,
			numbers_to_send_again: again,
			rows_left_out: 300,
			results: [],
		});
		expect(await sent()).toBe(100);
	});
});

async function startSandboxOfItsOwn() {
	const other = await startSandbox({ clock: 'stopped' });
	return {
		account: { base_url: other.baseUrl, api_key: other.apiKey },
		control: sandboxControl(other),
		[Symbol.asyncDispose]: () => other.stop(),
	};
}
