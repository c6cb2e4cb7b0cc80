import { startSandbox, type Sandbox } from '../../sandbox/server';
import { sendSms } from '../../zapier/creates/sendSms';
import { closedPort } from '../fixtures/closedPort';
import { eventually } from '../e2e/eventually';
import { sandboxControl } from '../fixtures/sandboxControl';
import { stubServer } from '../fixtures/stubServer';
import { driveApp, methods, type Account } from './zapierTestApp';

const sms = { to: '+233201234567', sender_id: 'KOFISHOP', message: 'We are open from 8 to 18.', priority: '' };
// Everything but setTimeout, so that only the app's own patience runs on the test's clock.
const REAL = [
	'nextTick',
	'setImmediate',
	'clearImmediate',
	'setInterval',
	'clearInterval',
	'Date',
	'hrtime',
	'performance',
	'queueMicrotask',
] as const;
const accepted = { status: 200, body: '{"message_id": "m", "status": "submitted"}' };

let sandbox: Sandbox;
let control: ReturnType<typeof sandboxControl>;

beforeAll(async () => {
	sandbox = await startSandbox({ clock: 'stopped' });
	control = sandboxControl(sandbox);
});
afterAll(() => sandbox.stop());
beforeEach(() => control.reset());

const account = (more: Account = {}) => driveApp({ base_url: sandbox.baseUrl, api_key: 'sk_sandbox_demo', ...more });
const send = (more: Readonly<Record<string, unknown>> = {}) => account().run(methods.sendSms, { ...sms, ...more });
const failToSend = (more: Readonly<Record<string, unknown>> = {}) =>
	account().failure(methods.sendSms, { ...sms, ...more });
const spent = async () => 40 - (await control.wallet()).balance;

describe('Send SMS', () => {
	it('sends once, charges once, and gives what the service tells of it', async () => {
		const result = await send();
		expect(result).toEqual({
			message_id: (await control.messages())[0]?.message_id,
			status: 'submitted',
			cost: 0.05,
			billed_via: 'wallet',
			balance: 39.95,
			already_sent: false,
		});
		expect(await control.messages()).toMatchObject([{ to: sms.to, message: sms.message, priority: false }]);
		expect((await control.wallet()).balance).toBe(39.95);
		expect(await control.requests()).toHaveLength(1);
		expect(Object.keys(result as object)).toEqual(expect.arrayContaining(Object.keys(sendSms.operation.sample ?? {})));
	});

	it.each(['X-API-Key', 'Authorization', undefined])('sends the key as %s and not as the other', async (header) => {
		await using server = await stubServer(accepted);
		await account({ base_url: server.baseUrl, api_key: 'sk_live_1', header }).run(methods.sendSms, sms);
		const { headers } = server.received[0] ?? {};
		expect(headers?.authorization).toBe(header === 'Authorization' ? 'Bearer sk_live_1' : undefined);
		expect(headers?.['x-api-key']).toBe(header === 'Authorization' ? undefined : 'sk_live_1');
	});

	it.each([
		'Hi {{name}}, {{1}} {{ first name }} {{}}',
		'{{bundle.inputData.to}} {{bundle.authData.api_key}} {{process.env.PATH}}',
		'  “Akwaaba” ₵5\n\n2nd line\t😀 \\ "quoted" ',
		'hydrate|||{}|||hydrate',
	])('lets a text reach the recipient as it is: %j', async (message) => {
		await send({ message });
		expect((await control.messages()).map((sent) => sent.message)).toEqual([message]);
	});

	it('takes the priority route where asked, numbers for texts, and spaces around a number', async () => {
		await using server = await stubServer(accepted);
		const inputs = { to: ` ${sms.to}\n`, sender_id: 1234, message: 5678, priority: true };
		await account({ base_url: server.baseUrl }).run(methods.sendSms, inputs);
		expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({
			to: sms.to,
			sender_id: '1234',
			message: '5678',
			priority: true,
		});
	});

	it.each<[string, string, string]>([
		['0201234567', '', '+233201234567'],
		['020 123 4567', 'GH', '+233201234567'],
		['0803 123 4567', 'ng', '+2348031234567'],
		['0803 123 4567', 'Nigeria', '+2348031234567'],
		['+44 7400 123456', 'GH', '+447400123456'],
	])('sends to %s with the default country “%s” as %s', async (to, default_country, e164) => {
		await send({ to, default_country });
		expect(await control.messages()).toMatchObject([{ to: e164 }]);
	});

	it.each([true, 'true', 'yes'])('takes %j for a yes', async (priority) => {
		await send({ priority });
		expect(await control.messages()).toMatchObject([{ priority: true }]);
	});

	it.each(['', null, undefined, false, 'false', 'no'])('leaves out Priority where it is %j', async (priority) => {
		await using server = await stubServer(accepted);
		await account({ base_url: server.baseUrl }).run(methods.sendSms, { ...sms, priority });
		const { to, sender_id, message } = sms;
		expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({ to, sender_id, message });
	});

	it.each<[string, Record<string, unknown>, string]>([
		['a number without its end', { to: '+23320123' }, 'To has too few digits: check it'],
		['no number', { to: null }, 'To is empty: give a phone number'],
		['a list of numbers', { to: ['+233201234567', '+233201234568'] }, 'To holds more than one phone number'],
		['two numbers', { to: '+233201234567, +233201234568' }, 'To holds more than one phone number'],
		['a country that is none', { default_country: 'Atlantis' }, 'Default Country is not a country: give its code'],
		[
			'a long text',
			{ message: 'x'.repeat(1601) },
			'Message has 1601 characters, the service takes at most 1600: shorten',
		],
		['no text', { message: '' }, 'Message is empty: write the text'],
		['no sender', { sender_id: ' ' }, 'Sender ID is empty: choose an approved sender ID'],
	])('refuses %s before anything leaves', async (_, more, words) => {
		const failure = await failToSend(more);
		expect(failure.name).toBe('HaltedError');
		expect(failure.message.startsWith(words)).toBe(true);
		expect(failure.message).toContain('Nothing was sent and nothing was charged.');
		expect(await control.requests()).toEqual([]);
	});

	it('counts a character as one, whatever it takes', async () => {
		await send({ message: '😀'.repeat(1600) });
		expect(await control.messages()).toHaveLength(1);
	});
});

describe('a text that the service refuses', () => {
	afterEach(async () => {
		expect(await control.messages()).toEqual([]);
		expect(await spent()).toBe(0);
	});

	it('has the account reconnected where the key is not known', async () => {
		const failure = await account({ api_key: 'sk_sandbox_other' }).failure(methods.sendSms, sms);
		expect(failure.name).toBe('ExpiredAuthError');
		expect(failure.message).toMatch(/^The API key is not valid.*Check the API key/);
	});

	it('halts where the recipient has opted out, and says so', async () => {
		const stop = { from: sms.to, to: sms.sender_id, message: 'STOP' };
		await fetch(`${sandbox.url}/webhooks/inbound/sms`, { method: 'POST', body: new URLSearchParams(stop) });
		const failure = await failToSend();
		expect(failure.name).toBe('HaltedError');
		expect(failure.message).toMatch(/^\+233201234567 has opted out of your texts\..*take the number off your list/);
		expect(failure.message).toMatch(/\(code opted_out, HTTP 422\)$/);
	});

	it('says the words of the service about a sender ID that waits for approval', async () => {
		const failure = await failToSend({ sender_id: 'PENDINGCO' });
		expect(failure).toMatchObject({ name: 'AppError', code: 'sender_not_approved', status: 422 });
		expect(failure.message).toMatch(/^PENDINGCO is still waiting for approval\. Approved: .*KOFISHOP/);
	});

	it.each<[string, () => string, readonly [number, number]]>([
		['an HTTP date', () => new Date(Date.now() + 90_000).toUTCString(), [88, 90]],
		['seconds', () => '17', [17, 17]],
	])('is tried again by Zapier after a 429, when Retry-After says, as %s', async (_, retryAfter, [least, most]) => {
		const headers = { 'Retry-After': retryAfter() };
		const body = { message: 'Too many texts a second' };
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 429, headers, body });
		const failure = await failToSend();
		expect(failure.name).toBe('ThrottledError');
		expect(failure.message).toContain(body.message);
		expect(failure.delay).toBeGreaterThanOrEqual(least);
		expect(failure.delay).toBeLessThanOrEqual(most);
		expect(await control.requests()).toHaveLength(1);
	});

	it('is tried again by Zapier after a 429 without Retry-After', async () => {
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 429, body: {} });
		const failure = await failToSend();
		expect(failure.name).toBe('ThrottledError');
		expect(failure.delay).toBeUndefined();
	});

	it.each([400, 403, 404, 409, 422])('is an error with words, code and status of a %i', async (status) => {
		const body = { error: { code: 'E42', message: 'The gateway is closed' } };
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status, body });
		const failure = await failToSend();
		expect(failure).toMatchObject({ name: 'AppError', code: 'E42', status });
		expect(failure.message).toMatch(/^The gateway is closed\. \S/);
	});

	it('does not go elsewhere with a redirect', async () => {
		await using elsewhere = await stubServer(accepted);
		await using moved = await stubServer({ status: 307, headers: { Location: `${elsewhere.baseUrl}sms/send` } });
		const failure = await account({ base_url: moved.baseUrl }).failure(methods.sendSms, sms);
		expect(failure).toMatchObject({ name: 'AppError', status: 307 });
		expect([moved.received.length, elsewhere.received.length]).toEqual([1, 0]);
	});

	it('may be tried again where it never left, since nothing listens there', async () => {
		const base_url = `http://127.0.0.1:${await closedPort()}`;
		const failure = await account({ base_url }).failure(methods.sendSms, sms);
		expect(failure.name).toBe('AppError');
		expect(/^The service could not be reached: nothing answers .*ECONNREFUSED/.test(failure.message)).toBe(true);
		expect(failure.message).toMatch(/Nothing was charged\.$/);
	});

	// The words of a failed handshake also come where something breaks into a connection that had been fine.
	it('halts where nobody speaks https there', async () => {
		const base_url = sandbox.baseUrl.replace('http:', 'https:');
		const failure = await account({ base_url }).failure(methods.sendSms, sms);
		expect(failure.name).toBe('HaltedError');
		expect(failure.message).toContain('that address does not speak https');
	});
});

it('ends in an error that Zapier emails if the wallet cannot pay, and says so', async () => {
	const message = '₵'.repeat(1600);
	for (let affordable = 33; affordable > 0; affordable--) await send({ message });
	const before = await control.messages();
	const failure = await failToSend({ message });
	expect(failure.name).toBe('AppError');
	expect(failure.message).toMatch(/^The message costs GHS 1\.20 and the wallet holds GHS 0\.40\..*Top up the wallet/);
	expect(await control.messages()).toEqual(before);
});

describe('a text whose outcome is unknown', () => {
	const cure =
		/It may have been accepted and charged\. Look for it in the message history.*Replaying this step would send it again\./;

	it.each([
		['drop_before', 0],
		['drop_after', 1],
	])('halts and is not sent again: %s', async (kind, sent) => {
		await control.fault({ endpoint: 'sms.send', kind });
		const failure = await failToSend();
		expect(failure.name).toBe('HaltedError');
		expect(failure.message).toMatch(/^No answer came from the service: /);
		expect(failure.message).toMatch(cure);
		expect(await control.requests()).toHaveLength(1);
		expect(await control.messages()).toHaveLength(sent);
		expect(await spent()).toBeCloseTo(sent * 0.05, 5);
	});

	it.each([408, 500, 502, 503])('halts with the words of a %i', async (status) => {
		const body = { code: 'oops', message: 'Something went wrong here' };
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status, body });
		const failure = await failToSend();
		expect(failure.name).toBe('HaltedError');
		expect(failure.message).toMatch(/^Something went wrong here\. /);
		expect(failure.message).toMatch(cure);
		expect(failure.message).toContain(`(code oops, HTTP ${status})`);
		expect(await control.requests()).toHaveLength(1);
	});

	it.each(['<html>OK</html>', '', '{}', '[]'])('halts at a 200 that is no result: %j', async (body) => {
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 200, body });
		const failure = await failToSend();
		expect(failure.name).toBe('HaltedError');
		expect(failure.message).toMatch(cure);
	});

	it('halts where it was accepted with an answer that cannot be read', async () => {
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 200, body: { success: true } });
		const failure = await failToSend();
		expect(failure.name).toBe('HaltedError');
		expect(failure.message).toMatch(/It was accepted .*do not send it again.*Replaying this step would send it again/);
	});

	it('shows neither key nor text', async () => {
		const message = 'Your code is 482913';
		const body = { message: `Cannot take “${message}” from sk_sandbox_demo` };
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 500, body });
		const failure = await failToSend({ message });
		expect(failure.message).toMatch(/^Cannot take “…” from sk_… It may have been accepted/);
	});

	it('is sent again when a person replays the step: the interface has nothing to tell it from a new one', async () => {
		await control.fault({ endpoint: 'sms.send', kind: 'drop_after' });
		expect(await failToSend()).toMatchObject({ name: 'HaltedError' });
		await send();
		expect(await control.messages()).toHaveLength(2);
	});

	describe('because no whole answer comes in time', () => {
		const received = async (requests: number, messages = 0) =>
			await eventually(
				`${requests} requests and ${messages} messages`,
				async () => {
					const made = (await control.requests()).length >= requests;
					return made && (await control.messages()).length >= messages ? true : undefined;
				},
				10_000,
			);

		beforeEach(() => jest.useFakeTimers({ doNotFake: [...REAL] }));
		afterEach(() => jest.useRealTimers());

		it.each([
			['hang', 0],
			// Zapier's client does not notice that an answer has broken off.
			['truncate', 1],
		])('halts before Zapier ends the step: %s', async (kind, sent) => {
			await control.fault({ endpoint: 'sms.send', kind });
			const failing = failToSend();
			await received(1, sent);
			jest.advanceTimersByTime(25_000);
			const failure = await failing;
			expect(failure.name).toBe('HaltedError');
			expect(failure.message).toMatch(/^No answer came from the service: it took longer than 25 seconds\. /);
			expect(failure.message).toMatch(cure);
			expect(await control.requests()).toHaveLength(1);
			expect(await control.messages()).toHaveLength(sent);
		});

		it('waits that long, the whole answer included', async () => {
			await control.fault({ endpoint: 'sms.send', kind: 'hang' });
			const failing = failToSend();
			const ended = jest.fn();
			void failing.finally(ended);
			await received(1);
			jest.advanceTimersByTime(24_999);
			await control.requests();
			expect(ended).not.toHaveBeenCalled();
			jest.advanceTimersByTime(1);
			expect(await failing).toMatchObject({ name: 'HaltedError' });
		});
	});
});
