import { z } from 'zod/v4';
import { startTriggerEngine, type TriggerEngine } from '../support/n8n/triggerEngine';
import { fc, runCount } from '../support/random';

const secret = 'k3yK3yAbCdEfGhIjKlMnOpQrStUvWxYz';
const form = 'application/x-www-form-urlencoded';
const everything = ['inboundSms', 'inboundWhatsapp', 'deliveryReceipt', 'lowBalance'];

let engine: TriggerEngine;
let keeping: TriggerEngine;
beforeAll(async () => {
	const start = async (unrecognizedRequests: string) =>
		await startTriggerEngine(
			{ messagingServiceWebhookApi: { secret, previousSecret: '' } },
			{
				triggerOn: everything,
				routeByKeyword: true,
				customKeywords: 'HOURS',
				options: { unrecognizedRequests, maxStartsPerSenderPerHour: 0 },
			},
		);
	engine = await start('reject');
	keeping = await start('start');
});

const keys = [
	...[
		'event',
		'type',
		'From',
		'from',
		'To',
		'to',
		'Message',
		'message',
		'text',
		'body',
		'message_id',
		'id',
		'status',
		'Status',
	],
	...['balance', 'threshold', 'currency', 'data', 'wallet', 'channel', 'wa_id', '__proto__', 'constructor', 'toString'],
];
const junk = fc.letrec((tie) => ({
	value: fc.oneof(
		{ maxDepth: 4 },
		fc.string(),
		fc.double(),
		fc.boolean(),
		fc.constantFrom(null, '', 'delivered', 'low_balance', 'inbound', '+233201234567', 'STOP', -1, 1e300),
		fc.array(tie('value'), { maxLength: 3 }),
		tie('object'),
	),
	object: fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), tie('value'), { maxKeys: 6 }),
}));
const unicode = fc.string({ unit: 'binary' });

describe('any request to the webhook trigger', () => {
	it('responds to JSON of any shape with 200 or a clear 4xx, and never throws', async () => {
		await fc.assert(
			fc.asyncProperty(junk.value, fc.boolean(), async (value, keep) => {
				const { status, items, answer, result } = await (keep ? keeping : engine).post({
					secret,
					body: JSON.stringify(value),
				});
				expect([200, 413, 415, 422]).toContain(status);
				if (status !== 200) {
					expect(items).toEqual([]);
					expect(answer.body).toMatchObject({ received: false, message: expect.any(String) as string });
				}
				expect(items.length).toBeLessThanOrEqual(1);
				if (items.length > 0) expect(result.workflowData).toHaveLength(5);
				for (const item of items)
					expect(JSON.parse(JSON.stringify(item))).toMatchObject({ event: expect.any(String) as string });
			}),
			{ numRuns: runCount(400) },
		);
	});

	it('never throws for a form of any bytes, or for any content type', async () => {
		const anything = fc.oneof(
			fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
			unicode,
		);
		const types = fc.constantFrom(
			form,
			`${form};charset=x`,
			'text/plain',
			'multipart/form-data',
			'application/xml',
			'',
			'\u0000',
		);
		await fc.assert(
			fc.asyncProperty(anything, types, fc.string(), async (body, contentType, header) => {
				const { status } = await engine.post({ secret, body, contentType, headers: { 'x-passed-on-by': header } });
				expect([200, 413, 415, 422]).toContain(status);
			}),
			{ numRuns: runCount(200) },
		);
	});

	it('responds to another secret with an empty 404', async () => {
		await fc.assert(
			fc.asyncProperty(unicode, junk.value, async (given, value) => {
				fc.pre(given !== secret && !/^:?secret$/i.test(given));
				const { result, answer } = await engine.post({ secret: given, body: JSON.stringify(value) });
				expect({ result, answer }).toEqual({ result: { noWebhookResponse: true }, answer: { status: 404 } });
			}),
			{ numRuns: runCount(100) },
		);
	});
});

describe('the fields of a webhook', () => {
	const party = fc.constantFrom('+233201234567', '233201234567', 'KOFISHOP', '1234', '+2348012345678');
	const wellFormed = unicode.filter((text) => !/\p{Surrogate}/u.test(text));
	const posts = fc.oneof(
		fc.record({ From: party, To: party, Message: wellFormed }),
		fc.record({ from: party, to: party, message: wellFormed, message_id: fc.uuid() }),
		fc.record({ message_id: fc.uuid(), status: fc.constantFrom('sent', 'Delivered', 'failed'), to: party }),
		fc.record({
			event: fc.constant('low_balance'),
			balance: fc.double({ min: 0, max: 1e6, noNaN: true }).map((n) => n.toFixed(2)),
			threshold: fc.constant('5'),
		}),
	);

	it('gives the same item for JSON and for a form', async () => {
		await fc.assert(
			fc.asyncProperty(posts, async (fields) => {
				// The editor's test mode does not deduplicate.
				const asJson = await engine.post({ secret, body: fields, mode: 'manual' });
				const asForm = await engine.post({ secret, body: fields, contentType: form, mode: 'manual' });
				const comparable = ({ items }: typeof asJson) => items.map((item) => ({ ...item, received_at: '' }));
				expect(asJson.items).toHaveLength(1);
				expect(comparable(asForm)).toEqual(comparable(asJson));
				expect(asForm.result.workflowData?.map(({ length }) => length)).toEqual(
					asJson.result.workflowData?.map(({ length }) => length),
				);
			}),
			{ numRuns: runCount(300) },
		);
	});
});

describe('receipts of a message in any order, repeated', () => {
	const order = ['queued', 'submitted', 'sent', 'delivered'];

	it('reports only progress, and in the end the furthest status', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.uuid(),
				fc.array(fc.constantFrom(...order, 'failed'), { minLength: 1, maxLength: 12 }),
				async (message_id, received) => {
					const reported: string[] = [];
					for (const status of received) {
						const { items } = await engine.post({ secret, body: { message_id, status } });
						reported.push(...items.map(({ status: one }) => z.string().parse(one)));
					}
					const stage = (status: string) => (status === 'failed' ? 3 : order.indexOf(status));
					expect(reported.map(stage)).toEqual([...new Set(reported.map(stage))].sort());
					expect(stage(reported.at(-1) ?? '')).toBe(Math.max(...received.map(stage)));
				},
			),
			{ numRuns: runCount(200) },
		);
	});
});
