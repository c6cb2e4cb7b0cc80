import { readVerdict } from '../../shared/reading/code';
import { contract, createClient, endpoints, type Client, type Transport } from '../../shared';
import { fc } from '../support/random';

/** Responds to every call with the same body, and records the requests. */
function respondingWith(body: unknown, status = 200) {
	const requests: Array<{ method: string; url: string; body: unknown }> = [];
	const transport: Transport = {
		send: ({ method, url, body: sent }) => {
			requests.push({ method, url, body: sent === undefined ? undefined : JSON.parse(sent) });
			return Promise.resolve({ status, headers: {}, body: JSON.stringify(body) });
		},
		sleep: () => Promise.resolve(),
	};
	const client = createClient({ baseUrl: 'https://service.example', apiKey: 'sk_test_1', transport });
	return { client, asked: requests };
}

describe.each(endpoints.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (_, endpoint) => {
	it('sends a request to its path and accepts its own example response', async () => {
		const { client, asked } = respondingWith(endpoint.example.output);
		const outcome = await client.call(endpoint, endpoint.example.input);
		expect(outcome).toMatchObject({ outcome: 'accepted', output: endpoint.example.output });
		expect(asked).toHaveLength(1);
		const { method, url } = asked[0] ?? {};
		expect(method).toBe(endpoint.method);
		const path = endpoint.path.replace(/\{\w+\}/g, '[^/]+');
		expect(url).toMatch(new RegExp(`^https://service\\.example/api/v1${path}(\\?|$)`));
	});

	it('makes the same call through its client method', async () => {
		const { client, asked } = respondingWith(endpoint.example.output);
		const [resource = '', operation = ''] = endpoint.id.split('.');
		const methods = client as unknown as Record<string, Record<string, (input: unknown) => Promise<unknown>>>;
		const output = await methods[resource]?.[operation]?.(endpoint.example.input);
		expect(output).toMatchObject(endpoint.example.output as object);
		await client.call(endpoint, endpoint.example.input);
		expect(asked).toEqual([asked[1], asked[1]]);
	});
});

describe('inputs that the service would reject', () => {
	const bulk = contract.sms.sendBulk.example.input;
	const cases: Array<[string, (client: Client) => Promise<unknown>, string, RegExp]> = [
		['no recipients', (c) => c.sms.sendBulk({ ...bulk, to: [] }), 'to', /at least one/],
		['one bad recipient', (c) => c.sms.sendBulk({ ...bulk, to: ['+233201234567', '020'] }), 'to.1', /E\.164/],
		[
			'a day that does not exist',
			(c) => c.sms.sendBulk({ ...bulk, schedule_at: '2026-02-30 08:00:00' }),
			'schedule_at',
			/YYYY/,
		],
		['ISO with T', (c) => c.sms.sendBulk({ ...bulk, schedule_at: '2026-12-24T08:00:00Z' }), 'schedule_at', /YYYY/],
		[
			'a verification ID in words',
			(c) => c.verification.check({ verification_id: 'abc', code: '1' }),
			'verification_id',
			/whole/,
		],
		['a fraction', (c) => c.verification.check({ verification_id: 1.5, code: '1' }), 'verification_id', /whole/],
		['no code', (c) => c.verification.check({ verification_id: 1, code: ' ' }), 'code', /empty/],
		['a top-up of nothing', (c) => c.wallet.createTopUp({ amount: 0 }), 'amount', /above zero/],
		[
			'http to return to',
			(c) => c.wallet.createTopUp({ amount: 5, return_url: 'http://x.example' }),
			'return_url',
			/https/,
		],
		['a limit over 100', (c) => c.wallet.listTransactions({ limit: 101 }), 'limit', /100/],
		['a negative offset', (c) => c.wallet.listTransactions({ offset: -1 }), 'offset', /below 0/],
		['an address without @', (c) => c.email.send({ to: 'ama', subject: 's', message: 'm' }), 'to', /email address/],
		['no subject', (c) => c.email.send({ to: 'ama@example.com', subject: ' ', message: 'm' }), 'subject', /empty/],
		['a long WhatsApp', (c) => c.whatsapp.send({ to: '+233201234567', message: 'x'.repeat(1601) }), 'message', /1601/],
		[
			'an object in a contact',
			(c) => c.contact.create({ phone: '+233201234567', tags: {} as string }),
			'tags',
			/^is not text, a number, true or false$/,
		],
	];

	it.each(cases)('does not send a request with %s', async (_, make, field, words) => {
		const { client, asked } = respondingWith({});
		await expect(make(client)).rejects.toMatchObject({
			name: 'InputError',
			sent: 'no',
			issues: [{ field, message: expect.stringMatching(words) as string }],
		});
		expect(asked).toEqual([]);
	});
});

describe('the request of an endpoint', () => {
	it('sends the query of a list, and no query without options', async () => {
		const { client, asked } = respondingWith([]);
		await client.wallet.listTransactions({ limit: 10, offset: 20 });
		await client.wallet.listTransactions();
		expect(asked.map(({ url }) => new URL(url).search)).toEqual(['?limit=10&offset=20', '']);
	});

	it('sends a verification ID that was given as text as a number', async () => {
		const { client, asked } = respondingWith({ valid: true });
		await client.verification.check({ verification_id: '1001', code: ' 493021 ' });
		expect(asked[0]?.body).toEqual({ verification_id: 1001, code: '493021' });
	});

	it('sends every field of a contact', async () => {
		const { client, asked } = respondingWith({ id: 7 });
		await client.contact.create({ phone: '+233201234567', city: 'Kumasi', vip: true });
		expect(asked[0]?.body).toEqual({ phone: '+233201234567', city: 'Kumasi', vip: true });
	});
});

describe('a one-time code', () => {
	const { input } = contract.verification.check.example;

	it.each([
		[{ valid: true }, true],
		[{ success: true }, false],
		[{ success: true, data: { verified: true } }, true],
		[{ status: 'approved' }, true],
		[{ success: true, valid: false, message: 'Wrong code' }, false],
		[{ success: false, message: 'Wrong code' }, false],
		[{ data: { is_valid: false } }, false],
		[{ status: 'expired' }, false],
		[{ success: false, data: { status: 'failed' } }, false],
	])('for the check response %j, gives valid: %s', async (body, valid) => {
		await expect(respondingWith(body).client.verification.check(input)).resolves.toMatchObject({ valid });
	});

	it.each([
		[422, { code: 'invalid_code', message: 'x' }, 'wrong_code'],
		[422, { message: 'The code has expired' }, 'expired_code'],
		[422, { code: 'too_many_attempts', message: 'x' }, 'too_many_tries'],
		[404, { message: 'x' }, 'not_found'],
	])('for the check response %i %j, gives the meaning %s', async (status, body, meaning) => {
		await expect(respondingWith(body, status).client.verification.check(input)).rejects.toMatchObject({
			meaning,
			sent: 'no',
		});
	});

	it.each([
		{ success: true, valid: 0 },
		{ success: true, data: { is_valid: 0 } },
		{ success: true, data: { verified: '0' } },
		{ success: true, data: { valid: 'no' } },
		{ success: true, status: 'rejected' },
		{ success: true, status: 'incorrect' },
		{ success: true, status: 'not_verified' },
		{ success: true, status: 'unverified' },
		{ success: true, status: 'expired' },
		{ success: true, message: 'Invalid code' },
		{ success: true, error: 'Wrong code' },
		{ success: true, code: 'expired_code' },
		{ success: true, status: 'pending' },
		{ success: true, valid: 'maybe' },
		{ success: true, valid: null },
		{ status: 'success', data: { match: false } },
		{ success: true, verification: { valid: false }, meta: { page: 1 } },
		{ success: false, data: { status: 'verified' } },
		{ valid: true, data: { valid: false } },
		{},
		{ status: 'pending' },
		{ message: 'ok' },
		{ status: 'success' },
	])('never accepts a code for %j', async (body) => {
		const outcome = await respondingWith(body).client.call(contract.verification.check, input);
		if (outcome.outcome === 'accepted') expect(outcome.output.valid).toBe(false);
		else expect(outcome.error.name).toMatch(/ContractError|UnknownOutcomeError|ApiError/);
	});

	it('never accepts a code for a body with a negative value', () => {
		const verdicts = ['valid', 'verified', 'is_valid', 'approved', 'match', 'correct', 'success'];
		const no = fc.constantFrom(false, 0, '0', 'false', 'no', 'No', ' FALSE ');
		const noise = fc.dictionary(fc.constantFrom('id', 'name', 'success', 'valid', 'status', 'note'), fc.jsonValue());
		fc.assert(
			fc.property(
				fc.constantFrom(...verdicts),
				no,
				noise,
				fc.constantFrom('', 'data', 'result', 'x'),
				(key, value, rest, at) => {
					const verdict = { [key]: value };
					const body = at ? { ...rest, [at]: verdict } : { ...rest, ...verdict };
					expect(readVerdict(body)).not.toBe('right');
				},
			),
		);
	});

	it.each([
		[{ verification_id: 12 }, 12],
		[{ success: true, data: { id: '12' } }, '12'],
		[{ verification: { id: 12 } }, 12],
	])('finds the ID of a sent code in %j', async (body, id) => {
		const started = await respondingWith(body).client.verification.start({ phone: '+233201234567', sender_id: 'K' });
		expect(started.verification_id).toBe(id);
	});
});

describe('a bulk send', () => {
	const { input } = contract.sms.sendBulk.example;

	it.each([
		[{ success: true, queued: 2 }, undefined],
		[{ data: { bulk_id: 9 } }, '9'],
		[{ batch: { id: 'b-1' }, messages: [{ to: '+233201234567', status: 'queued' }] }, 'b-1'],
	])('accepts a bulk send for %j', async (body, batchId) => {
		const sent = await respondingWith(body).client.sms.sendBulk(input);
		expect(sent.batch_id ?? undefined).toBe(batchId);
	});

	it.each([
		{ success: false, message: '1 of 2 failed', batch_id: 'b' },
		{ success: false, message: '1 of 2 failed', queued: 1 },
		{ success: false, message: '1 of 2 failed', results: [{ to: '+233201234567', status: 'queued' }] },
		{ status: 'on hold', message: '1 of 2 failed' },
	])('reports a bulk send as possibly sent in part for %j', async (body) => {
		await expect(respondingWith(body).client.sms.sendBulk(input)).rejects.toMatchObject({
			name: 'UnknownOutcomeError',
			sent: 'unknown',
			message: expect.stringContaining('1 of 2 failed') as string,
		});
	});
});

describe('a response to an SMS without a message ID', () => {
	it.each([
		[{ success: true, message: 'Sent' }, 'yes', /accepted the request, but/],
		[{ message: 'Sent' }, 'unknown', /^Sent$/],
	])('distinguishes an accepted SMS from an unknown one for %j', async (body, sent, message) => {
		const sending = respondingWith(body).client.sms.send(contract.sms.send.example.input);
		await expect(sending).rejects.toMatchObject({ sent, message: expect.stringMatching(message) as string });
	});
});

describe('a 2xx response that reports a failure', () => {
	it.each([
		{ error: 'WhatsApp is not configured' },
		{ success: null, message: 'failed' },
		{ errors: [{ message: 'x' }] },
		{ status: 'on hold' },
		{ code: 422, message: 'Insufficient balance' },
		{ success: true, message_id: 'm', data: { status: 'failed' } },
	])('does not accept a message for %j', async (body) => {
		const { client } = respondingWith(body);
		await expect(client.whatsapp.send({ to: '+233201234567', message: 'm' })).rejects.toMatchObject({
			sent: 'unknown',
		});
		const { input } = contract.sms.sendBulk.example;
		await expect(client.sms.sendBulk(input)).rejects.toMatchObject({ sent: 'unknown' });
	});

	it.each([
		{ ok: false, message: 'x' },
		{ success: 'no' },
		{ data: { success: 0 } },
		{ status: 'rejected' },
		{ status: 'Failed', error: 'No route' },
	])('rejects a message for %j', async (body) => {
		const { client } = respondingWith(body);
		const rejected = { name: 'ApiError', sent: 'no' };
		await expect(client.whatsapp.send({ to: '+233201234567', message: 'm' })).rejects.toMatchObject(rejected);
		const { input } = contract.sms.sendBulk.example;
		await expect(client.sms.sendBulk(input)).rejects.toMatchObject(rejected);
	});

	it.each([
		[{ message_id: 'm', status: 'submitted', error: null, errors: [], code: 200 }],
		[{ success: true, message_id: 'm', status: 'queued', warnings: ['slow'] }],
	])('accepts a message for %j', async (body) => {
		const { input } = contract.sms.send.example;
		await expect(respondingWith(body).client.sms.send(input)).resolves.toMatchObject({ message_id: 'm' });
	});
});

describe('a record that contains other records', () => {
	it('reads a record from its own fields', async () => {
		const { input } = contract.sms.send.example;
		const sent = { id: 'm-1', status: 'submitted', balance: 39.95, user: { id: 3, status: 'active', balance: 1 } };
		await expect(respondingWith(sent).client.sms.send(input)).resolves.toMatchObject({
			message_id: 'm-1',
			balance: 39.95,
		});
		const topUp = { reference: 'r', status: 'pending', user: { status: 'completed' } };
		await expect(respondingWith(topUp).client.wallet.getTopUp({ reference: 'r' })).resolves.toMatchObject({
			status: 'pending',
		});
		const message = { id: 'm-1', status: 'failed', contact: { id: 4, status: 'active' } };
		await expect(respondingWith(message).client.sms.get({ id: 'm-1' })).resolves.toMatchObject({ status: 'failed' });
	});

	it('keeps the rows of a list apart', async () => {
		const rows = [1, 2, 3].map((id) => ({ id, amount: id, user: { id: 7 } }));
		const listed = await respondingWith({ data: rows, warnings: [] }).client.wallet.listTransactions();
		expect(listed.map(({ id }) => id)).toEqual(['1', '2', '3']);
	});

	it('does not read a list of warnings as rows', async () => {
		const listing = respondingWith({ message: 'Maintenance', warnings: [] }).client.wallet.listTransactions();
		await expect(listing).rejects.toMatchObject({ name: 'ContractError' });
	});
});

describe('a field that the call does not have', () => {
	it('rejects an unknown field instead of dropping it', async () => {
		const { client, asked } = respondingWith(contract.sms.send.example.output);
		const later = { ...contract.sms.send.example.input, schedule_at: '2030-01-01 00:00:00' };
		await expect(client.sms.send(later)).rejects.toMatchObject({
			name: 'InputError',
			issues: [{ field: 'schedule_at' }],
		});
		expect(asked).toEqual([]);
	});
});

describe('invalid client options', () => {
	const transport: Transport = {
		send: () => Promise.reject(new Error('must not send')),
		sleep: () => Promise.resolve(),
	};
	const base = { baseUrl: 'https://service.example', apiKey: 'sk_test_1', transport };

	it.each([Number.NaN, 0, -1, Infinity, 3e9])('rejects the timeout %s', (timeoutMs) => {
		expect(() => createClient({ ...base, timeoutMs })).toThrow(/timeoutMs /);
	});

	it('names a missing API key or URL', () => {
		const unset: { apiKey?: string } = JSON.parse('{}') as { apiKey?: string };
		expect(() => createClient({ ...base, apiKey: unset.apiKey as string })).toThrow(/apiKey is missing/);
	});

	it('uses the default for a retry option that is undefined', async () => {
		let sent = 0;
		const busy: Transport = {
			send: () => {
				sent++;
				return Promise.resolve({ status: 429, headers: {}, body: '{}' });
			},
			sleep: () => Promise.resolve(),
		};
		const client = createClient({ ...base, transport: busy, retry: { attempts: undefined, budgetMs: undefined } });
		await expect(client.wallet.getBalance()).rejects.toMatchObject({ name: 'RateLimitError' });
		expect(sent).toBe(4);
	});
});

describe('undocumented response shapes', () => {
	it.each([
		[[{ id: 1, type: 'debit', amount: '-0.05' }]],
		[{ transactions: [{ transaction_id: '1', type: 'debit', amount: -0.05 }], total: 1 }],
		[{ data: { data: [{ uuid: '1', type: 'debit', amount: '-0.050' }], current_page: 1 } }],
	])('reads transactions from %j', async (body) => {
		const [row] = await respondingWith(body).client.wallet.listTransactions();
		expect(row).toMatchObject({ id: '1', type: 'debit', amount: -0.05 });
	});

	it.each([
		['whatsapp', (c: Client) => c.whatsapp.send({ to: '+233201234567', message: 'm' })],
		['email', (c: Client) => c.email.send({ to: 'ama@example.com', subject: 's', message: 'm' })],
		['voice', (c: Client) => c.voice.send({ to: '+233201234567', message: 'm' })],
	])('accepts a message on %s with and without an ID', async (_, send) => {
		await expect(send(respondingWith({ success: true, data: { id: 5 } }).client)).resolves.toMatchObject({
			message_id: '5',
		});
		await expect(send(respondingWith({ success: true }).client)).resolves.toMatchObject({ success: true });
		await expect(send(respondingWith({ code: 'not_configured', message: 'x' }, 422).client)).rejects.toMatchObject({
			meaning: 'channel_not_set_up',
			sent: 'no',
		});
	});

	it.each([
		[{ contact: { id: 7, name: 'Ama' } }, { id: '7', name: 'Ama' }],
		[{ data: [{ contact_id: 7, name: 'Ama' }] }, { id: '7', name: 'Ama' }],
		[{ success: true }, { success: true }],
	])('reads a created contact from %j', async (body, found) => {
		await expect(respondingWith(body).client.contact.create({ phone: '+233201234567' })).resolves.toMatchObject(found);
	});

	it('reads a top-up with amounts as text', async () => {
		const body = {
			success: true,
			data: { reference: 'r', checkout_url: 'https://pay.example/r', fee: '1.00', total_wallet: '51' },
		};
		await expect(respondingWith(body).client.wallet.createTopUp({ amount: 50 })).resolves.toMatchObject({
			reference: 'r',
			fee: 1,
			total_wallet: 51,
		});
	});
});

describe('a lookup', () => {
	const { lookup } = contract;
	const outcomeOf = async (body: unknown) =>
		await respondingWith(body).client.call(lookup.phone, lookup.phone.example.input);

	it.each([
		[{ valid: true, carrier: 'MTN', country: 'GH', cost: 0.01 }],
		[{ data: { valid: true, carrier: { name: 'MTN' }, country: { name: 'GH' }, lookup_cost: '0.01' } }],
		[{ success: true, result: { is_valid: true, network: 'MTN', country_code: 'GH', price: 0.01 } }],
	])('reads a lookup from %j', async (body) => {
		const found = await respondingWith(body).client.lookup.phone({ phone: '+233201234567' });
		expect(found).toMatchObject({ valid: true, carrier: 'MTN', country: 'GH', cost: 0.01 });
	});

	it.each([
		{ valid: false, message: 'The number is not valid' },
		{ valid: false, status: 'invalid', reason: 'unallocated' },
		{ success: true, data: { is_valid: false, carrier: null } },
	])('gives a number that is not valid as the result of a lookup: %j', async (body) => {
		expect(await outcomeOf(body)).toMatchObject({
			outcome: 'accepted',
			output: { valid: false },
		});
	});

	it.each([
		{ valid: false, error: 'Insufficient balance' },
		{ valid: true, status: 'failed' },
		{ data: { valid: false, success: false } },
	])('gives no result for a failed lookup: %j', async (body) => {
		expect((await outcomeOf(body)).outcome).not.toBe('accepted');
	});
});
