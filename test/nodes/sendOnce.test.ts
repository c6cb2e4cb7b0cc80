import type { INodeParameters } from 'n8n-workflow';
import { alreadySent } from '../support/promises';
import { deduplicationStore } from '../support/n8n/deduplicationStore';
import { startEngine, type Engine, type NodeRun } from '../support/n8n/engine';
import { useSandbox } from '../support/useSandbox';

const orders = [
	{ order: 'A1', to: '+233201234561' },
	{ order: 'A2', to: '+233201234562' },
	{ order: 'A3', to: '+233201234563' },
];
const parameters: INodeParameters = {
	resource: 'sms',
	operation: 'send',
	senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
	to: '={{ $json.to }}',
	message: '=Order {{ $json.order }} is ready',
	options: { sendOnceKey: '=order-{{ $json.order }}', parallelRequests: 1 },
};
const bulk: INodeParameters = {
	...parameters,
	operation: 'sendBulk',
	message: 'Your order is ready',
	options: { sendOnceKey: '=order-{{ $json.order }}', recipientsPerRequest: 1, parallelRequests: 1 },
};

const { sandbox, control } = useSandbox();
let engine: Engine;

beforeAll(async () => {
	engine = await startEngine({
		messagingServiceApi: { baseUrl: sandbox.baseUrl, apiKey: 'sk_sandbox_demo', authHeader: 'X-API-Key' },
	});
});
beforeEach(() => {
	deduplicationStore.clear();
});

const run = async (more: Partial<NodeRun> = {}) => {
	const { outputs, ...rest } = await engine.run({ parameters, items: orders, ...more });
	return { ...rest, rows: outputs[0]?.map(({ json }) => json) ?? [] };
};
const outcomes = (rows: ReadonlyArray<Record<string, unknown>>) => rows.map(({ outcome }) => outcome);
const acceptedNumbers = async () => (await control.messages()).map(({ to }) => to).sort();
const allNumbers = orders.map(({ to }) => to);
const failSecond = async (fault: Record<string, unknown>) => {
	await control.fault({ endpoint: 'sms.send', kind: 'delay', milliseconds: 0, times: 1 });
	await control.fault({ endpoint: 'sms.send', times: 1, ...fault });
};

describe('Send Once Key', () => {
	it('sends once per Send Once Key over two executions, and returns the first result', async () => {
		const first = await run();
		const second = await run();
		expect(outcomes(first.rows)).toEqual(['accepted', 'accepted', 'accepted']);
		expect(second.rows).toMatchObject(
			first.rows.map(({ message_id }) => ({
				outcome: 'skipped',
				reason: 'already_sent',
				first_outcome: 'accepted',
				message_id,
			})),
		);
		expect(second.rows.flatMap(({ cost, balance }) => [cost, balance])).toEqual(Array(6).fill(undefined));
		expect(await acceptedNumbers()).toEqual(allNumbers);
	});

	it('claims all keys of a run in one call, before the first message', async () => {
		await run();
		expect(deduplicationStore.claims).toBe(1);
		deduplicationStore.clear();
		deduplicationStore.failure = new Error('The database is locked');
		const { status, error } = await run();
		expect(status).toBe('error');
		expect(error?.message).toMatch(/^Send Once Key .*\(The database is locked\)/);
		expect(await acceptedNumbers()).toEqual(allNumbers);
	});

	it('sends one of two items with the same key', async () => {
		const { rows } = await run({ items: [orders[0], orders[0], orders[1]].map((order) => ({ ...order })) });
		expect(outcomes(rows)).toEqual(['accepted', 'skipped', 'accepted']);
		expect(await acceptedNumbers()).toHaveLength(2);
	});

	describe('for two items of one run with the same message', () => {
		const twice = [orders[0], orders[0], orders[2]].map((order) => ({ ...order }));
		const first = { endpoint: 'sms.send', times: 1 };
		const goesOn = { settings: { onError: 'continueRegularOutput' as const } };

		it('gives the second item the fields of the first if that was accepted', async () => {
			const { rows } = await run({ items: twice });
			expect(rows[1]).toMatchObject({
				outcome: 'skipped',
				reason: 'already_sent',
				first_outcome: 'accepted',
				message_id: rows[0]?.message_id,
			});
			expect(await acceptedNumbers()).toEqual([allNumbers[0], allNumbers[2]]);
		});

		it('gives the second item the rejection of the first and frees the key, however many are in flight', async () => {
			for (const parallelRequests of [1, 5]) {
				await control.reset();
				deduplicationStore.clear();
				await control.fault({ ...first, kind: 'answer', status: 422, body: { message: 'No' } });
				const options = { sendOnceKey: '={{ $json.order }}', parallelRequests };
				const items = twice.slice(0, 2);
				const { rows } = await run({ parameters: { ...parameters, options }, items, ...goesOn });
				expect(outcomes(rows)).toEqual(['rejected', 'rejected']);
				const again = await run({ parameters: { ...parameters, options }, items, ...goesOn });
				expect(outcomes(again.rows)).toEqual(['accepted', 'skipped']);
				expect(await acceptedNumbers()).toEqual([allNumbers[0]]);
			}
		});

		it('skips the second item if the outcome of the first is unknown', async () => {
			await control.fault({ ...first, kind: 'drop_after' });
			const { rows } = await run({ items: twice, ...goesOn });
			expect(rows).toMatchObject([
				{ outcome: 'unknown' },
				{ outcome: 'skipped', reason: 'key_used', first_outcome: 'unknown', to: allNumbers[0] },
				{ outcome: 'accepted' },
			]);
			expect(await acceptedNumbers()).toEqual([allNumbers[0], allNumbers[2]]);
		});

		it('counts two items with one key once for Maximum Recipients', async () => {
			const options = { ...(parameters.options as INodeParameters), maxRecipients: 2 };
			const { rows } = await run({ parameters: { ...parameters, options }, items: twice });
			expect(outcomes(rows)).toEqual(['accepted', 'skipped', 'accepted']);
		});
	});

	describe.each(['send', 'sendLater', 'sendBulk'])('under one key for several messages of %s', (operation) => {
		const shared: INodeParameters = {
			...parameters,
			operation,
			message: '={{ $json.text ?? "Your order is ready" }}',
			sendAt: '2099-01-01T10:00:00Z',
			options: { sendOnceKey: `order-shared-${operation}` },
		};
		const [ama, kofi] = orders.map(({ to }) => ({ to }));
		const otherText = { ...ama, text: 'Another text' };
		const reused = (to: string | undefined) => ({
			to,
			outcome: 'rejected',
			error: expect.stringMatching(/^Send Once Key "order-.*nothing was sent to \+23320123456\d/) as string,
			details: { to, code: 'idempotency_key_reused', sent: 'no' },
		});
		const goesOn = { settings: { onError: 'continueRegularOutput' as const } };

		it('sends nothing if the run has to stop', async () => {
			for (const second of [kofi, otherText]) {
				const { status, error } = await run({ parameters: shared, items: [{ ...ama }, { ...second }] });
				expect(status).toBe('error');
				expect(error?.message).toMatch(/^Send Once Key "order-shared-.* \(item 2 of 2\)$/);
				expect(error?.description).toContain('Nothing was sent or charged.');
			}
			expect(await control.requests()).toEqual([]);
		});

		it('rejects the later items with their own numbers, in this run and in the next one', async () => {
			const first = await run({ parameters: shared, items: [{ ...ama }, { ...kofi }, { ...otherText }], ...goesOn });
			expect(first.rows).toMatchObject([{ outcome: 'accepted', to: ama?.to }, reused(kofi?.to), reused(ama?.to)]);
			const next = await run({ parameters: shared, items: [{ ...kofi }], ...goesOn });
			expect(next.rows).toMatchObject([reused(kofi?.to)]);
			expect(JSON.stringify([next.rows, first.rows.slice(1, 2)])).not.toContain(ama?.to);
			const text = await run({ parameters: shared, items: [{ ...otherText }], ...goesOn });
			expect(text.rows).toMatchObject([reused(ama?.to)]);
			expect(outcomes((await run({ parameters: shared, items: [{ ...ama }], ...goesOn })).rows)).toEqual(['skipped']);
			expect(await acceptedNumbers()).toEqual([ama?.to]);
		});

		it('sends nothing if the key of any item belongs to a message of an earlier run', async () => {
			const keyed = { ...shared, options: { sendOnceKey: '={{ $json.key }}' } };
			await run({ parameters: keyed, items: [{ ...ama, key: 'K1' }] });
			const items = [
				{ ...kofi, key: 'K2' },
				{ ...kofi, key: 'K1' },
			];
			const stopped = await run({ parameters: keyed, items });
			expect(stopped.status).toBe('error');
			expect(stopped.error?.message).toMatch(/Send Once Key "K1" .*\+233201234562 \(item 2 of 2\)/);
			expect(await acceptedNumbers()).toEqual([ama?.to]);
			const { rows } = await run({ parameters: keyed, items: items.slice(0, 1) });
			expect(outcomes(rows)).toEqual(['accepted']);
		});

		it('sends nothing twice and reports no message as sent, wherever n8n stops while it records the keys', async () => {
			const keyed = (key: string): INodeParameters => ({ ...shared, options: { sendOnceKey: key } });
			for (let calls = 0; calls < 8; calls++) {
				const [mine, fresh] = [
					keyed(`order-stopped-${operation}-${calls}`),
					keyed(`order-fresh-${operation}-${calls}`),
				];
				await control.reset();
				await run({ parameters: mine, items: [{ ...ama }], ...goesOn });
				for (const parameters of [mine, fresh]) {
					deduplicationStore.stopAfter(calls);
					await run({ parameters, items: [{ ...kofi }], ...goesOn });
					deduplicationStore.stopAfter(Infinity);
				}
				const before = await acceptedNumbers();
				const foreign = await run({ parameters: mine, items: [{ ...kofi }], ...goesOn });
				// An entry of the other message may have stayed. Its row then says that its outcome is not known.
				if (foreign.rows[0]?.outcome === 'skipped') expect(foreign.rows).toMatchObject([{ reason: 'key_used' }]);
				else expect(foreign.rows).toMatchObject([reused(kofi?.to)]);
				expect(await acceptedNumbers()).toEqual(before);
				const first = await run({ parameters: mine, items: [{ ...ama }], ...goesOn });
				expect(outcomes(first.rows)).toEqual(['skipped']);
				// A key that was recorded completely may have been used: its row says that this is not known.
				const { rows } = await run({ parameters: fresh, items: [{ ...kofi }], ...goesOn });
				const sent = before.includes(kofi?.to ?? '');
				expect(rows).toMatchObject([
					sent
						? { reason: 'already_sent' }
						: { outcome: expect.stringMatching(/^(accepted|rejected|skipped)$/) as string },
				]);
				if (!sent && rows[0]?.outcome === 'skipped') expect(rows[0]).toMatchObject({ reason: 'key_used' });
			}
		});

		it('predicts the same in a dry run', async () => {
			// This process remembers the keys of the other tests.
			const options = { sendOnceKey: `order-dry-${operation}` };
			const dry = { ...shared, options: { ...options, dryRun: true } };
			const items = [{ ...ama }, { ...ama }, { ...kofi }];
			const { rows } = await run({ parameters: dry, items, ...goesOn });
			expect(rows).toMatchObject([
				{ to: ama?.to, outcome: 'would_send' },
				{ to: ama?.to, outcome: 'would_skip', reason: 'already_sent' },
				{ ...reused(kofi?.to), dry_run: true },
			]);
			await run({ parameters: { ...shared, options }, items: items.slice(0, 1) });
			const next = await run({ parameters: dry, items: items.slice(1), ...goesOn });
			expect(next.rows).toMatchObject([
				{ to: ama?.to, outcome: 'would_skip', reason: 'already_sent' },
				{ ...reused(kofi?.to), dry_run: true },
			]);
			const stopped = await run({ parameters: dry, items });
			expect(stopped.error?.message).toContain('(item 3 of 3)');
		});
	});

	it('keeps the rows of a bulk send when n8n tries again because of a first item that is wrong', async () => {
		const items = ['first-undefined', 'retried-1', 'retried-2'].map((key, index) => ({
			to: allNumbers[index] ?? '',
			key,
		}));
		const { rows } = await run({
			parameters: {
				...parameters,
				operation: 'sendBulk',
				message: 'Open',
				options: { sendOnceKey: '={{ $json.key }}' },
			},
			items,
			settings: { onError: 'continueRegularOutput', retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		});
		expect(outcomes(rows)).toEqual(['rejected', 'accepted', 'accepted']);
		expect(await acceptedNumbers()).toEqual(allNumbers.slice(1, 3));
	});

	it('gives no field of a verification of another phone under the same key', async () => {
		const start: INodeParameters = {
			resource: 'verification',
			operation: 'start',
			senderId: parameters.senderId ?? '',
			phone: '={{ $json.to }}',
			options: { sendOnceKey: 'login-r1' },
		};
		const settings = { onError: 'continueRegularOutput' as const };
		const first = await run({ parameters: start, items: orders.slice(0, 1), settings });
		expect(outcomes(first.rows)).toEqual(['accepted']);
		const { rows } = await run({ parameters: start, items: orders.slice(1, 2), settings });
		expect(rows).toMatchObject([
			{ outcome: 'rejected', to: allNumbers[1], details: { code: 'idempotency_key_reused', sent: 'no' } },
		]);
		expect(rows[0]).not.toHaveProperty('verification_id');
	});

	it('rejects a key that another operation of the node used', async () => {
		await run({ items: orders.slice(0, 1) });
		const call = { resource: 'voice', operation: 'send', to: allNumbers[0] ?? '', message: 'Order A1 is ready' };
		const { error } = await run({ parameters: { ...parameters, ...call }, items: orders.slice(0, 1) });
		expect(error?.message).toMatch(/^Send Once Key "order-A1" was used before for another message/);
		expect(await acceptedNumbers()).toEqual(allNumbers.slice(0, 1));
	});

	it('sends once if executions in one process claim the same key at the same time', async () => {
		const runs = await Promise.all([run(), run(), run()]);
		const accepted = runs.flatMap(({ rows }) => rows).filter(({ outcome }) => outcome === 'accepted');
		expect(accepted).toHaveLength(3);
		expect(await acceptedNumbers()).toEqual(allNumbers);
	});

	it.each<[string, Record<string, unknown>, string]>([
		['was rejected', { kind: 'answer', status: 422, body: { message: 'No' } }, 'accepted'],
		['may have been accepted', { kind: 'drop_after' }, 'skipped'],
	])('releases a key whose message %s only if it was certainly not accepted', async (_, fault, expected) => {
		await control.fault({ endpoint: 'sms.send', times: 1, ...fault });
		const settings = { onError: 'continueRegularOutput' as const };
		const first = await run({ settings });
		expect(first.rows[0]?.outcome).toBe(expected === 'accepted' ? 'rejected' : 'unknown');
		const second = await run({ settings });
		expect(outcomes(second.rows)).toEqual([expected, 'skipped', 'skipped']);
		if (expected === 'skipped') {
			expect(second.rows[0]).toMatchObject({
				first_outcome: 'unknown',
				message: expect.stringContaining('not known') as string,
			});
		}
		expect(await acceptedNumbers()).toEqual(allNumbers);
	});

	it('keeps the keys of sent messages and releases the others when the run stops', async () => {
		await failSecond({ kind: 'answer', status: 422, body: { message: 'No' } });
		const first = await run();
		expect(first.status).toBe('error');
		expect(first.error?.description).toMatch(alreadySent(1));
		const second = await run();
		expect(outcomes(second.rows)).toEqual(['skipped', 'accepted', 'accepted']);
		expect(await acceptedNumbers()).toEqual(allNumbers);
	});

	it.each([1, 2, 3])('finishes the run with Retry On Fail if item %i fails in the first try', async (failing) => {
		for (let before = 1; before < failing; before++) {
			await control.fault({ endpoint: 'sms.send', kind: 'delay', milliseconds: 0, times: 1 });
		}
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 422, times: 1, body: { message: 'No' } });
		const { status, rows } = await run({ settings: { retryOnFail: true, maxTries: 3 } });
		expect(status).toBe('success');
		expect(outcomes(rows)).toEqual(['accepted', 'accepted', 'accepted']);
		expect(await acceptedNumbers()).toEqual(allNumbers);
	});

	it.each([
		['empty', '={{ $json.nothing }}'],
		['blank', '  '],
		['without its value', '=order-{{ $json.nothing }}shipped'],
		['with undefined', '={{ "order-" + $json.nothing }}'],
		['not filled in', 'order-{{ $json.order }}'],
		['a boolean', '={{ $json.order === "A1" }}'],
		['not finite', '={{ 1 / 0 }}'],
		['a list', '={{ [$json.order] }}'],
	])('rejects a Send Once Key that is %s, and sends nothing', async (_, sendOnceKey) => {
		for (const operation of ['send', 'sendBulk']) {
			const { status, error } = await run({ parameters: { ...parameters, operation, options: { sendOnceKey } } });
			expect(status).toBe('error');
			expect(error?.message).toMatch(
				/^Send Once Key.* \(item 1 of 3\) .*one value for each message, such as 1001-shipped/,
			);
		}
		expect(await control.requests()).toEqual([]);
	});

	it('fails only the item whose key cannot be read when the run continues', async () => {
		const sendOnceKey = "={{ $json.order === 'A1' ? $('No such node').item.json.id : $json.order }}";
		for (const operation of ['send', 'sendBulk']) {
			const { rows } = await run({
				parameters: { ...parameters, operation, options: { sendOnceKey, parallelRequests: 1, maxRecipients: 3 } },
				settings: { onError: 'continueRegularOutput' },
			});
			expect(outcomes(rows).sort()).toEqual(['accepted', 'accepted', 'rejected']);
			deduplicationStore.clear();
		}
	});

	it('releases the keys if a spending limit then stops the run', async () => {
		const guarded = { ...parameters, options: { sendOnceKey: '=order-{{ $json.order }}', maxRecipients: 2 } };
		expect((await run({ parameters: guarded })).status).toBe('error');
		expect(outcomes((await run()).rows)).toEqual(['accepted', 'accepted', 'accepted']);
	});
});

const PHONE = '+233201234561';
describe.each<[string, INodeParameters, string]>([
	['WhatsApp > Send', { resource: 'whatsapp', operation: 'send', to: PHONE, message: 'Hi' }, 'whatsapp.send'],
	['Voice > Call', { resource: 'voice', operation: 'send', to: PHONE, message: 'Hi' }, 'voice.send'],
	['Email > Send', { resource: 'email', operation: 'send', to: 'a@b.gh', subject: 'Hi', message: 'Hi' }, 'email.send'],
	[
		'Verification > Send Code',
		{ resource: 'verification', operation: 'start', senderId: parameters.senderId ?? '', phone: PHONE },
		'verification.start',
	],
	['Phone Number > Look Up', { resource: 'phoneNumber', operation: 'lookUp', phone: PHONE }, 'lookup.phone'],
])('%s', (_, fields, endpoint) => {
	const requests = async () => (await control.requests()).filter((request) => request.endpoint === endpoint).length;

	it('skips a used Send Once Key in another execution', async () => {
		const keyed = { ...fields, options: { sendOnceKey: '=order-{{ $json.order }}' } };
		expect(outcomes((await run({ parameters: keyed })).rows)).toEqual(['accepted', 'accepted', 'accepted']);
		expect(outcomes((await run({ parameters: keyed })).rows)).toEqual(['skipped', 'skipped', 'skipped']);
		expect(await requests()).toBe(3);
	});

	it('gives no field of another recipient under the same Send Once Key', async () => {
		const keyed = { ...fields, options: { sendOnceKey: `shared for ${endpoint}` } };
		expect(outcomes((await run({ parameters: keyed, items: orders.slice(0, 1) })).rows)).toEqual(['accepted']);
		const field = 'phone' in fields ? 'phone' : 'to';
		const other = endpoint === 'email.send' ? 'kofi@example.com' : '+233201234562';
		const { rows } = await run({
			parameters: { ...keyed, [field]: other },
			items: orders.slice(0, 1),
			settings: { onError: 'continueRegularOutput' },
		});
		const { details, ...row } = rows[0] ?? {};
		expect(Object.keys(row).sort()).toEqual(
			endpoint === 'lookup.phone' ? ['error', 'outcome'] : ['error', 'outcome', 'to'],
		);
		expect(row).toMatchObject({ outcome: 'rejected', error: expect.stringContaining(other) as string });
		expect(details).toMatchObject({ code: 'idempotency_key_reused', sent: 'no' });
		expect(await requests()).toBe(1);
	});

	it('counts recipients for Maximum Recipients over the rounds of a loop', async () => {
		const guarded = { ...fields, options: { maxRecipients: 5 } };
		const { error } = await run({ parameters: guarded, secondItems: orders });
		expect(error?.message).toContain('Maximum Recipients is 5');
		expect(await requests()).toBe(3);
	});
});

describe('Send Once Key of a bulk send', () => {
	it('sends a bulk message to each recipient once over two executions', async () => {
		await run({ parameters: bulk });
		const { rows } = await run({ parameters: bulk, items: [...orders, { order: 'A4', to: '0201234564' }] });
		expect(rows).toMatchObject([
			...allNumbers.map((to) => ({ to, outcome: 'skipped', reason: 'already_sent' })),
			{ to: '+233201234564', outcome: 'accepted' },
		]);
		expect(await acceptedNumbers()).toEqual([...allNumbers, '+233201234564']);
	});

	it('gives each recipient the fields of its own first message, without charges', async () => {
		const [ama, kofi, esi] = allNumbers;
		await control.ask('POST', 'opt-outs', { number: kofi });
		const items = [{ order: 'A1', to: allNumbers.join(',') }];
		const settings = { onError: 'continueRegularOutput' as const };
		const parameters = { ...bulk, options: { sendOnceKey: '={{ $json.order }}' } };
		const first = await run({ parameters, items, settings });
		expect(outcomes(first.rows)).toEqual(['accepted', 'rejected', 'accepted']);
		const again = [{ order: 'A1', to: [esi, kofi, '12', ama].join(',') }];
		const { rows } = await run({ parameters, items: again, settings });
		const [one, , three] = first.rows;
		const sent = { outcome: 'skipped', reason: 'already_sent', first_outcome: 'accepted' };
		expect(rows).toEqual([
			{ ...three, ...sent, message: expect.any(String) as string },
			{
				to: kofi,
				outcome: 'rejected',
				error: expect.stringContaining(`nothing was sent to ${kofi}`) as string,
				details: expect.objectContaining({ to: kofi, sent: 'no' }) as object,
			},
			{ to: '12', outcome: 'skipped', reason: 'invalid_number', message: expect.any(String) as string },
			{ ...one, ...sent, message: expect.any(String) as string },
		]);
		expect(rows[0]).toMatchObject({ to: esi, message_id: expect.any(String) as string, segment_count: 1 });
		expect(await acceptedNumbers()).toEqual([ama, esi]);
	});

	it('continues after a rejected request stopped the run, by Retry On Fail and in another execution', async () => {
		const stopping = { ...bulk, options: { ...Object(bulk.options), skipRejectedNumbers: false } as INodeParameters };
		const failMiddle = async () => {
			await control.fault({ endpoint: 'sms.sendBulk', kind: 'delay', milliseconds: 0, times: 1 });
			await control.fault({ endpoint: 'sms.sendBulk', kind: 'answer', status: 422, times: 1, body: { message: 'No' } });
		};
		await failMiddle();
		const retried = await run({ parameters: stopping, settings: { retryOnFail: true, maxTries: 2 } });
		expect(outcomes(retried.rows)).toEqual(['accepted', 'accepted', 'accepted']);
		expect(await acceptedNumbers()).toEqual(allNumbers);

		deduplicationStore.clear();
		await control.reset();
		await failMiddle();
		expect((await run({ parameters: stopping })).status).toBe('error');
		const again = await run({ parameters: stopping });
		expect(outcomes(again.rows)).toEqual(['skipped', 'accepted', 'accepted']);
		expect(await acceptedNumbers()).toEqual(allNumbers);
	});

	it('keeps the key if it is not known whether the first request was accepted', async () => {
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'drop_after', times: 1 });
		const settings = { onError: 'continueRegularOutput' as const };
		const first = await run({ parameters: bulk, settings });
		expect(outcomes(first.rows)).toEqual(['unknown', 'accepted', 'accepted']);
		const second = await run({ parameters: bulk, settings });
		expect(second.rows[0]).toMatchObject({
			outcome: 'skipped',
			message: expect.stringContaining('is not known') as string,
		});
		expect(await acceptedNumbers()).toEqual(allNumbers);
	});

	it('returns key_used, not already_sent, if the outcome under the key is not known here', async () => {
		for (const given of [parameters, bulk]) {
			const fixed = { ...given, to: allNumbers[0] ?? '', message: 'Ready', options: { sendOnceKey: 'A1' } };
			// Nodes with one ID share n8n's store, but not what this process remembers.
			const { thenOutputs } = await engine.run({
				parameters: fixed,
				items: [{}],
				settings: { id: 'the same' },
				then: fixed,
				thenSettings: { id: 'the same' },
			});
			expect(thenOutputs[0]?.map(({ json }) => json)).toMatchObject([
				{ outcome: 'skipped', reason: 'key_used', message: expect.stringContaining('not known here') as string },
			]);
			deduplicationStore.clear();
		}
	});

	it('keeps the key of an item whose recipient has the message through another item', async () => {
		const twice = [orders[0], { ...orders[0], order: 'B1' }].map((order) => ({ ...order }));
		const first = await run({ parameters: bulk, items: twice });
		expect(first.rows).toMatchObject([{ outcome: 'accepted' }, { outcome: 'skipped', reason: 'duplicate' }]);
		const second = await run({ parameters: bulk, items: twice });
		expect(second.rows).toMatchObject([{ reason: 'already_sent' }, { reason: 'already_sent' }]);
		expect(await acceptedNumbers()).toHaveLength(1);
	});

	it('finishes failed requests with Retry On Fail, each message to its own recipient', async () => {
		const fails = { endpoint: 'sms.sendBulk', kind: 'answer', status: 422, times: 1, body: { message: 'No' } };
		await control.fault(fails);
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'delay', milliseconds: 0, times: 1 });
		await control.fault(fails);
		const { rows } = await run({
			parameters: { ...bulk, message: '=Order {{ $json.order }} is ready' },
			settings: { onError: 'continueRegularOutput', retryOnFail: true, maxTries: 2 },
		});
		expect(rows).toMatchObject(allNumbers.map((to) => ({ to, outcome: 'accepted' })));
		const sent = (await control.messages()).map(({ to, message }) => `${to} ${message}`).sort();
		expect(sent).toEqual(orders.map(({ to, order }) => `${to} Order ${order} is ready`));
	});

	describe('for two items of one run with the same message', () => {
		const twice = ['A1', 'A1', 'A3'].map((order) => ({ order, to: allNumbers[order === 'A1' ? 0 : 2] }));
		const settings = { onError: 'continueRegularOutput' as const };
		const fault = { endpoint: 'sms.sendBulk', times: 1 };
		const reasons = (rows: ReadonlyArray<Record<string, unknown>>) =>
			rows.map(({ outcome, reason }) => reason ?? outcome);

		it('skips the second item if the first was accepted or may have been', async () => {
			const { rows } = await run({ parameters: bulk, items: twice });
			expect(reasons(rows)).toEqual(['accepted', 'already_sent', 'accepted']);
			expect(rows[1]).toMatchObject({ to: rows[0]?.to, message_id: rows[0]?.message_id });
			deduplicationStore.clear();
			await control.reset();
			await control.fault({ ...fault, kind: 'drop_after' });
			const lost = await run({ parameters: bulk, items: twice, settings });
			expect(reasons(lost.rows)).toEqual(['unknown', 'key_used', 'accepted']);
			expect(await acceptedNumbers()).toHaveLength(2);
		});

		it('gives the second item the rejection of the first, and sends in a second try', async () => {
			const rejection = { ...fault, kind: 'answer', status: 422, body: { message: 'No' } };
			await control.fault(rejection);
			expect(reasons((await run({ parameters: bulk, items: twice, settings })).rows)).toEqual([
				'rejected',
				'rejected',
				'accepted',
			]);
			deduplicationStore.clear();
			await control.fault(rejection);
			const retrying = { ...settings, retryOnFail: true, maxTries: 2 };
			const { rows } = await run({ parameters: bulk, items: twice, settings: retrying });
			expect(reasons(rows)).toEqual(['accepted', 'already_sent', 'accepted']);
		});

		it('reports the second item as the first if the wallet is empty', async () => {
			const body = { code: 'insufficient_balance', message: 'Top up first' };
			await control.fault({ ...fault, kind: 'answer', status: 422, body });
			const { rows } = await run({ parameters: bulk, items: twice, settings });
			expect(outcomes(rows)).toEqual(['rejected', 'rejected', 'not_attempted']);
			expect(await acceptedNumbers()).toEqual([]);
			const again = await run({ parameters: bulk, items: twice, settings });
			expect(outcomes(again.rows)).toEqual(['accepted', 'skipped', 'accepted']);
		});
	});

	it('belongs to the set of recipients of an item, in any order', async () => {
		const promo = { ...bulk, options: { sendOnceKey: 'promo' } };
		const settings = { onError: 'continueRegularOutput' as const };
		const [ama, kofi, esi] = allNumbers;
		await run({ parameters: promo, items: [{ to: `${ama}, ${kofi}` }], settings });
		const turned = await run({ parameters: promo, items: [{ to: `${kofi}, ${ama}` }], settings });
		expect(turned.rows).toMatchObject([ama, kofi].reverse().map((to) => ({ to, reason: 'already_sent' })));
		const { rows } = await run({ parameters: promo, items: [{ to: `${ama}, ${esi}` }], settings });
		expect(rows).toMatchObject(
			[ama, esi].map((to) => ({ to, outcome: 'rejected', error: expect.stringContaining(`sent to ${to}`) as string })),
		);
		expect(await acceptedNumbers()).toEqual([ama, kofi]);
	});

	it('releases the key of a rejected message, although its recipient has another one', async () => {
		const items = ['A1', 'A2'].map((order) => ({ order, to: allNumbers[0] }));
		const parameters = { ...bulk, message: '=Order {{ $json.order }} is ready' };
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'delay', milliseconds: 0, times: 1 });
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'answer', status: 422, times: 1, body: { message: 'No' } });
		const settings = { onError: 'continueRegularOutput' as const };
		expect(outcomes((await run({ parameters, items, settings })).rows)).toEqual(['accepted', 'rejected']);
		expect(outcomes((await run({ parameters, items, settings })).rows)).toEqual(['skipped', 'accepted']);
	});
});
