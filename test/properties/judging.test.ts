import { contract, createClient, endpoints, recipientResults, type Endpoint, type Outcome } from '../../shared';
import { fc, runCount } from '../support/random';

/** Envelopes of a result, from the inside out. */
const envelopes: ReadonlyArray<readonly [name: string, wrap: (inner: object) => object]> = [
	['bare', (inner) => inner],
	['data', (inner) => ({ success: true, data: inner })],
	['result', (inner) => ({ result: inner })],
	['status and data', (inner) => ({ status: 'success', data: inner })],
	['data in data', (inner) => ({ data: { data: inner } })],
	['a list of one', (inner) => ({ data: [inner] })],
	['its own name', (inner) => ({ status: 'ok', sms: inner })],
	['response and items', (inner) => ({ response: { items: [inner] }, meta: { took: 3 } })],
	['messages', (inner) => ({ success: true, messages: [inner] })],
];

type Part = Readonly<Record<string, unknown>>;

/** Signs of failure in the words of services that this project does not know. */
const signs: fc.Arbitrary<Part> = fc.oneof(
	fc
		.tuple(
			fc.constantFrom('success', 'ok', 'successful', 'isSuccess'),
			fc.constantFrom<unknown>(false, 0, 'false', 'no', 'NO'),
		)
		.map(([key, value]) => ({ [key]: value })),
	fc
		.tuple(
			fc.constantFrom(
				'error',
				'errorMessage',
				'error_msg',
				'err',
				'failure',
				'failureReason',
				'exception',
				'error_description',
			),
			fc.constantFrom<unknown>(
				'No route to handset',
				'Your wallet is empty',
				{ code: 'E17', detail: 'Gateway closed' },
				[{ text: 'Line busy' }],
				'E_NO_CREDIT',
			),
		)
		.map(([key, value]) => ({ [key]: value })),
	fc
		.tuple(
			fc.constantFrom('status', 'state', 'delivery_status', 'sendStatus', 'result', 'outcome', 'messageStatus'),
			fc.constantFrom(
				...['failed', 'FAILED', 'Failure', 'rejected', 'REJECTED_BY_CARRIER', 'blocked', 'opted_out', 'OptedOut'],
				...['not_sent', 'notDelivered', 'UNDELIVERABLE', 'UNDELIV', 'insufficient_balance', 'InsufficientFunds'],
				...[
					'declined',
					'denied',
					'expired',
					'cancelled',
					'invalid',
					'blacklisted',
					'unsubscribed',
					'suspended',
					'error',
				],
			),
		)
		.map(([key, value]) => ({ [key]: value })),
	fc
		.tuple(
			fc.constantFrom('code', 'statusCode', 'status_code', 'httpStatus'),
			fc.constantFrom<unknown>(400, 402, 422, '503'),
		)
		.map(([key, value]) => ({ [key]: value })),
	fc.constantFrom<Part>(
		{ failed: true },
		{ is_blocked: true },
		{ opted_out: true },
		{ notSent: 1 },
		{ sent: false },
		{ accepted: false },
		{ failed: ['+233201234567'] },
		{ rejected: [{ to: '+233201234567' }] },
	),
);

/** Parts of responses that report no failure, although they may look like one. */
const harmless: fc.Arbitrary<Part> = fc.constantFrom<Part>(
	{ errors: [] },
	{ error: null },
	{ failed: 0 },
	{ failed_recipients: [] },
	{ message: 'No errors' },
	{ message: 'Message queued' },
	{ message: 'Sent to 1 recipient, 0 failed' },
	{ error_code: 0 },
	{ errorMessage: '' },
	{ failed_at: null },
	{ delivered: false },
	{ warnings: ['This number was ported'] },
	{ code: 200 },
	{ user: { id: 3, status: 'active' } },
	{},
);

/** Returns all objects in a value, including those in lists. */
function objectsIn(value: unknown): Array<Record<string, unknown>> {
	if (typeof value !== 'object' || value === null) return [];
	const inner = Object.values(value).flatMap(objectsIn);
	return Array.isArray(value) ? inner : [value as Record<string, unknown>, ...inner];
}

/** Puts a sign into one of the objects of a body, or into a new object or list in it. */
function withSign(body: object, sign: Part, place: number, nested: 'no' | 'object' | 'list'): object {
	const copy = structuredClone(body);
	const objects = objectsIn(copy);
	const target = objects[place % objects.length] ?? {};
	if (nested === 'no') Object.assign(target, sign);
	else target[nested === 'object' ? 'gateway' : 'attempts'] = nested === 'object' ? { ...sign } : [{ ...sign }];
	return copy;
}

async function outcomeOf(endpoint: Endpoint, body: object): Promise<Outcome<unknown>> {
	const client = createClient({
		baseUrl: 'https://service.example',
		apiKey: 'sk_test_1',
		transport: {
			send: () => Promise.resolve({ status: 200, headers: {}, body: JSON.stringify(body) }),
			sleep: () => Promise.resolve(),
		},
	});
	return await client.call(endpoint, endpoint.example.input);
}

/** The outcomes that the user sees: for a bulk send, one for each recipient. */
async function outcomesOf(endpoint: Endpoint, body: object): Promise<string[]> {
	const outcome = await outcomeOf(endpoint, body);
	if (endpoint.id !== 'sms.sendBulk' || outcome.outcome !== 'accepted') return [outcome.outcome];
	const input = contract.sms.sendBulk.input.parse(endpoint.example.input);
	const recipients = input.to.map((to, position) => ({ to, source: 0, position }));
	const output = contract.sms.sendBulk.output.parse(outcome.output);
	const rows = recipientResults({ index: 0, outcome: 'accepted', output, input: { name: '0', input, recipients } });
	return rows.map((row) => row.outcome);
}

/** Whether a sign is a status that is neither a clear yes nor a clear no. Endpoints whose result has no status ignore it. */
const isOpenStatus = (sign: Part): boolean =>
	Object.entries(sign).some(
		([key, value]) =>
			/stat|result|outcome/i.test(key) &&
			typeof value === 'string' &&
			!/^(failed|rejected|blocked|expired|invalid|error|\d+)$/i.test(value),
	);

const once = endpoints.filter(({ repeat, response }) => repeat === 'once' && response.kind !== 'code');
const anyEnvelope = fc.constantFrom(...envelopes);
const runs = { numRuns: runCount(400) };

describe.each(once.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (id, endpoint) => {
	// The record of an accepted call, without the sign that it is one.
	const record: Part = { ...(endpoint.example.output as Part), success: undefined };
	// Rows of a bulk send name their recipients. Its envelopes contain the batch.
	const fitting = id === 'sms.sendBulk' ? envelopes.filter(([name]) => !/items|messages/.test(name)) : envelopes;

	it('never accepts a call if the response has a sign of failure anywhere', async () => {
		await fc.assert(
			fc.asyncProperty(
				anyEnvelope,
				signs,
				harmless,
				fc.nat(8),
				fc.constantFrom('no', 'object', 'list'),
				async ([, wrap], sign, noise, place, nested) => {
					fc.pre('status' in record || !isOpenStatus(sign));
					// A row under the name of a failure applies only to its own recipient.
					fc.pre(id !== 'sms.sendBulk' || !JSON.stringify(sign).includes('+233'));
					const body = withSign(wrap({ ...record, ...noise }), sign, place, nested);
					expect([body, await outcomesOf(endpoint, body)]).toEqual([body, expect.not.arrayContaining(['accepted'])]);
				},
			),
			runs,
		);
	});

	it('never rejects a call if the response has an ID and no sign of failure', async () => {
		await fc.assert(
			fc.asyncProperty(anyEnvelope, harmless, harmless, async ([, wrap], noise, more) => {
				const body = { ...more, ...wrap({ ...record, ...noise }) };
				expect([body, await outcomesOf(endpoint, body)]).toEqual([body, expect.not.arrayContaining(['rejected'])]);
			}),
			runs,
		);
	});

	it('accepts a call in a known envelope without a sign of failure', async () => {
		const known = fitting.filter(([name]) => name !== 'response and items' && name !== 'messages');
		await fc.assert(
			fc.asyncProperty(fc.constantFrom(...known), harmless, async ([, wrap], noise) => {
				const body = wrap({ ...record, ...noise });
				expect([body, new Set(await outcomesOf(endpoint, body))]).toEqual([body, new Set(['accepted'])]);
			}),
			runs,
		);
	});

	it('never accepts a call for JSON without a sign of success', async () => {
		const silent = fc.dictionary(
			fc.constantFrom('note', 'hello', 'links', 'page', 'took', 'version', 'x'),
			fc.oneof(fc.integer({ min: 600 }), fc.constantFrom('a', 'hello', null, true, false), fc.constant({})),
		);
		await fc.assert(
			fc.asyncProperty(silent, async (body) => {
				expect([body, await outcomesOf(endpoint, body)]).toEqual([body, expect.not.arrayContaining(['accepted'])]);
			}),
			runs,
		);
	});
});

describe('a bulk send', () => {
	const { input } = contract.sms.sendBulk.example;
	const [first = '', second = ''] = input.to;

	it('never reports a recipient under the name of a failure as accepted', async () => {
		const failingNames = fc.constantFrom(
			...['failed', 'failures', 'failed_recipients', 'rejected', 'rejectedNumbers', 'invalid', 'invalid_numbers'],
			...['opted_out', 'optedOut', 'blocked', 'not_sent', 'unsent', 'undelivered', 'errors', 'skipped', 'duplicates'],
		);
		const numberNames = fc.constantFrom(
			...['to', 'phone', 'number', 'recipient', 'msisdn', 'mobile', 'contact', 'phoneNumber', 'mobile_number'],
			...['destination', 'phone_number'],
		);
		const written = fc.constantFrom(second, second.slice(1), `0${second.slice(4)}`, Number(second.slice(1)));
		await fc.assert(
			fc.asyncProperty(
				failingNames,
				numberNames,
				written,
				fc.constantFrom('bare', 'row', 'map', 'nested'),
				fc.constantFrom(...envelopes.filter(([name]) => !/items|messages|list/.test(name))),
				async (name, key, number, form, [, wrap]) => {
					const failed = {
						bare: [number],
						row: [{ [key]: number, reason: 'x' }],
						map: { [String(number)]: 'x' },
						nested: { count: 1, numbers: [number] },
					}[form];
					const body = wrap({ batch_id: 'b1', status: 'queued', [name]: failed });
					const outcomes = await outcomesOf(contract.sms.sendBulk, body);
					expect([body, outcomes.at(1)]).not.toEqual([body, 'accepted']);
				},
			),
			{ numRuns: runCount(600) },
		);
	});

	it('distinguishes the recipients if each has a row', async () => {
		const bad = fc.constantFrom('failed', 'REJECTED', 'blocked', 'Undelivered', 'expired', 'invalid');
		const open = fc.constantFrom('not_sent', 'opted_out', 'undeliverable', 'on hold', '?');
		const good = fc.constantFrom('queued', 'sent', 'ACCEPTED', 'submitted', 'pending');
		await fc.assert(
			fc.asyncProperty(
				fc.oneof(
					bad.map((no) => [no, 'rejected']),
					open.map((no) => [no, 'unknown']),
				),
				good,
				fc.constantFrom('results', 'messages', 'report', 'rows'),
				async ([no, outcome], yes, name) => {
					const rows = [
						{ phone: first, status: yes },
						{ phone: second, status: no },
					];
					const outcomes = await outcomesOf(contract.sms.sendBulk, { success: true, [name]: rows });
					expect(outcomes).toEqual(['accepted', outcome]);
				},
			),
		);
	});
});
