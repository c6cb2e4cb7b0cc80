import { startSandbox, type Sandbox } from '../../sandbox/server';
import { sandboxControl } from '../fixtures/sandboxControl';
import { cacheServer, type CacheServer } from './cacheServer';
import { driveApp, methods, type Account } from './driveApp';

const sms = { to: '+233201234567', sender_id: 'KOFISHOP', message: 'Your order is ready.', send_once_key: 'order 7' };

let sandbox: Sandbox;
let control: ReturnType<typeof sandboxControl>;
let cache: CacheServer;

beforeAll(async () => {
	sandbox = await startSandbox({ clock: 'stopped' });
	control = sandboxControl(sandbox);
});
afterAll(() => sandbox.stop());
beforeEach(async () => {
	await control.reset();
	cache = await cacheServer();
});
afterEach(() => cache[Symbol.asyncDispose]());

const account = (more: Account = {}) =>
	driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey, ...more }, { rpc_base: cache.rpcBase });
const send = (more: Readonly<Record<string, unknown>> = {}) => account().run(methods.sendSms, { ...sms, ...more });
const failToSend = (more: Readonly<Record<string, unknown>> = {}) =>
	account().failure(methods.sendSms, { ...sms, ...more });
const sent = async () => (await control.messages()).length;

describe('a step with a Send Once Key', () => {
	it('sends once, however often the same bundle is replayed, and gives the first result again', async () => {
		const first = await send();
		expect(first).toMatchObject({ outcome: 'accepted', already_sent: false });
		for (let replay = 0; replay < 3; replay++) {
			expect(await send()).toEqual({ ...(first as object), already_sent: true });
		}
		expect(await sent()).toBe(1);
		expect(await control.requests()).toHaveLength(1);
		expect((await control.wallet()).balance).toBe(39.95);
	});

	it('sends once if five runs begin at the same time', async () => {
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

	it('keeps keys of steps and of connections apart', async () => {
		await send();
		await account().run(methods.sendVerificationCode, { ...sms, phone: sms.to });
		expect(await sent()).toBe(2);
		const names = [...cache.entries.keys()];
		await using other = await startSandboxOfItsOwn();
		await account(other.account).run(methods.sendSms, sms);
		expect(await other.control.messages()).toHaveLength(1);
		expect(new Set([...names, ...cache.entries.keys()]).size).toBe(3);
	});

	it('asks for seven days, for this connection alone, and keeps neither key, number nor text', async () => {
		await send();
		expect(cache.sets.map(({ ttl, scope }) => [ttl, scope])).toEqual([
			[604_800, ['auth']],
			[604_800, ['auth']],
		]);
		const kept = JSON.stringify([...cache.entries]);
		for (const secret of [sms.to, sms.message, sms.send_once_key, sandbox.apiKey]) expect(kept).not.toContain(secret);
	});

	it('refuses a key that another recipient has had, since it cannot be one for each message', async () => {
		await send();
		const failure = await failToSend({ to: '+233201234568' });
		expect(failure.name).toBe('HaltedError');
		expect(failure.message).toMatch(/^This Send Once Key was already used for another recipient, so nothing was sent/);
		expect(await sent()).toBe(1);
	});

	it.each(['drop_after', 'drop_before', 'half_json', 'html'])(
		'is not sent again by a replay after %s',
		async (kind) => {
			await control.fault({ endpoint: 'sms.send', kind, ...(kind === 'html' && { status: 502 }) });
			const failing = failToSend();
			const first = await failing;
			expect(first.name).toBe('HaltedError');
			expect(first.message).toContain(
				'Replaying this step does not send it again: for that, change the Send Once Key.',
			);
			const before = await sent();
			const replayed = await failToSend();
			expect(replayed.name).toBe('HaltedError');
			expect(replayed.message).toMatch(
				/^An earlier run with this Send Once Key may have sent this, so it was not sent/,
			);
			expect(await sent()).toBe(before);
			expect(await control.requests()).toHaveLength(1);
		},
		60_000,
	);

	it.each<[string, Record<string, unknown>, string]>([
		['a 429', { kind: 'answer', status: 429 }, 'ThrottledError'],
		['a 422', { kind: 'answer', status: 422 }, 'AppError'],
		['a 401', { kind: 'answer', status: 401 }, 'ExpiredAuthError'],
	])('is sent by a replay after %s', async (_, fault, name) => {
		await control.fault({ endpoint: 'sms.send', ...fault });
		expect(await failToSend()).toMatchObject({ name });
		expect(cache.entries.size).toBe(0);
		expect(await send()).toMatchObject({ already_sent: false });
		expect(await sent()).toBe(1);
	});

	it.each(['down', 'forgetful', 'silent'] as const)(
		'sends nothing, and may be tried again, where Zapier cannot keep it: %s',
		async (mood) => {
			cache.mood = mood;
			const failure = await failToSend();
			expect(failure).toMatchObject({ name: 'AppError', code: 'SendOnceKeyNotKept' });
			expect(failure.message).toContain('nothing was sent and nothing was charged');
			expect(await control.requests()).toEqual([]);
		},
	);

	it('halts a replay where the outcome could not be written down', async () => {
		cache.mood = 'down after a claim';
		expect(await send()).toMatchObject({ outcome: 'accepted', already_sent: false });
		cache.mood = 'kept';
		expect(await failToSend()).toMatchObject({ name: 'HaltedError' });
		expect(await sent()).toBe(1);
	});

	it('sends again once Zapier has forgotten the key: that is the limit which its help text names', async () => {
		await send();
		cache.entries.clear();
		await send();
		expect(await sent()).toBe(2);
	});

	it('tells a replay also where the store sets what is there already', async () => {
		cache.mood = 'deaf to nx';
		await send();
		expect(await send()).toMatchObject({ already_sent: true });
		expect(await sent()).toBe(1);
	});

	it('leaves the cache alone where there is no key', async () => {
		await send({ send_once_key: null });
		expect(cache.sets).toEqual([]);
	});

	it.each<[keyof typeof methods, Record<string, unknown>]>([
		['sendWhatsappMessage', {}],
		['sendEmail', { to: 'ama@example.com', subject: 'Order' }],
		['makeVoiceCall', {}],
		['sendVerificationCode', { phone: sms.to }],
		['sendBulkSms', { to: [sms.to, '+233201234568'] }],
	])('works in %s too', async (name, more) => {
		await control.settings({ whatsapp_set_up: true, voice_set_up: true, email_set_up: true });
		const inputs = { ...sms, ...more };
		const first = await account().run(methods[name], inputs);
		const messages = await sent();
		expect(messages).toBeGreaterThan(0);
		expect(await account().run(methods[name], inputs)).toEqual({ ...(first as object), already_sent: true });
		expect(await sent()).toBe(messages);
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
