import type { INodeParameters } from 'n8n-workflow';
import { z } from 'zod/v4';
import { deduplicationStore } from '../support/n8n/deduplicationStore';
import { startEngine, type Engine, type NodeRun } from '../support/n8n/engine';
import { startEngineProcess, type EngineProcess } from '../support/n8n/engineProcess';
import { operationCases } from '../support/operationCases';
import { NOTHING_SENT } from '../support/promises';
import { lossyProxy } from '../support/relay/lossyProxy';
import { startRelayProcess, type RelayProcess } from '../support/relay/relayProcess';
import { useSandbox } from '../support/useSandbox';
import { gatewayEnv } from '../relay/sends/gateway';

/** The node with a relay as Base URL, on n8n's engine, in two processes. */
const { sandbox, control } = useSandbox();
let relay: RelayProcess;
let engine: Engine;
let other: EngineProcess;

beforeAll(async () => {
	relay = await startRelayProcess({ env: gatewayEnv(sandbox.baseUrl) });
	const credentials = { messagingServiceApi: credential() };
	[engine, other] = await Promise.all([startEngine(credentials), startEngineProcess(credentials)]);
}, 60_000);
afterAll(async () => await Promise.all([relay.stop(), other.kill()]));

function credential() {
	return {
		baseUrl: `${relay.url}/api/v1/`,
		apiKey: sandbox.apiKey,
		authHeader: 'X-API-Key',
		baseUrlIsRelay: true,
		privateOverHttp: false,
	};
}

/** An engine whose credential differs in some fields. */
const engineWith = async (more: Partial<ReturnType<typeof credential>>) =>
	await startEngine({ messagingServiceApi: { ...credential(), ...more } });

let count = 0;
/** A text that no other test has, because the relay remembers the keys of all tests. */
const fresh = (text: string) => `${text} ${++count}`;
const parameters = (more: INodeParameters = {}, options: INodeParameters = {}): INodeParameters => ({
	resource: 'sms',
	operation: 'send',
	senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
	to: '={{ $json.to }}',
	message: '={{ $json.text }}',
	options,
	...more,
});
const KEYED = { sendOnceKey: '={{ $json.key }}' };
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
const rowsOf = ({ outputs }: { outputs: Array<Array<{ json: Record<string, unknown> }>> }) =>
	(outputs[0] ?? []).map(({ json }) => json);
const run = async (more: Partial<NodeRun>) => {
	const result = await engine.run({ parameters: KEYED_NODE, ...more });
	expect(result).toMatchObject({ error: undefined });
	return rowsOf(result);
};
const charged = async () => (await control.messages()).map(({ to, message }) => `${to} ${message}`).sort();

/** The sends that the relay lists as unknown, newest first. */
const unknownSends = async () => {
	const listed: unknown = await (await relay.api('GET', '/v1/sends?state=unknown')).json();
	return z
		.object({ data: z.array(z.object({ id: z.string() })) })
		.parse(listed)
		.data.map(({ id }) => id);
};
const settle = async (id: string, outcome: string) =>
	expect((await relay.api('POST', `/v1/sends/${id}/settle`, { outcome })).ok).toBe(true);

describe('a Send Once Key with a relay', () => {
	it('sends once over two processes, and returns the first result without charges', async () => {
		const items = orders();
		deduplicationStore.clear();
		const first = await run({ items });
		const second = rowsOf(await other.run({ parameters: KEYED_NODE, items }));
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

	it('sends once if two processes use the key in the same instant', async () => {
		const items = orders();
		const both = await Promise.all([
			engine.run({ parameters: KEYED_NODE, items }),
			other.run({ parameters: KEYED_NODE, items }),
		]);
		const [one = [], two = []] = both.map(rowsOf);
		expect(one.map(({ outcome }, index) => [outcome, two[index]?.outcome].sort())).toEqual(
			Array(3).fill(['accepted', 'skipped']),
		);
		expect(one.map(({ message_id }) => message_id)).toEqual(two.map(({ message_id }) => message_id));
		expect(await charged()).toHaveLength(3);
	});

	it('rejects another message under the key, and names the option', async () => {
		const [item] = orders();
		await run({ items: [{ ...item }] });
		const { error } = await engine.run({ parameters: KEYED_NODE, items: [{ ...item, text: 'Another text' }] });
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
		const [sent] = rowsOf(await other.run({ parameters: KEYED_NODE, items: [{ ...item }] }));
		expect([rejected?.outcome, sent?.outcome]).toEqual(['rejected', 'accepted']);
	});

	it.each(['arrived', 'send_again'])(
		'never repeats an unknown message, and says where to settle it, until a person says %s',
		async (outcome) => {
			const [item] = orders();
			const items = [{ ...item }];
			await control.fault({ endpoint: 'sms.send', times: 1, kind: 'drop_after' });
			const [first] = await run({ items, settings: GOES_ON });
			const [send = ''] = await unknownSends();
			const [second] = rowsOf(await other.run({ parameters: KEYED_NODE, items, settings: GOES_ON }));
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

	it('counts messages that were already sent for Maximum Recipients', async () => {
		const items = orders();
		await run({ items });
		const limited = { parameters: parameters({}, { ...KEYED, maxRecipients: 2 }), items };
		expect((await engine.run(limited)).error?.message).toContain('Maximum Recipients');
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

	it.each<[string, INodeParameters, Partial<ReturnType<typeof credential>>]>([
		['without a relay', { ...KEYED, keyScope: 'account' }, { baseUrlIsRelay: false }],
		['without a Send Once Key', { keyScope: 'account' }, {}],
		['with another word', { ...KEYED, keyScope: 'team' }, {}],
		['with an expression that returns nothing', { ...KEYED, keyScope: '={{ undefined }}' }, {}],
	])('is an error that names the option %s', async (_, options, more) => {
		const other = await engineWith(more);
		for (const operation of ['send', 'sendBulk']) {
			const { error } = await other.run({ parameters: parameters({ operation }, options), items: orders() });
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
		const first = rowsOf(await engine.run({ parameters: plain, items, executionId }));
		const second = rowsOf(await other.run({ parameters: plain, items, executionId }));
		expect(second).toMatchObject(first.map(({ message_id }) => ({ outcome: 'accepted', message_id })));
		expect(await charged()).toHaveLength(3);
		const third = rowsOf(await engine.run({ parameters: plain, items }));
		expect(third.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted']);
		expect(await charged()).toHaveLength(6);
	});

	it('reports a message as unknown if another process of the execution may have sent it with another text', async () => {
		const [item] = orders();
		const executionId = fresh('execution');
		await engine.run({ parameters: parameters(), items: [{ ...item }], executionId });
		const [row] = rowsOf(
			await other.run({
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
		await engine.run({ parameters: parameters(), items, secondItems: items });
		expect(await charged()).toHaveLength(4);
	});

	it('sends a message once for an agent whose calls reach two processes', async () => {
		const calls = [{ to: '+233201234567', message: fresh('Hello') }];
		const executionId = fresh('execution');
		const [first = ''] = await engine.callTool(
			calls,
			undefined,
			undefined,
			undefined,
			undefined,
			undefined,
			executionId,
		);
		const [second = ''] = await other.callTool(calls, executionId);
		expect(JSON.parse(first)).toMatchObject([{ outcome: 'accepted' }]);
		expect(JSON.parse(second)).toMatchObject([{ outcome: 'skipped', reason: 'already_sent', to: '+233201234567' }]);
		expect(await charged()).toHaveLength(1);
		await other.callTool(calls, fresh('execution'));
		expect(await charged()).toHaveLength(2);
	});

	it('sends a message once for an MCP client whose calls reach two processes within five minutes', async () => {
		const window = () => Math.floor(Date.now() / 300_000);
		for (;;) {
			const began = window();
			const calls = [{ to: '+233201234567', message: fresh('Hello') }];
			const [first = ''] = await engine.callMcp(calls);
			const [second = ''] = await other.callMcp(calls);
			if (window() !== began) continue;
			expect(JSON.parse(first)).toMatchObject([{ outcome: 'accepted' }]);
			expect(JSON.parse(second)).toMatchObject([{ outcome: 'skipped', reason: 'already_sent' }]);
			break;
		}
	});

	const once = Object.entries(operationCases).filter(
		([id, { endpoint }]) => endpoint?.repeat === 'once' && id !== 'sms.sendAndWait',
	);
	it.each(once)('makes a call of %s once in two processes of an execution', async (id, { parameters, endpoint }) => {
		const [resource, operation] = id.split('.');
		const executionId = fresh('execution');
		const node = { parameters: { resource, operation, ...parameters }, executionId, settings: GOES_ON };
		const before = await control.requests();
		const first = rowsOf(await engine.run(node));
		const second = rowsOf(await other.run(node));
		expect(second[0]?.outcome).toBe(first[0]?.outcome);
		const made = (await control.requests()).filter((one) => one.endpoint === endpoint?.id).length;
		const madeBefore = before.filter((one) => one.endpoint === endpoint?.id).length;
		expect(made - madeBefore).toBe(first[0]?.outcome === 'rejected' ? 2 : 1);
	});
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
			const data = { ...credential(), baseUrl: `${proxy.url}/api/v1/`, baseUrlIsRelay };
			const direct = await startEngine({ messagingServiceApi: data });
			await direct.run({ parameters: KEYED_NODE, items: orders() });
			await direct.run({ parameters: parameters({ operation: 'sendBulk' }, KEYED), items: orders() });
		}
		expect(proxy.requests.map(({ path }) => path?.replace('/api/v1/', ''))).toEqual([
			...Array<string>(3).fill('sms/send'),
			...Array<string>(3).fill('sms/bulk'),
			...Array<string>(3).fill('sms/send'),
			...Array<string>(3).fill('sms/bulk'),
		]);
		for (const { headers } of proxy.requests) expect(Object.keys(headers)).not.toContain('idempotency-key');
	});
});
