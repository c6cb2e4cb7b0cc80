import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import fc from 'fast-check';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { INodeParameters } from 'n8n-workflow';
import { deduplicationStore } from './deduplicationStore';
import { startEngine } from './engine';
import { startTriggerEngine, type TriggerEngine } from './triggerEngine';
import { startWalletEngine } from './walletEngine';

const secret = 'k3yK3yAbCdEfGhIjKlMnOpQrStUvWxYz';
const form = 'application/x-www-form-urlencoded';

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

let service: Awaited<ReturnType<typeof startRepeatingService>>;
let engines: TriggerEngine[];
const lines: string[] = [];

beforeAll(async () => {
	service = await startRepeatingService();
	const start = async (parameters: INodeParameters) =>
		await startTriggerEngine(
			{
				messagingServiceWebhookApi: { secret, previousSecret: '' },
				messagingServiceApi: { baseUrl: service.baseUrl, apiKey: 'sk_sandbox_1', authHeader: 'X-API-Key' },
			},
			{ triggerOn: ['inboundSms', 'inboundWhatsapp', 'deliveryReceipt', 'lowBalance'], ...parameters },
		);
	engines = [
		await start({}),
		await start({ beforeStarting: ['forwardInboundSms', 'confirm'] }),
		await start({ beforeStarting: ['forwardInboundSms', 'confirm'], options: { maxStartsPerSenderPerHour: 1 } }),
		await start({ triggerOn: ['deliveryReceipt'], beforeStarting: ['confirm'] }),
		await start({ options: { allowedIps: '203.0.113.7' } }),
	];
});
beforeEach(() => {
	lines.length = 0;
	const logger = Container.get(Logger);
	for (const level of ['error', 'warn', 'info', 'debug'] as const) {
		jest.spyOn(logger, level).mockImplementation((...logged: unknown[]) => {
			lines.push(JSON.stringify(logged));
		});
	}
});
afterAll(() => service.close());

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
		secret: fc.constantFrom(secret, secret, secret, 'wrong'),
		engine: fc.nat({ max: 4 }),
	}),
);

it('logs no number, message text or code of a webhook, however the service repeats them', async () => {
	let written = 0;
	await fc.assert(
		fc.asyncProperty(events, async ({ hidden, known, body, status, contentType, secret: given, engine }) => {
			service.report(known, status);
			lines.length = 0;
			await engines[engine]?.post({ secret: given, body, contentType });
			written += lines.length;
			const log = lines.join('\n').toLowerCase();
			for (const text of hidden.texts) expect(log).not.toContain(text);
			const inDigits = log.replace(/[\s().-]/g, '');
			for (const one of hidden.numbers) expect(inDigits).not.toContain(one.slice(1));
		}),
		{ numRuns: 150 },
	);
	expect(written).toBeGreaterThan(20);
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
