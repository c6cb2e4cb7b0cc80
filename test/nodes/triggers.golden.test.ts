import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { closedPort } from '../support/closedPort';
import { endRetryWaits } from '../support/endRetryWaits';
import { expectGolden, formattingArtifact, render, steady, type Entry } from '../support/golden';
import { jsonServer } from '../support/jsonServer';
import { startEngine } from '../support/n8n/engine';
import { relayedTrigger, RELAY_TOKEN, startRelay } from '../support/n8n/relayedTrigger';
import type { CredentialData } from '../support/n8n/loadedPackage';
import { startTriggerEngine, type WebhookCall } from '../support/n8n/triggerEngine';
import { startWalletEngine } from '../support/n8n/walletEngine';
import type { DeliveryOptions, StubEvent, StubRelay } from '../support/stubRelay';
import { useSandbox } from '../support/useSandbox';

endRetryWaits();

const GOLDEN = join(__dirname, 'triggers.golden.md');
const HEADING = {
	title: 'What users and callers of the n8n triggers read when something goes wrong',
	source: 'Errors at activation, responses to webhooks with lines in n8n’s log, and errors in items and polls.',
	test: 'test/nodes/triggers.golden.test.ts',
};

const secret = 'k3yK3yAbCdEfGhIjKlMnOpQrStUvWxYz';
const ama = '+233201234567';
const text = { from: ama, to: 'KOFISHOP', message: 'HOURS' };
const receipt = { message_id: 'm1', status: 'delivered' };
const form = 'application/x-www-form-urlencoded';

const { sandbox, control } = useSandbox();
const entries: Entry[] = [];

function note(chapter: string, failure: string, where: string, shown: readonly string[]): void {
	entries.push({ chapter, failure, where, shown: shown.map(steady) });
}

async function errorOf(promise: Promise<unknown>): Promise<string[]> {
	const error: unknown = await promise.catch((thrown: unknown) => thrown);
	if (!(error instanceof Error)) throw new Error(`Succeeded with ${JSON.stringify(error)}`);
	const { description } = error as Error & { description?: string | null };
	return [error.message, ...(description ? [description] : [])];
}

const withSecret: CredentialData = { messagingServiceWebhookApi: { secret, previousSecret: '' } };
const signing = (fields: Record<string, string>): CredentialData => ({
	messagingServiceSignatureApi: { signatureSecret: 'hmac-secret', signatureHeader: 'X-Signature', ...fields },
});

const triggerWith = (parameters: INodeParameters, credentials = withSecret, { baseUrl } = sandbox) =>
	startTriggerEngine(
		{
			...credentials,
			messagingServiceApi: { baseUrl, apiKey: sandbox.apiKey, authHeader: 'X-API-Key' },
		},
		{ triggerOn: ['inboundSms'], ...parameters },
	);

it('records the errors at activation', async () => {
	const chapter = 'Activation of the webhook trigger';
	const secretWith = (fields: Record<string, string>): CredentialData => ({
		messagingServiceWebhookApi: { secret, previousSecret: '', ...fields },
	});
	const credentials: ReadonlyArray<readonly [failure: string, credentials: CredentialData]> = [
		['Secret: missing', secretWith({ secret: '' })],
		['Secret: too short', secretWith({ secret: 'short' })],
		['Secret: easy to guess', secretWith({ secret: 'a'.repeat(40) })],
		['Secret: other characters', secretWith({ secret: `${secret}/x` })],
		['Previous Secret: too short', secretWith({ previousSecret: 'short' })],
		['Signature Secret: missing', signing({ signatureSecret: '' })],
		['Signature Header: missing', signing({ signatureHeader: ' ' })],
	];
	for (const [failure, given] of credentials) {
		note(chapter, failure, 'Activation', await errorOf((await triggerWith({}, given)).activateTrigger()));
		for (const [type, fields] of Object.entries(given)) {
			const { message } = await (await startEngine({})).testCredential(type, fields);
			note(chapter, failure, 'Credential test', [message.replace(/[\da-f]{40}$/, '<new secret>')]);
		}
	}
	const webhookIds: ReadonlyArray<readonly [failure: string, webhookId: string | undefined]> = [
		['Webhook ID: missing', undefined],
		['Webhook ID: not random', 'sms'],
	];
	for (const [failure, webhookId] of webhookIds) {
		const engine = await startTriggerEngine({}, undefined, { webhookId });
		note(chapter, failure, 'Activation', await errorOf(engine.activateTrigger()));
	}
	const fields: ReadonlyArray<readonly [failure: string, parameters: INodeParameters]> = [
		['Authentication: not a choice', { authentication: 'basicAuth' }],
		['Trigger On: empty', { triggerOn: [] }],
		['Trigger On: unknown event', { triggerOn: '={{ ["inboundSMS"] }}' }],
		['Allowed IP Addresses: empty', { options: { allowedIps: '' } }],
		['Allowed IP Addresses: null', { options: { allowedIps: '={{ null }}' } }],
		['Allowed IP Addresses: an object', { options: { allowedIps: '={{ { list: "203.0.113.7" } }}' } }],
		['Allowed IP Addresses: not an address', { options: { allowedIps: '203.0.113.7, nonsense' } }],
		['Max Starts per Sender per Hour: not a number', { options: { maxStartsPerSenderPerHour: '={{ "often" }}' } }],
		['Max Starts per Sender per Hour: negative', { options: { maxStartsPerSenderPerHour: -1 } }],
		['Deduplication Window: empty', { options: { deduplicationWindowSeconds: '={{ "" }}' } }],
		['Unrecognized Requests: not a choice', { options: { unrecognizedRequests: '={{ "maybe" }}' } }],
		['Custom Keywords: null', { customKeywords: '={{ null }}' }],
		['Sender: empty list', { filters: { sender: '={{ [] }}' } }],
		['Keyword: not a choice', { filters: { keywords: '={{ ["stopp"] }}' } }],
		['Forward Inbound SMS: not a switch', { forwardInboundSms: '={{ "forward" }}' }],
		['Separate Outputs by Keyword: not yes or no', { routeByKeyword: '={{ "false" }}' }],
	];
	for (const [failure, parameters] of fields) {
		note(chapter, failure, 'Activation', await errorOf((await triggerWith(parameters)).activateTrigger()));
	}
});

it('records the errors of the relay at activation and in the test of its credential', async () => {
	const chapter = 'Receiving through the relay';
	await using relay = await startRelay();
	const error = (code: string, field?: string) => ({ error: { code, message: 'Choose other types.', field } });
	const nowhere = `http://127.0.0.1:${await closedPort()}`;
	const failures: ReadonlyArray<
		readonly [failure: string, fields: Record<string, string>, fault?: StubRelay['fault']]
	> = [
		['Relay URL: missing', { relayUrl: '' }],
		['Relay URL: no scheme', { relayUrl: 'relay.example.com' }],
		['Relay URL: a user name', { relayUrl: 'https://me@relay.example.com' }],
		['Relay URL: the URL for events', { relayUrl: 'https://relay.example.com/in/secret' }],
		['Relay URL: nothing listens', { relayUrl: nowhere }],
		['Relay URL: another server', {}, { status: 200, body: { ok: true } }],
		['Relay URL: another server without the page', {}, { status: 404, body: 'Not Found' }],
		['Relay Token: missing', { relayToken: '' }],
		['Relay Token: a space', { relayToken: 'rly_a b' }],
		['Relay Token: unknown', { relayToken: 'rly_other' }],
		['The relay: not ready', {}, { status: 503, body: error('unavailable') }],
	];
	const onlyAtActivation: typeof failures = [
		['Relay Token: may not register', {}, { status: 403, body: error('forbidden') }],
		['Relay Token: another one registered the trigger', {}, { status: 409, body: error('conflict') }],
		['The relay: address of n8n blocked', {}, { status: 422, body: error('url_blocked') }],
		['The relay: rejects the registration', {}, { status: 422, body: error('invalid', 'types') }],
	];
	for (const [failure, fields, fault] of [...failures, ...onlyAtActivation]) {
		relay.fault = fault;
		const access = { relayUrl: relay.url, relayToken: RELAY_TOKEN, ...fields };
		const engine = await startTriggerEngine({ messagingServiceRelayApi: access });
		note(chapter, failure, 'Activation', await errorOf(engine.activateTrigger()));
		if (onlyAtActivation.some(([other]) => other === failure)) continue;
		const { message } = await (await startEngine({})).testCredential('messagingServiceRelayApi', access);
		note(chapter, failure, 'Credential test', [message]);
	}
	relay.fault = undefined;
	await using trigger = await relayedTrigger(relay, { serve: { isActive: () => true } });
	await trigger.activate();
	const hours = { event: 'sms.inbound', from: ama, to: 'KOFISHOP', message: 'HOURS', message_id: null, keyword: null };
	const event = { id: 'evt_1', type: 'sms.inbound', timestamp: '2026-11-22T10:00:00Z', sequence: 1, data: hours };
	const deliver = async (failure: string, given: StubEvent, deviation: DeliveryOptions = {}) => {
		const { status, body } = await relay.deliver(trigger.registered(), given, deviation);
		const lines = trigger.engine.logged().map((line) => `${line.replace(/\{.*$/, '').trim()} [log]`);
		note('Responses to webhooks', failure, 'Webhook', [`${JSON.stringify(body)} [${status}]`, ...lines]);
	};
	await deliver('No signature of the relay', event, { headers: { 'webhook-signature': undefined } });
	await deliver('Wrong signature of the relay', event, { headers: { 'webhook-signature': 'v1,AAAA' } });
	await deliver('Old signature of the relay', event, { ageSeconds: 3600 });
	await deliver('An event of another version of the relay', { ...event, data: { event: 'sms.inbound' } });
	expect(trigger.served.started).toEqual([]);
}, 60_000);

it('records the responses to requests that start nothing', async () => {
	const chapter = 'Responses to webhooks';
	const receive = async (
		failure: string,
		call: Partial<WebhookCall>,
		parameters: INodeParameters = {},
		credentials = withSecret,
	) => {
		const engine = await triggerWith(parameters, credentials);
		const { answer, result, items, status } = await engine.post({ secret, body: text, ...call });
		expect(items).toEqual([]);
		const body: unknown = answer.body ?? result.webhookResponse ?? '(no body)';
		const lines = engine.logged().map((line) => `${line.replace(/\{.*$/, '').trim()} [log]`);
		note(chapter, failure, 'Webhook', [`${JSON.stringify(body)} [${status}]`, ...lines]);
	};
	await receive('Wrong secret', { secret: 'wrong', ip: '203.0.113.9' });
	await receive('The placeholder instead of the secret', { secret: ':secret' });
	await receive('No signature', {}, {}, signing({}));
	await receive('Signature of another body', { headers: { 'x-signature': 'f'.repeat(64) } }, {}, signing({}));
	await receive('A credential without a Signature Secret', {}, {}, signing({ signatureSecret: '' }));
	await receive('Authentication unreadable', {}, { authentication: 'basicAuth' });
	await receive('IP address not allowed', { ip: '198.51.100.4' }, { options: { allowedIps: '203.0.113.7' } });
	await receive('Allowed IP Addresses unreadable', {}, { options: { allowedIps: '={{ null }}' } });
	await receive('Another field unreadable', {}, { options: { maxStartsPerSenderPerHour: -1 } });
	await receive('No sender', { body: { to: 'K', message: 'x' } });
	await receive('No fields', { body: {} });
	await receive('Repeated fields', { contentType: form, body: { ...text, from: [ama, '+233201234568'] } });
	await receive('An empty body', { body: '' });
	await receive('A list without records', { body: ['text'] });
	await receive('Plain text', { contentType: 'text/plain', body: 'hello' });
	await receive('Too large a body', { body: { ...text, message: 'x'.repeat(300_000) } });
	await receive('Lists in lists', { body: `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}` });
	await receive('Not recognized', { body: { id: 4, status: 'active' } });
	await receive('A receipt, which Trigger On does not have', { body: receipt });
	await receive('An inbound SMS, which Trigger On does not have', {}, { triggerOn: ['deliveryReceipt'] });
	await receive('A message that looks like a receipt', {
		body: { ...text, to: '+233301234567', id: 'x', status: 'sent' },
	});
});

it('records the limit of starts per sender', async () => {
	const engine = await triggerWith({ options: { maxStartsPerSenderPerHour: 1, deduplicationWindowSeconds: 0 } });
	for (let request = 0; request < 2; request++) await engine.post({ secret, body: text });
	const lines = engine.logged().map((line) => line.replace(/\{.*$/, '').trim());
	note('Responses to webhooks', 'More starts than allowed', 'Log', lines);
});

it('records failed forwards', async () => {
	const chapter = 'Items that report a failure';
	const start = async (failure: string, body: object, parameters: INodeParameters, at = sandbox.baseUrl) => {
		const engine = await triggerWith(parameters, withSecret, { ...sandbox, baseUrl: at });
		const [item] = (await engine.post({ secret, body })).items;
		const lines = engine.logged().map((line) => `${line.replace(/\{.*$/, '').trim()} [log]`);
		note(chapter, failure, JSON.stringify(item?.event), [JSON.stringify(item?.forward_error ?? item?.error), ...lines]);
	};
	const forward = (more: INodeParameters = {}): INodeParameters => ({ forwardInboundSms: true, ...more });
	const message = 'The inbox is closed.';
	await control.fault({ endpoint: 'sms.inbound', kind: 'answer', status: 403, body: { message } });
	await start('Forward rejected', text, forward());
	const nowhere = `http://127.0.0.1:${await closedPort()}/api/v1/`;
	await start('Forward not received', text, forward(), nowhere);
	const dropped = { filters: { keywords: ['help'] } };
	await start('Forward not received, and the message filtered out', text, forward(dropped), nowhere);
});

it('records the errors of the wallet trigger', async () => {
	const chapter = 'Wallet trigger';
	const poll = async (failure: string, parameters: INodeParameters, credential: Record<string, string> = {}) => {
		const { baseUrl, apiKey } = sandbox;
		const messagingServiceApi = { baseUrl, apiKey, authHeader: 'X-API-Key', ...credential };
		const engine = await startWalletEngine({ messagingServiceApi }, parameters);
		note(chapter, failure, 'Poll', await errorOf(engine.poll()));
	};
	const low = { triggerOn: ['lowBalance'], thresholdUnit: 'currency', threshold: 10 };
	const messages = { triggerOn: ['lowBalance'], thresholdUnit: 'messages', messagesLeft: 5, pricePerSegment: 1 };
	await poll('Trigger On: empty', { triggerOn: [] });
	await poll('Balance Below: zero', { ...low, threshold: 0 });
	await poll('Messages Left Below: zero', { ...messages, messagesLeft: 0 });
	await poll('Price per Segment: missing', { triggerOn: ['lowBalance'], thresholdUnit: 'messages', messagesLeft: 5 });
	await poll('API key unknown', low, { apiKey: 'sk_sandbox_wrong' });
	await poll('Base URL: nothing listens', low, { baseUrl: `http://127.0.0.1:${await closedPort()}/api/v1/` });
	await poll('Base URL: plain http to another machine', low, {
		baseUrl: 'http://service.example',
		apiKey: 'sk_live_x',
	});
	const body = { code: 'closed', message: 'The books are closed.' };
	await control.fault({ endpoint: 'wallet.getBalance', kind: 'answer', status: 403, body });
	await poll('The service rejects the call', low);
	const dated = Array.from({ length: 150 }, (_, index) => ({
		id: `t-${index}`,
		type: 'debit',
		amount: -1,
		created_at: new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString(),
	}));
	await using ascending = await jsonServer(({ pathname, searchParams }) =>
		pathname.endsWith('/balance') ? { balance: 40 } : { data: dated.slice(0, Number(searchParams.get('limit') ?? 50)) },
	);
	await poll(
		'A list with the oldest rows first that ignores the offset',
		{ triggerOn: ['newTransaction'] },
		{ baseUrl: ascending.baseUrl },
	);
}, 60_000);

it('shows users the same errors as triggers.golden.md (UPDATE_GOLDEN=1 writes the file)', () => {
	expectGolden(GOLDEN, render(HEADING, entries));
});

it('has no formatting artifacts in an error text of a trigger', () => {
	expect(entries.length).toBeGreaterThan(50);
	expect(entries.filter(({ shown }) => formattingArtifact.test(shown.join('\n')))).toEqual([]);
});
