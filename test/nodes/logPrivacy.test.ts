import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { INodeParameters } from 'n8n-workflow';
import { z } from 'zod/v4';
import { deduplicationStore } from '../support/n8n/deduplicationStore';
import { startEngine } from '../support/n8n/engine';
import type { CredentialData } from '../support/n8n/loadedPackage';
import { startTriggerEngine, type TriggerEngine } from '../support/n8n/triggerEngine';
import { startWalletEngine } from '../support/n8n/walletEngine';
import { fc, runCount } from '../support/random';
import { stubRelay, type StubEvent, type StubRelay, type StubSubscription } from '../support/stubRelay';

const secret = 'k3yK3yAbCdEfGhIjKlMnOpQrStUvWxYz';
const previousSecret = 'pR3vI0uSAbCdEfGhIjKlMnOpQrStUvWx';
const signatureSecret = 's1gNs1gNAbCdEfGhIjKlMnOpQrStUvWx';
const apiKey = 'sk_sandbox_privateKey';
const relayToken = 'rly_t0k3nAbCdEfGhIjKlMnOpQrStUv';
/** With Unguessable URL, this ID is the secret. */
const webhookId = randomUUID();
/** With those that the tests of the relay add. */
const secrets = [secret, previousSecret, signatureSecret, apiKey, webhookId, relayToken];
const form = 'application/x-www-form-urlencoded';

/** The credential of each choice of Authentication, and of Receive Through: Relay. */
const credentialOf = {
	none: {},
	secret: { messagingServiceWebhookApi: { secret, previousSecret } },
	signature: {
		messagingServiceSignatureApi: {
			signatureSecret,
			signatureHeader: 'X-Signature',
			signatureAlgorithm: 'sha256',
			signatureEncoding: 'hex',
		},
	},
} satisfies Record<string, CredentialData>;
type Authentication = keyof typeof credentialOf | 'relay';
const authentications = ['none', 'relay', 'secret', 'signature'] as const satisfies readonly Authentication[];

/** A service that repeats its input and its data about the message in every part of its response. */
async function startRepeatingService() {
	let reported: readonly string[] = [];
	let status = 422;
	let onRequest: () => void = () => undefined;
	const server = createServer((request, response) => {
		request.resume().once('end', () => {
			onRequest();
			if (request.url?.includes('/wallet/transactions')) {
				const data = [{ id: 't1', type: 'topup', amount: 5, status: 'pending', reference: 'ref_1' }];
				response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ success: true, data }));
				return;
			}
			const words = reported.join(' / ');
			const message = `Could not store ${words}; ${words.toUpperCase()}`;
			response.writeHead(status, { 'content-type': 'application/json' });
			response.end(JSON.stringify({ success: false, code: words, message, errors: { From: [words] }, status: words }));
		});
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('no TCP port');
	return {
		baseUrl: `http://127.0.0.1:${address.port}/api/v1/`,
		report: (words: readonly string[], httpStatus: number) => {
			reported = words;
			status = httpStatus;
		},
		onRequest: (listener: () => void) => {
			onRequest = listener;
		},
		close: () => server.close(),
	};
}

interface Engine {
	readonly authentication: Authentication;
	readonly engine: TriggerEngine;
	/** With the relay: the registration of the trigger. */
	readonly subscription: StubSubscription | undefined;
}

let service: Awaited<ReturnType<typeof startRepeatingService>>;
let relay: StubRelay;
let engines: Engine[];
const lines: string[] = [];

beforeAll(async () => {
	service = await startRepeatingService();
	relay = await stubRelay(relayToken);
	engines = [];
	for (const authentication of authentications) {
		const messagingServiceApi = { baseUrl: service.baseUrl, apiKey, authHeader: 'X-API-Key' };
		const all = { triggerOn: ['inboundSms', 'inboundWhatsapp', 'deliveryReceipt', 'lowBalance'] };
		const configurations: INodeParameters[] = [
			{},
			{ forwardInboundSms: true },
			{ forwardInboundSms: true, options: { maxStartsPerSenderPerHour: 1 } },
			// Not for a relay, which registers a trigger only at its own address.
			{ options: { allowedIps: '203.0.113.7', unrecognizedRequests: 'start' } },
		];
		for (const parameters of configurations) {
			const credentials: CredentialData =
				authentication === 'relay'
					? { messagingServiceRelayApi: { relayUrl: relay.url, relayToken }, messagingServiceApi }
					: { ...credentialOf[authentication], messagingServiceApi };
			const engine = await startTriggerEngine(credentials, { ...all, ...parameters }, { webhookId });
			engines.push({ authentication, engine, subscription: await registrationOf(authentication, engine) });
		}
	}
	secrets.push(...engines.flatMap(({ subscription }) => (subscription ? [subscription.secret] : [])));
});

async function registrationOf(authentication: Authentication, engine: TriggerEngine) {
	if (authentication !== 'relay') return undefined;
	await engine.hook('create', { origin: 'http://127.0.0.1:1', mode: 'trigger', activation: 'activate' });
	return [...relay.subscriptions.values()].at(-1);
}

beforeEach(() => {
	lines.length = 0;
	const logger = Container.get(Logger);
	for (const level of ['error', 'warn', 'info', 'debug'] as const) {
		jest.spyOn(logger, level).mockImplementation((...logged: unknown[]) => {
			lines.push(JSON.stringify(logged));
		});
	}
});
afterAll(async () => {
	service.close();
	await relay[Symbol.asyncDispose]();
});

const digits = (length: number) => fc.stringMatching(new RegExp(`^[1-9]\\d{${length - 1}}$`));
const number = digits(11).map((rest) => `+${rest}7`);
const privateText = fc.tuple(digits(6), fc.stringMatching(/^[a-z]{8,12}$/)).map(([code, word]) => ({
	code,
	word,
	message: `My PIN is ${code}, ${word}`,
}));
/** A number in the formats that people use. */
const spelled = (plain: string) =>
	fc.constantFrom(
		plain,
		plain.slice(1),
		`00${plain.slice(1)}`,
		`${plain.slice(0, 4)} ${plain.slice(4, 7)} ${plain.slice(7)}`,
	);

const events = fc.tuple(number, number, privateText).chain(([from, to, text]) =>
	fc.record({
		hidden: fc.constant({ numbers: [from, to], texts: [text.code, text.word] }),
		known: fc.tuple(spelled(from), spelled(to)).map((numbers) => [...numbers, text.message, text.code]),
		body: fc.oneof(
			fc.record({ From: spelled(from), To: fc.constant('KOFISHOP'), Message: fc.constant(text.message) }),
			fc.record({
				from: spelled(from),
				to: spelled(to),
				message: fc.constantFrom(text.message, 'STOP'),
				message_id: fc.uuid(),
				status: fc.constantFrom('received', 'delivered'),
			}),
			fc.record({
				message_id: fc.constantFrom(text.code, `${from}-${text.word}`),
				status: fc.constantFrom('delivered', text.message),
				to: spelled(to),
			}),
			fc.record({ balance: fc.constant(Number(text.code)), threshold: fc.constant(1e9) }),
			fc.record({ [`key ${text.word}`]: spelled(from), note: fc.constant(text.message) }),
		),
		status: fc.constantFrom(422, 403, 401),
		contentType: fc.constantFrom('application/json', form, 'text/plain'),
		trusted: fc.constantFrom(true, true, true, false),
		// Four configurations of each authentication.
		engine: fc.nat({ max: 4 * authentications.length - 1 }),
	}),
);

type Call = typeof events extends fc.Arbitrary<infer Value> ? Value : never;

/** A call that starts each trigger, and one with a wrong secret, which each of them logs. */
function callsOfAll(): Array<[Call]> {
	const [from, message] = ['+233201234567', 'My PIN is 482915, kenkey'];
	const call: Omit<Call, 'engine' | 'trusted'> = {
		hidden: { numbers: [from, from], texts: ['482915', 'kenkey'] },
		known: [from, message],
		body: { From: from, To: 'KOFISHOP', Message: message },
		status: 422,
		contentType: form,
	};
	return engines.flatMap((_, engine) => [true, false].map((trusted): [Call] => [{ ...call, trusted, engine }]));
}

/** The relay's event for the body of a request. */
function relayed(body: object): StubEvent {
	const fields = Object.fromEntries(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value]));
	const type = relayTypeOf(fields);
	const nothing = { to: null, message_id: null, keyword: null, channel: null, provider_status: null };
	const data = type === 'unrecognized' ? { body: fields } : { ...nothing, currency: null, ...fields, event: type };
	return { id: `evt_${randomUUID()}`, type, timestamp: '2026-11-22T10:00:00.000Z', sequence: 1, data };
}

function relayTypeOf(fields: object): string {
	if ('message' in fields) return 'sms.inbound';
	if ('status' in fields) return 'message.status';
	return 'balance' in fields ? 'wallet.low_balance' : 'unrecognized';
}

/** The request of a caller with the secret of the engine, or with a wrong one. */
function callOf({ authentication, subscription }: Engine, trusted: boolean, body: object, contentType: string) {
	if (subscription) {
		const wrong = { ...subscription, secret: `whsec_${Buffer.from('wrong').toString('base64')}` };
		return relay.sign(trusted ? subscription : wrong, relayed(body));
	}
	const text = contentType === form ? new URLSearchParams(Object.entries(body)).toString() : JSON.stringify(body);
	if (authentication === 'secret') return { secret: trusted ? secret : 'wrong', body: text, contentType };
	const key = trusted ? signatureSecret : 'wrong';
	const headers = { 'x-signature': createHmac('sha256', key).update(text).digest('hex') };
	return authentication === 'none' ? { body: text, contentType } : { body: text, contentType, headers };
}

it('logs no secret, number, message text or code of a webhook, however the service repeats them', async () => {
	const written = new Map<Authentication, number>();
	const started = new Set<Authentication>();
	await fc.assert(
		fc.asyncProperty(events, async ({ hidden, known, body, status, contentType, trusted, engine: index }) => {
			const chosen = engines[index];
			if (!chosen) throw new Error(`No engine ${index}`);
			const { authentication, engine } = chosen;
			service.report([...known, ...secrets], status);
			lines.length = 0;
			const { answer, items } = await engine.post(callOf(chosen, trusted, body, contentType));
			if (items.length > 0) started.add(authentication);
			written.set(authentication, (written.get(authentication) ?? 0) + lines.length);
			const log = lines.join('\n').toLowerCase();
			for (const one of secrets)
				expect(`${log} ${JSON.stringify(answer)}`.toLowerCase()).not.toContain(one.toLowerCase());
			for (const text of hidden.texts) expect(log).not.toContain(text);
			const inDigits = log.replace(/[\s().-]/g, '');
			for (const one of hidden.numbers) expect(inDigits).not.toContain(one.slice(1));
		}),
		{ numRuns: runCount(400), examples: callsOfAll() },
	);
	expect([...started].sort()).toEqual(authentications);
	for (const authentication of authentications) expect(written.get(authentication)).toBeGreaterThan(0);
});

describe('the error at the activation of a trigger', () => {
	const weak = 'k3yK3yAbCdEf';
	it.each<[string, CredentialData]>([
		['a short secret', { messagingServiceWebhookApi: { secret: weak, previousSecret: '' } }],
		['a short previous secret', { messagingServiceWebhookApi: { secret, previousSecret: weak } }],
		['a secret with a space', { messagingServiceWebhookApi: { secret: `${weak} ${secret}`, previousSecret: '' } }],
		[
			'a signature header with a space',
			{ messagingServiceSignatureApi: { signatureSecret, signatureHeader: 'X Signature' } },
		],
	])('contains no secret if the credential has %s', async (_, credentials) => {
		const engine = await startTriggerEngine(credentials);
		const error: unknown = await engine.activateTrigger().catch((thrown: unknown) => thrown);
		const { message, description } = z.object({ message: z.string(), description: z.unknown() }).parse(error);
		const shown = [message, JSON.stringify(description), JSON.stringify(error), ...lines].join('\n');
		for (const one of [weak, ...secrets]) expect(shown).not.toContain(one);
	});
});

describe('the log of a registration at a relay that repeats everything', () => {
	const parameters = { triggerOn: ['inboundSms'], filters: { sender: '+233201234567' }, customKeywords: 'WALRUS' };
	const start = { origin: 'http://127.0.0.1:1', mode: 'trigger', activation: 'init' } as const;

	it.each([401, 403, 404, 409, 422, 500])('contains no secret, number or keyword after HTTP %i', async (status) => {
		const credentials = { messagingServiceRelayApi: { relayUrl: relay.url, relayToken } };
		const engine = await startTriggerEngine(credentials, parameters, { webhookId });
		await engine.hook('create', { ...start, activation: 'activate' });
		const registered = [...relay.subscriptions.values()].at(-1);
		const words = [...secrets, registered?.secret ?? '', JSON.stringify(registered)].join(' / ');
		relay.fault = { status, body: { error: { code: 'invalid', message: words, field: words } } };
		lines.length = 0;
		engine.logged();
		try {
			await engine.hook('checkExists', start);
			await engine.hook('create', start);
			await engine.hook('delete', { ...start, mode: 'internal', activation: 'update' });
		} finally {
			relay.fault = undefined;
		}
		const log = [...lines, ...engine.logged()];
		expect(log).toHaveLength(3);
		for (const one of [...secrets, registered?.secret ?? '']) expect(log.join('\n')).not.toContain(one);
		expect(log.join('\n')).not.toMatch(/233201234567|walrus/i);
	});
});

describe('the log of the other nodes', () => {
	const hidden = ['+233201234567', 'My PIN is 987654, walrus'];
	const credentials = () => ({
		messagingServiceApi: { baseUrl: service.baseUrl, apiKey: 'sk_sandbox_1', authHeader: 'X-API-Key' },
	});
	const expectNothingPrivate = () => {
		// n8n itself logs the error of a failing node, with the node's fields.
		const ours = lines.filter((line) => line.startsWith('["Messaging Service'));
		expect(ours).not.toEqual([]);
		expect(ours.join('\n')).not.toMatch(/233201234567|987654|walrus/i);
	};

	it('has no words of the service about a top-up that cannot be read', async () => {
		service.report(hidden, 422);
		const wallet = await startWalletEngine(credentials(), { triggerOn: ['topUpCompleted'] });
		for (let polls = 0; polls < 3; polls += 1) await wallet.poll().catch(() => undefined);
		expectNothingPrivate();
	});

	it('has no words of a failing key store', async () => {
		deduplicationStore.clear();
		service.report(hidden, 422);
		service.onRequest(() => {
			deduplicationStore.failure = new Error(`Could not delete ${hidden.join(' / ')}`);
		});
		const engine = await startEngine(credentials());
		await engine.run({
			parameters: {
				resource: 'sms',
				operation: 'send',
				senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
				to: '+233201234567',
				message: 'Hi',
				options: { sendOnceKey: 'order-1' },
			},
			items: [{}],
		});
		service.onRequest(() => undefined);
		deduplicationStore.clear();
		expectNothingPrivate();
	});
});
