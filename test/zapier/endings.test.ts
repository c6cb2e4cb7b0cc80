import { closedPort } from '../support/closedPort';
import { fakeTimeouts } from '../support/fakeTimeouts';
import { heldServer } from '../support/heldServer';
import { NOTHING_SENT } from '../support/promises';
import { useSandbox } from '../support/useSandbox';
import { cacheServer, type CacheServer } from '../support/zapier/cacheServer';
import { readDefinition } from '../support/zapier/definition';
import { driveApp, methods, type Surroundings, type ZapierFailure } from '../support/zapier/zapierTestApp';

/**
 * The error class in which a step ends. Zapier emails the owner about an `AppError` and replays it, leaves a
 * `HaltedError` alone, and stops every Zap of the connection after an `ExpiredAuthError`.
 */
const to = '+233201234567';
const sender_id = 'KOFISHOP';
const message = 'Your order is ready.';

/** The steps that send one message, with the endpoint that each calls. */
const SINGLE_SENDS = {
	sendSms: { endpoint: 'sms.send', inputs: { to, sender_id, message } },
	sendWhatsappMessage: { endpoint: 'whatsapp.send', inputs: { to, message } },
	sendEmail: { endpoint: 'email.send', inputs: { to: 'ama@example.com', subject: 'Order', message } },
	makeVoiceCall: { endpoint: 'voice.send', inputs: { to, message } },
	sendVerificationCode: { endpoint: 'verification.start', inputs: { phone: to, sender_id } },
} as const;
type SingleSend = keyof typeof SINGLE_SENDS;
const singleSends = Object.keys(SINGLE_SENDS).filter((name): name is SingleSend => name in SINGLE_SENDS);

const { sandbox, control } = useSandbox();
let cache: CacheServer;
beforeEach(async () => {
	cache = await cacheServer();
});
afterEach(() => cache[Symbol.asyncDispose]());

const app = (surroundings?: Surroundings) =>
	driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey }, surroundings);
const withCache = () => app({ rpc_base: cache.rpcBase });
const sent = async () => (await control.messages()).length;
const requests = async () => (await control.requests()).map(({ endpoint }) => endpoint);

describe.each(singleSends)('%s', (name) => {
	const { endpoint, inputs } = SINGLE_SENDS[name];
	const late = name === 'sendVerificationCode';

	it('fails if the wallet is empty, and sends once after a top-up', async () => {
		await control.emptyWallet();
		const failure = await withCache().failure(methods[name], inputs);
		// A code that Autoreplay sends hours later is useless.
		expect(failure.name).toBe(late ? 'HaltedError' : 'AppError');
		if (!late) expect(failure).toMatchObject({ code: 'insufficient_balance', status: 422 });
		expect(failure.message).toContain('GHS 0.00');
		await control.adjustWallet(10);
		await withCache().run(methods[name], inputs);
		expect(await sent()).toBe(1);
	});

	it.each(['drop_before', 'drop_after', 'half_json', 'html'])(
		'fails after %s with a Send Once Key, and a replay halts',
		async (kind) => {
			await control.fault({ endpoint, kind, ...(kind === 'html' && { status: 502 }) });
			const keyed = { ...inputs, send_once_key: 'order 7' };
			const failure = await withCache().failure(methods[name], keyed);
			expect(failure.name).toBe('AppError');
			expect(failure.message).toContain('Send Once Key');
			const before = await sent();
			const replay = await withCache().failure(methods[name], keyed);
			expect(replay.name).toBe('HaltedError');
			expect([await sent(), (await requests()).length]).toEqual([before, 1]);
		},
	);

	it('halts without a Send Once Key if the outcome is unknown', async () => {
		await control.fault({ endpoint, kind: 'drop_after' });
		const failure = await withCache().failure(methods[name], inputs);
		expect(failure.name).toBe('HaltedError');
		expect(failure.message).not.toContain('Send Once Key');
	});

	it('halts in an editor test, which ignores the Send Once Key', async () => {
		await control.fault({ endpoint, kind: 'drop_after' });
		const testing = app({ rpc_base: cache.rpcBase, meta: { isLoadingSample: true } });
		const failure = await testing.failure(methods[name], { ...inputs, send_once_key: 'order 7' });
		expect(failure.name).toBe('HaltedError');
		expect(failure.message).not.toContain('Send Once Key');
	});

	it('has an Outcome field, so that a Zap can tell a dry run from a message', async () => {
		const { creates } = await readDefinition();
		const step = Object.values(creates).find(({ key }) => methods[name].includes(`.${key}.`));
		expect(await app().run(methods[name], inputs)).toMatchObject({ outcome: 'accepted' });
		expect(step?.operation.sample).toMatchObject({ outcome: 'accepted' });
		expect(step?.operation.outputFields?.map(({ key }) => key)).toContain('outcome');
		const predicted = await app().run(methods[name], { ...inputs, dry_run: 'yes' });
		expect(predicted).toMatchObject({ outcome: 'would_send' });
	});
});

describe('stray 401', () => {
	const words = 'Database is down for maintenance';
	const stray = { kind: 'answer', status: 401, body: { message: words } };

	it('keeps the account connected if the service accepts the key right after', async () => {
		await control.fault({ endpoint: 'sms.send', ...stray });
		const failure = await app().failure(methods.sendSms, SINGLE_SENDS.sendSms.inputs);
		expect(failure).toMatchObject({ name: 'AppError', status: 401 });
		expect(failure.message.startsWith(`${words}. `)).toBe(true);
		expect(failure.message).toContain(NOTHING_SENT);
		expect((await requests()).sort()).toEqual(['sms.send', 'wallet.getBalance']);
		expect(await sent()).toBe(0);
	});

	it.each([
		['an error', { kind: 'answer', status: 500, times: 5 }],
		['a cut connection', { kind: 'drop_before', times: 5 }],
		['a web page', { kind: 'html', status: 200, times: 5 }],
	])(
		'keeps the account connected if the key check ends in %s',
		async (_, more) => {
			await control.fault({ endpoint: 'sms.send', ...stray });
			await control.fault({ endpoint: 'wallet.getBalance', ...more });
			const failure = await app().failure(methods.sendSms, SINGLE_SENDS.sendSms.inputs);
			expect(failure).toMatchObject({ name: 'AppError', status: 401 });
			expect(failure.message).toContain(words);
		},
		30_000,
	);

	it('expires the connection after a second 401, with the message of the first', async () => {
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 401, body: { message: 'Key revoked' } });
		await control.fault({ endpoint: 'wallet.getBalance', ...stray });
		const failure = await app().failure(methods.sendSms, SINGLE_SENDS.sendSms.inputs);
		expect(failure.name).toBe('ExpiredAuthError');
		expect(failure.message).toMatch(/^Key revoked\. /);
		expect(await requests()).toHaveLength(2);
	});

	it.each([
		['a search', methods.findMessage, { message_id: 'msg_1' }, 'message.get'],
		['a trigger', methods.newContact, {}, 'contact.list'],
		['a dropdown', methods.senderIds, {}, 'senderId.list'],
		['the balance itself', methods.findWalletBalance, {}, 'wallet.getBalance'],
		['a bulk send', methods.sendBulkSms, { ...SINGLE_SENDS.sendSms.inputs, to: [to] }, 'sms.sendBulk'],
	])('keeps the account connected in %s', async (_, method, inputs, endpoint) => {
		await control.fault({ endpoint, ...stray });
		expect(await app().failure(method, inputs)).toMatchObject({ name: 'AppError', status: 401 });
	});

	describe('near the time limit of a step', () => {
		beforeEach(() => fakeTimeouts());
		afterEach(() => jest.useRealTimers());

		it('skips the key check if too little time is left', async () => {
			await using server = await heldServer();
			const failing = driveApp({ base_url: server.baseUrl, api_key: 'sk_1' }).failure(
				methods.sendSms,
				SINGLE_SENDS.sendSms.inputs,
			);
			const respond = await server.arrived();
			jest.advanceTimersByTime(24_500);
			respond(401, { message: words });
			expect(await failing).toMatchObject({ name: 'AppError', status: 401 });
			expect(server.urls).toEqual(['/api/v1/sms/send']);
		});

		it('ends before Zapier ends the step if the key check gets no response', async () => {
			await using server = await heldServer();
			const failing = driveApp({ base_url: server.baseUrl, api_key: 'sk_1' }).failure(
				methods.sendSms,
				SINGLE_SENDS.sendSms.inputs,
			);
			const respond = await server.arrived();
			jest.advanceTimersByTime(20_000);
			respond(401, { message: words });
			await server.arrived();
			jest.advanceTimersByTime(5_000);
			expect(await failing).toMatchObject({ name: 'AppError', status: 401 });
			expect(server.urls).toEqual(['/api/v1/sms/send', '/api/v1/balance']);
		});
	});
});

describe('one-time code that was not sent', () => {
	const { inputs } = SINGLE_SENDS.sendVerificationCode;
	const endpoint = 'verification.start';
	const expectHalt = ({ name, message: reported }: ZapierFailure, words: RegExp) => {
		expect(name).toBe('HaltedError');
		expect(reported).toMatch(words);
	};

	it.each<[string, Record<string, unknown>, RegExp]>([
		['a failed send', { status: 422, body: { code: 'failed_send', message: 'Not now' } }, /^Not now\..*HTTP 422\)$/],
		['a 403', { status: 403, body: { message: 'Not yours' } }, /^Not yours\..*HTTP 403\)$/],
		['a stray 401', { status: 401, body: { message: 'Maintenance' } }, /^Maintenance\./],
		[
			'a 429 for an hour',
			{ status: 429, headers: { 'Retry-After': '3600' }, body: { message: 'Slower' } },
			/^Slower\./,
		],
	])('halts after %s, because a code hours later is useless', async (_, fault, words) => {
		await control.fault({ endpoint, kind: 'answer', ...fault });
		expectHalt(await app().failure(methods.sendVerificationCode, inputs), words);
	});

	it('halts if the service cannot be reached', async () => {
		const unreachable = driveApp({ base_url: `http://127.0.0.1:${await closedPort()}`, api_key: 'sk_1' });
		expectHalt(await unreachable.failure(methods.sendVerificationCode, inputs), /ECONNREFUSED/);
	});

	it('halts if Zapier could not store its Send Once Key', async () => {
		cache.mood = 'down';
		const failure = await withCache().failure(methods.sendVerificationCode, { ...inputs, send_once_key: 'login 7' });
		expectHalt(failure, /SendOnceKeyNotKept/);
		expect(failure.message).toContain(NOTHING_SENT);
		expect(await requests()).toEqual([]);
	});

	it.each<[string, Record<string, string>]>([
		['no time', {}],
		['up to a minute', { 'Retry-After': '60' }],
	])('lets Zapier rerun it after a 429 that asks for %s', async (_, headers) => {
		await control.fault({ endpoint, kind: 'answer', status: 429, headers });
		expect(await app().failure(methods.sendVerificationCode, inputs)).toMatchObject({ name: 'ThrottledError' });
	});

	it('expires the connection if the service rejects the key twice', async () => {
		const other = driveApp({ base_url: sandbox.baseUrl, api_key: 'sk_sandbox_other' });
		expect(await other.failure(methods.sendVerificationCode, inputs)).toMatchObject({ name: 'ExpiredAuthError' });
	});
});
