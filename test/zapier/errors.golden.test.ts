import { join } from 'node:path';
import { z } from 'zod/v4';
import { closedPort } from '../support/closedPort';
import { endRetryWaits } from '../support/endRetryWaits';
import { eventually } from '../support/eventually';
import { fakeTimeouts } from '../support/fakeTimeouts';
import { expectGolden, formattingArtifact, render, steady, type Entry } from '../support/golden';
import { stubServer, type StubResponse, type StubServer } from '../support/stubServer';
import { untrustedServer } from '../support/untrustedServer';
import { useSandbox } from '../support/useSandbox';
import { bulkOutput, numbers, toLines, toList } from '../support/zapier/bulkStep';
import { cacheServer } from '../support/zapier/cacheServer';
import { signedHeaders, stubRelay } from '../support/zapier/stubRelay';
import { driveApp, methods, type Account, type Ending, type Surroundings } from '../support/zapier/zapierTestApp';

const GOLDEN = join(__dirname, 'errors.golden.md');
const HEADING = {
	title: 'What users of the Zapier app read when something goes wrong',
	source: 'Error class and message as Zapier’s servers receive them from the app, and the reasons of rows.',
	test: 'test/zapier/errors.golden.test.ts',
};

type Method = keyof typeof methods;
type Inputs = Readonly<Record<string, unknown>>;

const to = '+233201234567';
const sms: Inputs = { to, sender_id: 'KOFISHOP', message: 'Your order is ready.' };
const keyed: Inputs = { ...sms, send_once_key: 'order 7' };
const code: Inputs = { phone: to, sender_id: 'KOFISHOP' };
const lastYear = '2020-01-01T00:00:00Z';
const nextYear = `${new Date().getUTCFullYear() + 1}-01-15T09:00`;

const { sandbox, control } = useSandbox();
endRetryWaits();
const entries: Entry[] = [];

const account = (): Account => ({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey });

function note(chapter: string, failure: string, where: string, shown: readonly string[]): void {
	entries.push({ chapter, failure, where, shown: shown.map(steady) });
}

/** Runs a step and records its error, or the reasons and messages in its output. */
async function record(
	chapter: string,
	failure: string,
	method: Method,
	inputs: Inputs,
	{ account: other, ...surroundings }: Surroundings & { account?: Account } = {},
): Promise<void> {
	const ending = await driveApp({ ...account(), ...other }, surroundings).attempt(methods[method], inputs);
	note(chapter, failure, method, shownBy(ending));
}

const worded = z.object({
	message: z.string().optional(),
	note: z.string().optional(),
	price_basis: z.string().optional(),
});

function shownBy({ failure, results }: Ending): string[] {
	if (failure) return [`${failure.message} [${failure.name}]`];
	const bulk = bulkOutput.safeParse(results);
	if (bulk.success) {
		// Several requests are in flight at once, so the order of equal rows can vary.
		const rows = bulk.data.results.map(({ outcome, reason }) => `${reason ?? '(no reason)'} [${outcome}]`);
		return [...new Set(rows)].sort();
	}
	if (Array.isArray(results) && results.length === 0) return ['(nothing found)'];
	return Object.values(worded.parse(Array.isArray(results) ? results[0] : results)).map(String);
}

/** The step reads its field from an earlier step, which returned nothing. */
const mapped = (key: string, inputs: Inputs) => ({ raw: { ...inputs, [key]: '{{123__field}}' } });

it('records the fields that a step rejects', async () => {
	const chapter = 'Rejected by the step, before anything is sent';
	const rejected: ReadonlyArray<
		readonly [failure: string, method: Method, inputs: Inputs, surroundings?: Surroundings]
	> = [
		['To: too few digits', 'sendSms', { ...sms, to: '+23320123' }],
		['Phone: too short', 'createContact', { phone: '12345' }],
		['To: missing', 'sendSms', { ...sms, to: null }],
		['To: two numbers', 'sendSms', { ...sms, to: '+233201234567, +233201234568' }],
		['To: a list of numbers', 'sendSms', { ...sms, to: [to, '+233201234568'] }],
		['To: two numbers', 'makeVoiceCall', { to: '+233201234567, +233201234568', message: 'Hi' }],
		['To: not an email address', 'sendEmail', { to: 'ama', subject: 'Order', message: 'Hi' }],
		['Default Country: unknown', 'sendSms', { ...sms, default_country: 'Atlantis' }],
		['Message: too long', 'sendSms', { ...sms, message: 'x'.repeat(1601) }],
		['Message: empty', 'sendSms', { ...sms, message: '' }],
		['Message: blank', 'sendSms', { ...sms, message: '\u200b \n' }],
		['Message: blank', 'sendBulkSms', toList([to], { message: ' ' })],
		['Message: blank', 'sendWhatsappMessage', { to, message: ' ' }],
		['Message: blank', 'sendEmail', { to: 'ama@example.com', subject: 'Order', message: ' ' }],
		['Message: blank', 'makeVoiceCall', { to, message: ' ' }],
		['Sender ID: empty', 'sendSms', { ...sms, sender_id: ' ' }],
		['Sender ID: empty', 'sendBulkSms', toList([to], { sender_id: '' })],
		['Priority: neither yes nor no', 'sendSms', { ...sms, priority: 'maybe' }],
		['Priority: mapped, and empty in this run', 'sendSms', { ...sms, priority: '' }, mapped('priority', sms)],
		['Priority: a list', 'sendSms', { ...sms, priority: ['1', '2'] }],
		['Send Once Key: mapped, and empty in this run', 'sendSms', sms, mapped('send_once_key', sms)],
		['Send Once Key: an object', 'sendSms', { ...sms, send_once_key: { id: 7 } }],
		[
			'Send At: mapped, and empty in this run',
			'sendBulkSms',
			toList([to], { send_at: '' }),
			mapped('send_at', toList([to])),
		],
		['Send At: in the past', 'sendBulkSms', toList([to], { send_at: lastYear })],
		['Send At: not a time', 'sendBulkSms', toList([to], { send_at: 'tomorrow' })],
		['Send At: no time zone', 'sendBulkSms', toList([to], { send_at: nextYear }), { meta: { timezone: null } }],
		['Send At: an object', 'sendBulkSms', toList([to], { send_at: { date: 'tomorrow' } })],
		['Numbers per Request: not a number', 'sendBulkSms', toList([to], { numbers_per_request: 'many' })],
		['Numbers per Request: zero', 'sendBulkSms', toList([to], { numbers_per_request: '0' })],
		['Skip Rejected Numbers: neither yes nor no', 'sendBulkSms', toList([to], { skip_rejected_numbers: 'perhaps' })],
		['Recipients From: not a choice', 'sendBulkSms', toList([to], { recipients_from: 'lines' })],
		['To: an empty list', 'sendBulkSms', toList([])],
		['To: no readable number', 'sendBulkSms', toList(['12', 'x'])],
		['To: all numbers excluded', 'sendBulkSms', toList([to], { excluded_numbers: [to] })],
		['To: a line without a number', 'sendBulkSms', toLines([{ line_to: '', line_message: 'Hi Ama' }])],
		['Excluded Numbers: unreadable', 'sendBulkSms', toList([to], { excluded_numbers: ['everybody'] })],
		['Lines: none', 'sendBulkSms', toLines([])],
		['Lines: all messages blank', 'sendBulkSms', toLines([{ line_to: to, line_message: ' \n' }])],
		[
			'Lines: more than the output can hold',
			'sendBulkSms',
			toLines(numbers(3000).map((line_to, index) => ({ line_to, line_message: `${index} ${'₵'.repeat(1500)}` }))),
		],
		['Message ID: empty', 'findMessage', { message_id: '' }],
		['Verification ID and Code: unreadable', 'checkVerificationCode', { verification_id: 'abc', code: '' }],
		['Amount: empty', 'createWalletTopUp', { amount: '' }],
		['Amount: not a number', 'createWalletTopUp', { amount: 'fifty' }],
		['Amount: negative', 'createWalletTopUp', { amount: '-5' }],
		['Return URL: not https', 'createWalletTopUp', { amount: 5, return_url: 'http://shop.example' }],
		['Reference: empty', 'findWalletTopUp', { reference: '' }],
		['Threshold: not a number', 'findWalletBalance', { threshold: 'low' }],
		['Phone and Name: both empty', 'findContact', { phone: '', name: '' }],
		['Number of Recipients: not a number', 'estimateSmsCost', { message: 'Hi', recipients: 'many' }],
	];
	for (const [failure, method, inputs, surroundings] of rejected)
		await record(chapter, failure, method, inputs, surroundings);
	expect(await control.requests()).toEqual([]);
}, 60_000);

it('records the connections that the app rejects', async () => {
	const chapter = 'Connection';
	const connection = async (failure: string, other: Account) => {
		await record(chapter, failure, 'test', {}, { account: other });
	};
	await connection('API Key: missing', { api_key: '' });
	await connection('API Key: without sk_', { api_key: 'demo' });
	await connection('API Key: with a line break', { api_key: 'sk_a\nb' });
	await connection('API Key: unknown', { api_key: 'sk_sandbox_other' });
	await connection('Base URL: missing', { base_url: '' });
	await connection('Base URL: not a URL', { base_url: 'service' });
	await connection('Base URL: plain http to another machine', { base_url: 'http://service.example', api_key: 'sk_1' });
	await connection('Base URL: another path', { base_url: `${sandbox.url}/nowhere/` });
	await connection('Base URL: nothing listens', { base_url: `http://127.0.0.1:${await closedPort()}` });
	await connection('Base URL: no TLS', { base_url: sandbox.baseUrl.replace('http:', 'https:') });
	await using untrusted = await untrustedServer();
	await connection('Base URL: a certificate that is not trusted', { base_url: untrusted.baseUrl });
	const replies: Readonly<Record<string, StubResponse>> = {
		'Base URL: a website': { status: 200, body: '<h1>Hi</h1>' },
		'Base URL: a redirect': { status: 307, headers: { Location: 'https://www.service.example/api/v1/' } },
		'No balance in the response': { status: 200, body: '{"success": true, "data": {"units": 12}}' },
		'An unknown key in a 200': { status: 200, body: '{"success": false, "message": "Invalid API key"}' },
		'The service is down': { status: 503, body: '{"message": "Back at noon"}' },
	};
	for (const [failure, reply] of Object.entries(replies)) {
		await using server = await stubServer(reply);
		await connection(failure, { base_url: server.baseUrl, api_key: 'sk_1' });
	}
});

it('records the errors of a relay', async () => {
	const chapter = 'Relay';
	await using relay = await stubRelay();
	const known = { relay_url: relay.url, relay_token: relay.token };
	const at = (server: StubServer) => ({ ...known, relay_url: new URL(server.baseUrl).origin });
	const record = async (failure: string, other: Account, where = 'test', hook: Surroundings['hook'] = {}) => {
		const method = where === 'test' ? methods.test : `triggers.new_inbound_sms.operation.${where}`;
		const app = driveApp({ ...account(), ...other }, { hook });
		note(chapter, failure, where, shownBy(await app.attempt(method, {})));
	};
	await record('Connection without a relay', {}, 'performSubscribe');
	await record('Relay URL: missing', { relay_token: 'rly_1' });
	await record('Relay Token: missing', { relay_url: relay.url });
	await record('Relay Token: with a line break', { relay_url: relay.url, relay_token: 'rly_a\nb' });
	await record('Relay Token: unknown', { ...known, relay_token: 'rly_other' });
	const urls: Readonly<Record<string, string>> = {
		'not a URL': 'relay',
		'another protocol': 'ftp://relay.example',
		'with a user name': 'https://ama@relay.example',
		'with a query': 'https://relay.example?a=1',
		'plain http': 'http://relay.example',
		'nothing listens': `http://127.0.0.1:${await closedPort()}`,
		'the service': sandbox.url,
	};
	for (const [failure, relay_url] of Object.entries(urls))
		await record(`Relay URL: ${failure}`, { ...known, relay_url });
	const blocked = { error: { code: 'url_blocked', message: 'This token may only use hooks.zapier.com' } };
	const replies: Readonly<Record<string, StubResponse>> = {
		'Relay URL: a website': { status: 200, body: '<h1>Hi</h1>' },
		'Relay URL: a redirect': { status: 307, headers: { Location: 'https://www.relay.example/v1/me' } },
		'The relay is starting': { status: 503, body: '' },
		'The relay rejects the URL of the Zap': { status: 422, body: JSON.stringify(blocked) },
	};
	for (const [failure, reply] of Object.entries(replies)) {
		await using server = await stubServer(reply);
		await record(failure, at(server), 'performSubscribe');
	}
	const admin = { token: { id: 'tok_1', name: 'Admin', kind: 'admin' }, relay: { version: '1.0.0' } };
	await using other = await stubServer({ status: 200, body: JSON.stringify(admin) });
	await record('Relay Token: of another kind', at(other));
	const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
	const delivered = async (
		failure: string,
		headers: Record<string, string>,
		subscribeData: unknown = { id: 's', secret },
	) => await record(failure, known, 'perform', { rawRequest: { headers, content: '{}' }, subscribeData });
	const signed = signedHeaders(secret, 'evt_1', '{}');
	await delivered('Delivery without a signature', {});
	await delivered('Delivery with a wrong signature', { ...signed, 'webhook-id': 'evt_2' });
	await delivered('Delivery with an old signature', signedHeaders(secret, 'evt_1', '{}', 1_700_000_000));
	await delivered('Delivery to a Zap without a secret', signed, { id: 's' });
});

it('records the rejections of the service', async () => {
	const chapter = 'Rejected by the service';
	const stop = (number: string | undefined) => control.ask('POST', 'opt-outs', { number });
	await stop(to);
	await record(chapter, 'Recipient opted out', 'sendSms', sms);
	await record(chapter, 'All recipients opted out', 'sendBulkSms', toList([to]));
	await record(chapter, 'Opted out and unreachable', 'sendBulkSms', toList([to, '+233990000001']));
	await record(
		chapter,
		'One recipient opted out, with Skip Rejected Numbers off',
		'sendBulkSms',
		toList([to, '+233201234568'], { skip_rejected_numbers: 'false' }),
	);
	await record(chapter, 'Key unknown', 'sendSms', sms, { account: { api_key: 'sk_sandbox_other' } });
	await record(
		chapter,
		'Key unknown',
		'findMessage',
		{ message_id: 'm' },
		{ account: { api_key: 'sk_sandbox_other' } },
	);
	await record(chapter, 'Sender ID not approved', 'sendSms', { ...sms, sender_id: 'PENDINGCO' });
	await record(chapter, 'Sender ID not approved', 'sendBulkSms', toList([to], { sender_id: 'PENDINGCO' }));
	await record(chapter, 'Verification not found', 'checkVerificationCode', { verification_id: '77', code: '1' });
	await control.settings({ whatsapp_set_up: false, voice_set_up: false, email_set_up: false });
	await record(chapter, 'Channel not set up', 'sendWhatsappMessage', { to, message: 'Hi' });
	await record(chapter, 'Channel not set up', 'makeVoiceCall', { to, message: 'Hi' });
	await record(chapter, 'Channel not set up', 'sendEmail', { to: 'ama@example.com', subject: 'Hi', message: 'Hi' });
	await control.reset();
	await control.emptyWallet();
	for (const [method, inputs] of [
		['sendSms', sms],
		['sendBulkSms', toList([to])],
		['sendVerificationCode', code],
	] as const) {
		await record(chapter, 'Wallet empty', method, inputs);
	}
	const verdict = async (failure: string, body: unknown) => {
		await using server = await stubServer({ status: 200, body: JSON.stringify(body) });
		const inputs = { verification_id: '1', code: '493021' };
		await record(chapter, failure, 'checkVerificationCode', inputs, { account: { base_url: server.baseUrl } });
	};
	await verdict('Code: success without a verdict', { success: true });
	await verdict('Code: wrong', { success: false, code: 'invalid_code', message: 'The code is wrong.' });
	await using oneContact = await stubServer({ status: 200, body: '[{"name": "Ama", "line": "+233201234567"}]' });
	await record(
		chapter,
		'No contact has a phone',
		'findContact',
		{ phone: to },
		{ account: { base_url: oneContact.baseUrl } },
	);
	const page = { data: [{ id: 1, name: 'Ama', phone: to }], current_page: 1, last_page: 9 };
	await using stuck = await stubServer({ status: 200, body: JSON.stringify(page) });
	await record(
		chapter,
		'The next page repeats',
		'findContact',
		{ name: 'Esi' },
		{ account: { base_url: stuck.baseUrl } },
	);
});

it('records error responses, and responses that say nothing', async () => {
	const chapter = 'Error responses of the service';
	const body = { error: { code: 'E42', message: 'The gateway is closed' } };
	const steps: ReadonlyArray<readonly [method: Method, endpoint: string, inputs: Inputs]> = [
		['sendSms', 'sms.send', sms],
		['sendVerificationCode', 'verification.start', code],
		['sendBulkSms', 'sms.sendBulk', toList([to])],
		['findMessage', 'message.get', { message_id: 'msg_1' }],
	];
	for (const [method, endpoint, inputs] of steps) {
		for (const status of [401, 403, 422, 500]) {
			await control.reset();
			await control.fault({ endpoint, kind: 'answer', status, body, times: 5 });
			await record(chapter, `Status ${status}`, method, inputs);
		}
		await control.reset();
		await control.fault({ endpoint, kind: 'answer', status: 429, headers: { 'Retry-After': '17' }, body, times: 5 });
		await record(chapter, 'Status 429', method, inputs);
		for (const kind of ['drop_before', 'drop_after', 'half_json']) {
			await control.reset();
			await control.fault({ endpoint, kind, times: 5 });
			await record(chapter, `Fault ${kind}`, method, inputs);
		}
		for (const response of ['<html>OK</html>', '{}', '{"success": true}']) {
			await control.reset();
			await control.fault({ endpoint, kind: 'answer', status: 200, body: response });
			await record(chapter, `Status 200 with ${response}`, method, inputs);
		}
		await control.reset();
		await control.fault({ endpoint, kind: 'answer', status: 401, body });
		await control.fault({ endpoint: 'wallet.getBalance', kind: 'answer', status: 401 });
		await record(chapter, 'Status 401, and again for the key check', method, inputs);
		const unreachable = { account: { base_url: `http://127.0.0.1:${await closedPort()}` } };
		await record(chapter, 'Nothing listens', method, inputs, unreachable);
	}
	await control.reset();
	const words = { message: `Cannot take “${String(sms.message)}” from ${sandbox.apiKey}` };
	await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 500, body: words });
	await record(chapter, 'Key and message in the response', 'sendSms', sms);
}, 120_000);

it('records the errors of Send Once Keys', async () => {
	const chapter = 'Send Once Key';
	await using cache = await cacheServer();
	const stored = { rpc_base: cache.rpcBase };
	await driveApp(account(), stored).run(methods.sendSms, keyed);
	await record(chapter, 'Used for another recipient', 'sendSms', { ...keyed, to: '+233201234568' }, stored);
	await control.fault({ endpoint: 'sms.send', kind: 'drop_after' });
	const unknown = { ...keyed, send_once_key: 'order 8' };
	await record(chapter, 'Outcome unknown', 'sendSms', unknown, stored);
	await record(chapter, 'Replay after an unknown outcome', 'sendSms', unknown, stored);
	cache.mood = 'down';
	await record(chapter, 'Zapier stores nothing', 'sendSms', { ...keyed, send_once_key: 'order 9' }, stored);
	await record(chapter, 'Zapier stores nothing', 'sendVerificationCode', { ...code, send_once_key: 'login 7' }, stored);
});

it('records the reasons of rows', async () => {
	const chapter = 'Rows of a bulk send';
	const [ama, kofi, esi] = numbers(3);
	await control.ask('POST', 'opt-outs', { number: kofi });
	const list = [ama, '12', ama, esi, 'Kofi', kofi];
	await record(chapter, 'Skipped and rejected numbers', 'sendBulkSms', toList(list, { excluded_numbers: [esi] }));
	const lines = ['Hi', ' ', 'x'.repeat(1601)].map((line_message) => ({ line_to: ama, line_message }));
	await record(chapter, 'Blank and long messages', 'sendBulkSms', toLines(lines));
	await control.fault({ endpoint: 'sms.sendBulk', kind: 'drop_after' });
	await record(chapter, 'No response', 'sendBulkSms', toList([ama]));
	await control.adjustWallet(-39.75);
	await record(chapter, 'Wallet empty after a message', 'sendBulkSms', toList(numbers(9), { numbers_per_request: 1 }));
});

describe('records the errors of time limits', () => {
	beforeEach(() => fakeTimeouts());
	afterEach(() => jest.useRealTimers());
	const chapter = 'Time limits';
	const pending = async (requests: number) =>
		await eventually(
			'requests',
			async () => ((await control.requests()).length >= requests ? true : undefined),
			10_000,
		);

	it('records the time limit of a send', async () => {
		await control.fault({ endpoint: 'sms.send', kind: 'hang' });
		const recorded = record(chapter, 'No response in time', 'sendSms', sms);
		await pending(1);
		jest.advanceTimersByTime(25_000);
		await recorded;
	});

	it('records the time limit of a bulk send', async () => {
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'hang', times: 50 });
		const inputs = toList(numbers(6), { numbers_per_request: 1 });
		const recorded = record(chapter, 'No response in time', 'sendBulkSms', inputs);
		await pending(5);
		jest.advanceTimersByTime(25_000);
		await recorded;
	});

	it('records a bulk send without time for a request', async () => {
		const now = jest.spyOn(performance, 'now').mockReturnValue(24_000).mockReturnValueOnce(0);
		await record(chapter, 'No time left', 'sendBulkSms', toList([to]));
		now.mockRestore();
	});
});

it('shows users the same errors as errors.golden.md (UPDATE_GOLDEN=1 writes the file)', () => {
	expectGolden(GOLDEN, render(HEADING, entries));
});

it('has no formatting artifacts in an error text', () => {
	expect(entries.length).toBeGreaterThan(100);
	expect(entries.filter(({ shown }) => formattingArtifact.test(shown.join('\n')))).toEqual([]);
});
