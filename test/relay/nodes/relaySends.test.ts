import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { contract, createClient, sendOnceIdempotencyKey } from '../../../shared';
import { undiciTransport } from '../../../shared/transports/undici';
import { deduplicationStore } from '../../support/n8n/deduplicationStore';
import type { NodeRun } from '../../support/n8n/engine';
import { fresh, KEYED, rowsOf, smsParameters as parameters, useRelayedEngines } from '../../support/n8n/relayedEngines';
import { operationCases } from '../../support/operationCases';
import { NOTHING_SENT } from '../../support/promises';
import { lossyProxy } from '../../support/lossyProxy';

/** The node with a relay as Base URL, on n8n's engine, in two processes. */
const relayed = useRelayedEngines();
const { sandbox, control, rows, rowsElsewhere, charged, engineWith, unknownSends, settle } = relayed;

const KEYED_NODE = parameters({}, KEYED);
const GOES_ON = { onError: 'continueRegularOutput' as const };
const orders = () => {
	const run = fresh('run');
	return [1, 2, 3].map((digit) => ({
		to: `+23320123456${digit}`,
		text: `Order ${digit} ${run}`,
		key: `${digit} ${run}`,
	}));
};
const run = async (more: Partial<NodeRun>) => await rows({ parameters: KEYED_NODE, ...more });

describe('a Send Once Key with a relay', () => {
	it('sends once over two processes, and returns the first result without charges', async () => {
		const items = orders();
		deduplicationStore.clear();
		const first = await run({ items });
		const second = await rowsElsewhere({ parameters: KEYED_NODE, items });
		const third = await run({ items });
		expect(first.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted']);
		for (const rows of [second, third]) {
			expect(rows).toMatchObject(
				first.map(({ message_id, status }) => ({
					outcome: 'skipped',
					reason: 'already_sent',
					first_outcome: 'accepted',
					message_id,
					status,
				})),
			);
			expect(rows.flatMap(({ cost, balance }) => [cost, balance])).toEqual(Array(6).fill(undefined));
		}
		expect(await charged()).toHaveLength(3);
		expect(deduplicationStore.claims).toBe(0);
	});

	it('rejects another message under the key, and names the option', async () => {
		const [item] = orders();
		await run({ items: [{ ...item }] });
		const { error } = await relayed.engine.run({ parameters: KEYED_NODE, items: [{ ...item, text: 'Another text' }] });
		expect(error?.message).toContain('Send Once Key');
		expect(error?.description).toContain(NOTHING_SENT);
		const [row] = await run({ items: [{ ...item, to: '+233201234569' }], settings: GOES_ON });
		expect(row).toMatchObject({ outcome: 'rejected', details: { sent: 'no', code: 'idempotency_key_reused' } });
		expect(await charged()).toHaveLength(1);
	});

	it('sends one of two items with the same key and message, and rejects a third with another text', async () => {
		const [item] = orders();
		const items = [{ ...item }, { ...item }, { ...item, text: 'Another text' }];
		const rows = await run({ items, settings: GOES_ON });
		expect(rows).toMatchObject([
			{ outcome: 'accepted' },
			{ outcome: 'skipped', reason: 'already_sent', message_id: rows[0]?.message_id },
			{ outcome: 'rejected', details: { code: 'idempotency_key_reused' } },
		]);
		expect(await charged()).toHaveLength(1);
	});

	it('sends again under the key of a message that the service rejected', async () => {
		const [item] = orders();
		await control.fault({ endpoint: 'sms.send', times: 1, kind: 'answer', status: 422, body: { message: 'No' } });
		const [rejected] = await run({ items: [{ ...item }], settings: GOES_ON });
		const [sent] = rowsOf(await relayed.other.run({ parameters: KEYED_NODE, items: [{ ...item }] }));
		expect([rejected?.outcome, sent?.outcome]).toEqual(['rejected', 'accepted']);
	});

	it.each(['arrived', 'send_again'] as const)(
		'never repeats an unknown message, and says where to settle it, until a person says %s',
		async (outcome) => {
			const [item] = orders();
			const items = [{ ...item }];
			await control.fault({ endpoint: 'sms.send', times: 1, kind: 'drop_after' });
			const [first] = await run({ items, settings: GOES_ON });
			const [send = ''] = await unknownSends();
			const [second] = rowsOf(await relayed.other.run({ parameters: KEYED_NODE, items, settings: GOES_ON }));
			for (const row of [first, second]) {
				expect(row).toMatchObject({ outcome: 'unknown', details: { sent: 'unknown', code: 'outcome_unknown' } });
				expect(JSON.stringify(row)).toContain(`settle ${send} `);
			}
			expect(await charged()).toHaveLength(1);
			await settle(send, outcome);
			const [third] = await run({ items });
			if (outcome === 'send_again') expect(third).toMatchObject({ outcome: 'accepted' });
			else expect(third).toMatchObject({ outcome: 'skipped', reason: 'already_sent', first_outcome: 'accepted' });
			expect(third?.message_id).toEqual(outcome === 'send_again' ? expect.any(String) : undefined);
			expect(await charged()).toHaveLength(outcome === 'send_again' ? 2 : 1);
		},
	);

	it('skips a scheduled message after a person said that it arrived', async () => {
		const later = parameters({ operation: 'sendLater', sendAt: '2031-12-24T08:30:00Z' }, KEYED);
		const [item] = orders();
		const items = [{ ...item }];
		await control.fault({ endpoint: 'sms.sendBulk', times: 1, kind: 'drop_after' });
		const [first] = await run({ parameters: later, items, settings: GOES_ON });
		const [send = ''] = await unknownSends();
		await settle(send, 'arrived');
		const [second] = await run({ parameters: later, items });
		expect([first?.outcome, second?.outcome]).toEqual(['unknown', 'skipped']);
		expect(second).toMatchObject({ reason: 'already_sent', schedule_at: '2031-12-24 08:30:00' });
		expect(await charged()).toHaveLength(1);
	});

	it('gives a scheduled message that was sent before the ID of the first', async () => {
		const later = parameters({ operation: 'sendLater', sendAt: '2031-12-24T08:30:00Z' }, KEYED);
		const [item] = orders();
		const items = [{ ...item }];
		const [first] = await run({ parameters: later, items });
		const [second] = await rowsElsewhere({ parameters: later, items });
		expect(first?.message_id).toEqual(expect.any(String));
		const { message_id, status, batch_id } = first ?? {};
		expect(second).toMatchObject({ reason: 'already_sent', message_id, status, batch_id });
		expect(await charged()).toHaveLength(1);
	});

	it('sends a scheduled message under its key that the service accepted only without its number', async () => {
		const later = parameters({ operation: 'sendLater', sendAt: '2031-12-24T08:30:00Z' }, KEYED);
		const [item] = orders();
		const items = [{ ...item }];
		const results = [{ to: item?.to, status: 'failed', error: 'Not reachable' }];
		const body = { success: true, batch_id: 'b1', results };
		await control.fault({ endpoint: 'sms.sendBulk', times: 1, kind: 'answer', status: 200, body });
		const [first] = await run({ parameters: later, items, settings: GOES_ON });
		const [second] = await run({ parameters: later, items });
		expect([first?.outcome, second?.outcome]).toEqual(['rejected', 'accepted']);
		expect(await charged()).toHaveLength(1);
	});

	it('reports a message as accepted if only its response was lost on the way from the relay', async () => {
		await using proxy = await lossyProxy(relayed.relay.url);
		const far = await engineWith({ baseUrl: `${proxy.url}/api/v1/` });
		const [item] = orders();
		for (const options of [KEYED, {}]) {
			await control.reset();
			proxy.lose(2);
			const [row] = rowsOf(await far.run({ parameters: parameters({}, options), items: [{ ...item }] }));
			const [sent] = await control.messages();
			expect(row).toMatchObject({ outcome: 'accepted', message_id: sent?.message_id });
			expect(await charged()).toHaveLength(1);
		}
		const keys = proxy.sends().map(({ headers }) => headers['idempotency-key']);
		expect(keys).toHaveLength(6);
		expect(new Set(keys).size).toBe(2);
	});

	it('counts messages that were already sent for Maximum Recipients', async () => {
		const items = orders();
		await run({ items });
		const limited = { parameters: parameters({}, { ...KEYED, maxRecipients: 2 }), items };
		expect((await relayed.engine.run(limited)).error?.message).toContain('Maximum Recipients');
		expect(await charged()).toHaveLength(3);
	});
});

describe('Key Scope', () => {
	const node = (id: string, options: INodeParameters) => ({ parameters: parameters({}, options), settings: { id } });

	it('This Node lets another node send under the same key', async () => {
		const [item] = orders();
		const items = [{ ...item }];
		const outcomes = [];
		for (const [id, keyScope] of [
			['a', undefined],
			['a', 'node'],
			['b', 'node'],
		] as const) {
			const options = { ...KEYED, ...(keyScope && { keyScope }) };
			outcomes.push((await run({ ...node(id, options), items }))[0]?.outcome);
		}
		expect(outcomes).toEqual(['accepted', 'skipped', 'accepted']);
	});

	it('Whole Account shares the key among nodes', async () => {
		const [item] = orders();
		const items = [{ ...item }];
		const options = { ...KEYED, keyScope: 'account' };
		const [first] = await run({ ...node('a', options), items });
		const [second] = await run({ ...node('b', options), items });
		expect(second).toMatchObject({ reason: 'already_sent', message_id: first?.message_id });
		expect(await charged()).toHaveLength(1);
	});

	it('Whole Account shares the key with other programs, such as a Zap', async () => {
		const [{ to, text: message, key } = { to: '', text: '', key: '' }] = orders();
		const client = createClient({
			baseUrl: `${relayed.relay.url}/api/v1/`,
			apiKey: sandbox.apiKey,
			relay: true,
			transport: undiciTransport(),
		});
		const [row] = await run({
			...node('a', { ...KEYED, keyScope: 'account' }),
			items: [{ to, text: message, key }],
		});
		const idempotencyKey = await sendOnceIdempotencyKey({ kind: 'account' }, key);
		const input = { to, sender_id: 'KOFISHOP', message };
		expect(await client.call(contract.sms.send, input, { idempotencyKey })).toMatchObject({
			output: { message_id: row?.message_id },
			relay: { replayed: true },
		});
		expect(await charged()).toHaveLength(1);
	});

	it.each<[string, INodeParameters]>([
		['This Node', KEYED],
		['Whole Account', { ...KEYED, keyScope: 'account' }],
	])('%s sends one of Send and Send Bulk to a number, in any order', async (_, options) => {
		const send = { parameters: parameters({}, options), settings: GOES_ON };
		const sendBulk = { parameters: parameters({ operation: 'sendBulk' }, options), settings: GOES_ON };
		for (const [first, second] of [
			[send, sendBulk],
			[sendBulk, send],
		]) {
			const [item] = orders();
			expect(await run({ ...first, items: [{ ...item }] })).toMatchObject([{ outcome: 'accepted', to: item?.to }]);
			const rows = await run({ ...second, items: [{ ...item }] });
			expect(rows).toMatchObject([
				{ outcome: 'rejected', to: item?.to, details: { sent: 'no', code: 'idempotency_key_reused' } },
			]);
			expect(rows[0]).not.toHaveProperty('message_id');
		}
		expect(await charged()).toHaveLength(2);
	});

	it.each<[string, INodeParameters, ICredentialDataDecryptedObject]>([
		['without a relay', { ...KEYED, keyScope: 'account' }, { baseUrlIsRelay: false }],
		['without a Send Once Key', { keyScope: 'account' }, {}],
		['with another word', { ...KEYED, keyScope: 'team' }, {}],
		['with an expression that returns nothing', { ...KEYED, keyScope: '={{ undefined }}' }, {}],
	])('is an error that names the option %s', async (_, options, more) => {
		const elsewhere = await engineWith(more);
		for (const operation of ['send', 'sendBulk']) {
			const { error } = await elsewhere.run({ parameters: parameters({ operation }, options), items: orders() });
			expect(error?.message).toMatch(/^Key Scope /);
			expect(error?.description).toBe(NOTHING_SENT);
		}
		expect(await charged()).toEqual([]);
	});
});

describe('a relay without a Send Once Key', () => {
	it('sends once if two processes run the same execution, and again in another execution', async () => {
		const items = orders().map((order) => ({ ...order, key: '' }));
		const executionId = fresh('execution');
		const plain = parameters();
		const first = rowsOf(await relayed.engine.run({ parameters: plain, items, executionId }));
		const second = rowsOf(await relayed.other.run({ parameters: plain, items, executionId }));
		expect(second).toMatchObject(first.map(({ message_id }) => ({ outcome: 'accepted', message_id })));
		expect(await charged()).toHaveLength(3);
		const third = rowsOf(await relayed.engine.run({ parameters: plain, items }));
		expect(third.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted']);
		expect(await charged()).toHaveLength(6);
	});

	it('reports a message as unknown if another process of the execution may have sent it with another text', async () => {
		const [item] = orders();
		const executionId = fresh('execution');
		rowsOf(await relayed.engine.run({ parameters: parameters(), items: [{ ...item }], executionId }));
		const [row] = rowsOf(
			await relayed.other.run({
				parameters: parameters(),
				items: [{ ...item, text: 'at another time' }],
				executionId,
				settings: GOES_ON,
			}),
		);
		expect(row).toMatchObject({
			outcome: 'unknown',
			details: { sent: 'unknown', code: 'idempotency_key_reused' },
		});
		expect(await charged()).toHaveLength(1);
	});

	it('sends each round of a loop, and each of two items with the same message', async () => {
		const [item] = orders();
		const items = [{ ...item }, { ...item }];
		rowsOf(await relayed.engine.run({ parameters: parameters(), items, secondItems: items }));
		expect(await charged()).toHaveLength(4);
	});

	it('sends a message once for an agent whose calls reach two processes', async () => {
		const calls = [{ to: '+233201234567', message: fresh('Hello') }];
		const executionId = fresh('execution');
		const [first = ''] = await relayed.engine.callTool(
			calls,
			undefined,
			undefined,
			undefined,
			undefined,
			undefined,
			executionId,
		);
		const [second = ''] = await relayed.other.callTool(calls, executionId);
		expect(JSON.parse(first)).toMatchObject([{ outcome: 'accepted' }]);
		expect(JSON.parse(second)).toMatchObject([{ outcome: 'skipped', reason: 'already_sent', to: '+233201234567' }]);
		expect(await charged()).toHaveLength(1);
		await relayed.other.callTool(calls, fresh('execution'));
		expect(await charged()).toHaveLength(2);
	});

	it.each(['callMcp', 'callMcpInQueueMode'] as const)(
		'sends a message once for an MCP client whose calls reach two processes: %s',
		async (call) => {
			const calls = [{ to: '+233201234567', message: fresh('Hello') }];
			const [first = ''] = await relayed.engine[call](calls);
			const [second = ''] = await relayed.other[call](calls);
			expect(JSON.parse(first)).toMatchObject([{ outcome: 'accepted' }]);
			expect(JSON.parse(second)).toMatchObject([{ outcome: 'skipped', reason: 'already_sent', to: '+233201234567' }]);
			expect(await charged()).toHaveLength(1);
		},
	);

	it.each([
		['callMcp', 'send'],
		['callMcp', 'sendBulk'],
		['callMcpInQueueMode', 'send'],
		['callMcpInQueueMode', 'sendBulk'],
	] as const)('gives the relay the same key for five minutes, at any time: %s, %s', async (call, operation) => {
		await using proxy = await lossyProxy(relayed.relay.url);
		const near = await engineWith({ baseUrl: `${proxy.url}/api/v1/` });
		const calls = [{ to: '+233201234567', message: fresh('Hello') }];
		await near[call](calls, { operation });
		const clock = jest.spyOn(Date, 'now');
		const now = Date.now();
		clock.mockImplementation(() => now + 6 * 60_000);
		try {
			// This process has forgotten the message, and the relay's clock has not moved.
			const [again = ''] = await near[call](calls, { operation });
			expect(JSON.parse(again)).toMatchObject([{ outcome: 'skipped', reason: 'already_sent' }]);
		} finally {
			clock.mockRestore();
		}
		const sent = proxy.sends();
		expect(sent.map(({ headers }) => headers['relay-key-max-age'])).toEqual(['300', '300']);
		expect(await charged()).toHaveLength(1);
	});

	it('gives the messages of an execution and a Send Once Key no maximum age', async () => {
		await using proxy = await lossyProxy(relayed.relay.url);
		const near = await engineWith({ baseUrl: `${proxy.url}/api/v1/` });
		const calls = [{ to: '+233201234567', message: fresh('Hello') }];
		await near.callTool(calls);
		for (const operation of ['send', 'sendBulk']) {
			await near.callMcp(calls, { operation, options: { sendOnceKey: fresh('order') } });
		}
		const sent = proxy.sends();
		expect(sent.map(({ headers }) => headers['relay-key-max-age'])).toEqual([undefined, undefined, undefined]);
	});

	const once = Object.entries(operationCases).filter(
		([id, { endpoint }]) => endpoint?.repeat === 'once' && id !== 'sms.sendAndWait',
	);
	it.each(once)('makes a call of %s once in two processes of an execution', async (id, { parameters, endpoint }) => {
		const [resource, operation] = id.split('.');
		const executionId = fresh('execution');
		// A time that each process computes may differ by a second, and is then another message.
		const sendAt = new Date(Date.now() + 86_400_000).toISOString();
		const fixed = 'sendAt' in parameters ? { ...parameters, sendAt } : parameters;
		const node = { parameters: { resource, operation, ...fixed }, executionId, settings: GOES_ON };
		const before = await control.requests();
		const first = rowsOf(await relayed.engine.run(node));
		const second = rowsOf(await relayed.other.run(node));
		expect(second[0]?.outcome).toBe(first[0]?.outcome);
		const made = (await control.requests()).filter((one) => one.endpoint === endpoint?.id).length;
		const madeBefore = before.filter((one) => one.endpoint === endpoint?.id).length;
		expect(made - madeBefore).toBe(first[0]?.outcome === 'rejected' ? 2 : 1);
	});
});

it('looks for the relay without the API key', async () => {
	await using proxy = await lossyProxy(relayed.relay.url);
	const far = await engineWith({ baseUrl: `${proxy.url}/api/v1/` });
	rowsOf(await far.run({ parameters: parameters(), items: orders() }));
	const [first, ...others] = proxy.requests;
	expect(first?.headers['relay-attempt']).toBe('0');
	expect(JSON.stringify(first)).not.toContain(sandbox.apiKey);
	expect(first?.path).toBe('/api/v1/sms/send');
	expect(others.map(({ path, headers }) => [path, headers['x-api-key']])).toEqual(
		Array(3).fill(['/api/v1/sms/send', sandbox.apiKey]),
	);
});

describe('an address that is not a relay', () => {
	it('gets no message, and the error names the field', async () => {
		const direct = await engineWith({ baseUrl: sandbox.baseUrl });
		for (const operation of ['send', 'sendBulk']) {
			const { error } = await direct.run({ parameters: parameters({ operation }), items: orders() });
			expect(error?.message).toMatch(/^Base URL /);
			expect(error?.description).toContain(NOTHING_SENT);
		}
		expect(await charged()).toEqual([]);
	});

	it('gets no idempotency key while the switch is off', async () => {
		await using proxy = await lossyProxy(sandbox.url);
		for (const baseUrlIsRelay of [false, 'false']) {
			const direct = await engineWith({ baseUrl: `${proxy.url}/api/v1/`, baseUrlIsRelay });
			rowsOf(await direct.run({ parameters: KEYED_NODE, items: orders() }));
			rowsOf(await direct.run({ parameters: parameters({ operation: 'sendBulk' }, KEYED), items: orders() }));
		}
		expect(proxy.requests.map(({ path }) => path.replace('/api/v1/', ''))).toEqual([
			...Array<string>(3).fill('sms/send'),
			...Array<string>(3).fill('sms/bulk'),
			...Array<string>(3).fill('sms/send'),
			...Array<string>(3).fill('sms/bulk'),
		]);
		for (const { headers } of proxy.requests) expect(Object.keys(headers)).not.toContain('idempotency-key');
	});
});
