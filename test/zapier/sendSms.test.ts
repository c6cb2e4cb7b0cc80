import { sendSms } from '../../zapier/creates/sendSms';
import { closedPort } from '../support/closedPort';
import { eventually } from '../support/eventually';
import { fakeTimeouts } from '../support/fakeTimeouts';
import { DOUBT, MAY_HAVE_BEEN_ACCEPTED, NOTHING_SENT } from '../support/promises';
import { stubServer } from '../support/stubServer';
import { useSandbox } from '../support/useSandbox';
import { haltedFor } from '../support/zapier/haltedFor';
import { driveApp, methods, type Account, type ZapierFailure } from '../support/zapier/zapierTestApp';

const sms = { to: '+233201234567', sender_id: 'KOFISHOP', message: 'We are open from 8 to 18.', priority: '' };
const accepted = { status: 200, body: '{"message_id": "m", "status": "submitted"}' };

const { sandbox, control } = useSandbox();

const account = (more: Account = {}) => driveApp({ base_url: sandbox.baseUrl, api_key: 'sk_sandbox_demo', ...more });
const send = (more: Readonly<Record<string, unknown>> = {}) => account().run(methods.sendSms, { ...sms, ...more });
const failToSend = (more: Readonly<Record<string, unknown>> = {}) =>
	account().failure(methods.sendSms, { ...sms, ...more });
const spent = async () => 40 - (await control.wallet()).balance;

describe('Send SMS', () => {
	it("sends once, charges once, and returns the service's data", async () => {
		const result = await send();
		expect(result).toEqual({
			message_id: (await control.messages())[0]?.message_id,
			status: 'submitted',
			cost: 0.05,
			billed_via: 'wallet',
			balance: 39.95,
			to: '+233201234567',
			sender_id: 'KOFISHOP',
			segment_count: 1,
			outcome: 'accepted',
			send_at: null,
			schedule_reason: null,
			allowed_at: null,
			reason: null,
			already_sent: false,
			message: sms.message,
			dry_run: false,
			balance_now: null,
			currency: null,
			note: null,
			encoding: null,
			cheaper_message: null,
			segments_saved: null,
		});
		expect(await control.messages()).toMatchObject([{ to: sms.to, message: sms.message, priority: false }]);
		expect((await control.wallet()).balance).toBe(39.95);
		expect(await control.requests()).toHaveLength(1);
		expect(Object.keys(result as object)).toEqual(expect.arrayContaining(Object.keys(sendSms.operation.sample ?? {})));
	});

	it.each(['X-API-Key', 'Authorization', undefined])('sends the key as %s only', async (header) => {
		await using server = await stubServer(accepted);
		await account({ base_url: server.baseUrl, api_key: 'sk_live_1', header }).run(methods.sendSms, sms);
		const { headers } = server.received[0] ?? {};
		expect(headers?.authorization).toBe(header === 'Authorization' ? 'Bearer sk_live_1' : undefined);
		expect(headers?.['x-api-key']).toBe(header === 'Authorization' ? undefined : 'sk_live_1');
	});

	it.each([
		'Hi {name}, {1} }} {{ first name {}',
		'  “Akwaaba” ₵5\n\n2nd line\t😀 \\ "quoted" ',
		'hydrate|||{}|||hydrate',
	])('delivers the message unchanged: %j', async (message) => {
		await send({ message });
		expect((await control.messages()).map((sent) => sent.message)).toEqual([message]);
	});

	it('accepts Priority, a numeric message, and spaces around a number', async () => {
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

	it.each(['allow', 'Allow'])(
		'sends to a range that is not known yet if Unknown Number Ranges is %j',
		async (choice) => {
			await send({ to: '025 123 4567', unknown_number_ranges: choice });
			expect(await control.messages()).toMatchObject([{ to: '+233251234567' }]);
		},
	);

	it.each([true, 'true', 'yes'])('reads %j as yes', async (priority) => {
		await send({ priority });
		expect(await control.messages()).toMatchObject([{ priority: true }]);
	});

	it.each(['', null, undefined, false, 'false', 'no'])('leaves out Priority if it is %j', async (priority) => {
		await using server = await stubServer(accepted);
		await account({ base_url: server.baseUrl }).run(methods.sendSms, { ...sms, priority });
		const { to, sender_id, message } = sms;
		expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({ to, sender_id, message });
	});

	it.each<[string, Record<string, unknown>, string, ...string[]]>([
		['an incomplete number', { to: '+23320123' }, 'To'],
		['no number', { to: null }, 'To'],
		['a list of numbers', { to: ['+233201234567', '+233201234568'] }, 'To', 'Send Bulk SMS'],
		['two numbers', { to: '+233201234567, +233201234568' }, 'To', 'Send Bulk SMS'],
		[
			'a range that is not known',
			{ to: '0251234567' },
			'To',
			'no known phone number',
			'set Unknown Number Ranges to Allow',
		],
		['a short number in such a range', { to: '025123456', unknown_number_ranges: 'allow' }, 'To'],
		['a wrong choice', { unknown_number_ranges: 'maybe' }, 'Unknown Number Ranges'],
		['an unknown country', { default_country: 'Atlantis' }, 'Default Country'],
		['a long message', { message: 'x'.repeat(1601) }, 'Message', '1601', '1600'],
		['no message', { message: '' }, 'Message'],
		['no sender', { sender_id: ' ' }, 'Sender ID'],
	])('rejects %s without a request', async (_, more, label, ...facts) => {
		expect(await failToSend(more)).toMatchObject(haltedFor(label, ...facts, NOTHING_SENT));
		expect(await control.requests()).toEqual([]);
	});

	it('counts an emoji as one character', async () => {
		await send({ message: '😀'.repeat(1600) });
		expect(await control.messages()).toHaveLength(1);
	});
});

describe('message that the service rejects', () => {
	afterEach(async () => {
		expect(await control.messages()).toEqual([]);
		expect(await spent()).toBe(0);
	});

	it('expires the connection if the key is unknown', async () => {
		const failure = await account({ api_key: 'sk_sandbox_other' }).failure(methods.sendSms, sms);
		expect(failure.name).toBe('ExpiredAuthError');
		expect(failure.message).toContain('API key');
	});

	it('halts if the recipient has opted out, and says so', async () => {
		const stop = { from: sms.to, to: sms.sender_id, message: 'STOP' };
		await fetch(`${sandbox.url}/webhooks/inbound/sms`, { method: 'POST', body: new URLSearchParams(stop) });
		const failure = await failToSend();
		expect(failure.name).toBe('HaltedError');
		expect(failure.message).toMatch(/^\+233201234567 .*opted out.*opted_out.*422/);
	});

	it("gives the service's message for a sender ID that is pending approval", async () => {
		const failure = await failToSend({ sender_id: 'PENDINGCO' });
		expect(failure).toMatchObject({ name: 'AppError', code: 'sender_not_approved', status: 422 });
		expect(failure.message).toMatch(/PENDINGCO.*KOFISHOP/);
	});

	it.each<[string, () => string, readonly [number, number]]>([
		['an HTTP date', () => new Date(Date.now() + 90_000).toUTCString(), [88, 90]],
		['seconds', () => '17', [17, 17]],
	])('throttles Send SMS after a 429 with Retry-After as %s', async (_, retryAfter, [least, most]) => {
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

	it('throttles Send SMS after a 429 without Retry-After', async () => {
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 429, body: {} });
		const failure = await failToSend();
		expect(failure.name).toBe('ThrottledError');
		expect(failure.delay).toBeUndefined();
	});

	it.each([400, 403, 404, 409, 422])("fails with the service's message, code and status for a %i", async (status) => {
		const error = { code: 'E42', message: 'The gateway is closed' };
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status, body: { error } });
		const failure = await failToSend();
		expect(failure).toMatchObject({ name: 'AppError', code: 'E42', status });
		expect(failure.message.startsWith(`${error.message}. `)).toBe(true);
	});

	it('does not follow a redirect with Send SMS', async () => {
		await using elsewhere = await stubServer(accepted);
		await using moved = await stubServer({ status: 307, headers: { Location: `${elsewhere.baseUrl}sms/send` } });
		const failure = await account({ base_url: moved.baseUrl }).failure(methods.sendSms, sms);
		expect(failure).toMatchObject({ name: 'AppError', status: 307 });
		expect([moved.received.length, elsewhere.received.length]).toEqual([1, 0]);
	});

	it('fails with a replayable error if nothing listens at the address', async () => {
		const base_url = `http://127.0.0.1:${await closedPort()}`;
		const failure = await account({ base_url }).failure(methods.sendSms, sms);
		expect(failure).toMatchObject({ name: 'AppError', code: 'ECONNREFUSED' });
		expect(failure.message).toContain(NOTHING_SENT);
	});

	// A working connection that breaks gives the same error as a failed handshake.
	it('halts if the server does not speak https', async () => {
		const base_url = sandbox.baseUrl.replace('http:', 'https:');
		const failure = await account({ base_url }).failure(methods.sendSms, sms);
		expect(failure.name).toBe('HaltedError');
		expect(failure.message).toMatch(/https.*EPROTO/);
	});
});

it('Send SMS fails if the wallet cannot pay, and says so', async () => {
	const message = '₵'.repeat(1600);
	for (let affordable = 33; affordable > 0; affordable--) await send({ message });
	const before = await control.messages();
	const failure = await failToSend({ message });
	expect(failure).toMatchObject({ name: 'AppError', code: 'insufficient_balance' });
	expect(failure.message).toMatch(/GHS 1\.20.*GHS 0\.40/);
	expect(await control.messages()).toEqual(before);
});

describe('message with an unknown outcome', () => {
	const expectDoubt = ({ message }: ZapierFailure) => {
		expect(message.startsWith(DOUBT)).toBe(true);
		expect(message).toMatch(MAY_HAVE_BEEN_ACCEPTED);
		expect(message).not.toContain(NOTHING_SENT);
	};

	it.each([
		['drop_before', 0],
		['drop_after', 1],
	])('halts and is not sent again after %s', async (kind, sent) => {
		await control.fault({ endpoint: 'sms.send', kind });
		const failure = await failToSend();
		expect(failure.name).toBe('HaltedError');
		expectDoubt(failure);
		expect(failure.message).toContain('ECONNRESET');
		expect(await control.requests()).toHaveLength(1);
		expect(await control.messages()).toHaveLength(sent);
		expect(await spent()).toBeCloseTo(sent * 0.05, 5);
	});

	it.each([408, 500, 502, 503])("halts with the service's message of a %i", async (status) => {
		const body = { code: 'oops', message: 'Something went wrong here' };
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status, body });
		const failure = await failToSend();
		expect(failure.name).toBe('HaltedError');
		expect(failure.message.startsWith(`${DOUBT}${body.message}. `)).toBe(true);
		expectDoubt(failure);
		expect(failure.message).toMatch(new RegExp(`oops.*${status}`));
		expect(await control.requests()).toHaveLength(1);
	});

	it.each(['<html>OK</html>', '', '{}', '[]'])('halts on a 200 without a result: %j', async (body) => {
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 200, body });
		const failure = await failToSend();
		expect(failure.name).toBe('HaltedError');
		expectDoubt(failure);
	});

	it('halts if it was accepted with an unreadable response', async () => {
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 200, body: { success: true } });
		const failure = await failToSend();
		expect(failure.name).toBe('HaltedError');
		expect(failure.message).toMatch(/accepted.*HTTP 200/);
		expect(failure.message).not.toContain(NOTHING_SENT);
	});

	it('shows neither key nor message', async () => {
		const message = 'Your code is 482913';
		const body = { message: `Cannot take “${message}” from sk_sandbox_demo` };
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 500, body });
		const failure = await failToSend({ message });
		expect(failure.message.startsWith(`${DOUBT}Cannot take “…” from sk_… `)).toBe(true);
		for (const secret of [message, 'sk_sandbox_demo']) expect(failure.message).not.toContain(secret);
	});

	it('sends a message again if a person replays the step, because the API has no idempotency key', async () => {
		await control.fault({ endpoint: 'sms.send', kind: 'drop_after' });
		expect(await failToSend()).toMatchObject({ name: 'HaltedError' });
		await send();
		expect(await control.messages()).toHaveLength(2);
	});

	describe('without a complete response in time', () => {
		const received = async (requests: number, messages = 0) =>
			await eventually(
				`${requests} requests and ${messages} messages`,
				async () => {
					const made = (await control.requests()).length >= requests;
					return made && (await control.messages()).length >= messages ? true : undefined;
				},
				10_000,
			);

		beforeEach(() => fakeTimeouts({ realPerformance: true }));
		afterEach(() => jest.useRealTimers());

		it.each([
			['hang', 0],
			// Zapier's client does not notice a truncated response.
			['truncate', 1],
		])('halts before Zapier ends the step after the fault %s', async (kind, sent) => {
			await control.fault({ endpoint: 'sms.send', kind });
			const failing = failToSend();
			await received(1, sent);
			jest.advanceTimersByTime(25_000);
			const failure = await failing;
			expect(failure.name).toBe('HaltedError');
			expectDoubt(failure);
			expect(failure.message).toMatch(/25 seconds.*TIMEOUT/);
			expect(await control.requests()).toHaveLength(1);
			expect(await control.messages()).toHaveLength(sent);
		});

		it('waits 25 seconds for the complete response', async () => {
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
