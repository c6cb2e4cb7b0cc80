import { z } from 'zod/v4';
import { describeOnEachDatabase } from '../../support/relay/databases';
import type { Relay } from '../../support/relay/relay';
import { useSandbox } from '../../support/useSandbox';
import { contract, recipientResults } from '../../../shared';
import { startHop } from './hop';
import { relayedClient } from './relayedClient';
import {
	callThrough,
	gatewayEnv,
	sendThrough,
	sms,
	type GatewayOptions,
	type GatewayResponse,
} from '../../support/relay/gateway';

const { sandbox, control } = useSandbox();

const NUMBERS = ['+233201110001', '+233201110002', '+233201110003', '+233201110004'];

const bulkBody = z.looseObject({
	relay: z.object({
		skipped: z.array(z.object({ to: z.string(), outcome: z.string(), message_id: z.string().nullable() })),
	}),
});

/** A bulk send with the key `prefix-N` for number N. */
function bulk(prefix: string, places: readonly number[], message = 'We are open'): object {
	return {
		to: places.map((place) => NUMBERS[place]),
		sender_id: 'KOFISHOP',
		message,
		idempotency_keys: places.map((place) => `${prefix}-${place}`),
	};
}

function skippedOf({ text }: GatewayResponse): ReadonlyArray<readonly [string, string]> {
	return bulkBody.parse(JSON.parse(text)).relay.skipped.map(({ to, outcome }) => [to, outcome] as const);
}

describeOnEachDatabase('a bulk send with a key for each recipient', (database) => {
	let relay: Relay;
	const sendBulk = async (body: object, options: GatewayOptions = {}) =>
		await callThrough(relay, 'POST', '/sms/bulk', body, options);
	const recipients = async () => (await control.messages()).map(({ to }) => to).sort();

	beforeAll(async () => {
		relay = await database().start({ env: gatewayEnv(sandbox.baseUrl, { RELAY_SERVICE_TIMEOUT_SECONDS: '5' }) });
	});

	it('reaches the service without the keys, and the response says that none was left out', async () => {
		const { status, outcome, text } = await sendBulk(bulk('first', [0, 1]));
		expect([status, outcome]).toEqual([200, 'accepted']);
		expect(bulkBody.parse(JSON.parse(text))).toMatchObject({ success: true, relay: { skipped: [] } });
		expect(await recipients()).toEqual([NUMBERS[0], NUMBERS[1]]);
	});

	it('leaves out recipients whose key is taken, and sends to the others', async () => {
		await sendBulk(bulk('some', [0, 1]));
		const second = await sendBulk(bulk('some', [0, 1, 2, 3]));
		expect([second.status, second.outcome, second.isReplay]).toEqual([200, 'accepted', false]);
		expect(skippedOf(second)).toEqual([
			[NUMBERS[0], 'accepted'],
			[NUMBERS[1], 'accepted'],
		]);
		expect(await recipients()).toEqual(NUMBERS);
		const third = await sendBulk(bulk('some', [0, 1, 2, 3]));
		expect([third.status, third.outcome, third.isReplay]).toEqual([200, 'accepted', true]);
		expect(skippedOf(third)).toHaveLength(4);
		expect(await recipients()).toEqual(NUMBERS);
	});

	it('is unknown for all its recipients if the connection is cut, and none gets it again', async () => {
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'drop_after' });
		const first = await sendBulk(bulk('cut', [0, 1]));
		expect([first.status, first.code, first.outcome]).toEqual([502, 'outcome_unknown', 'unknown']);
		const second = await sendBulk(bulk('cut', [0, 1]));
		expect([second.status, second.outcome, second.isReplay]).toEqual([200, 'unknown', true]);
		const third = await sendBulk(bulk('cut', [0, 1, 2]));
		expect(skippedOf(third)).toEqual([
			[NUMBERS[0], 'unknown'],
			[NUMBERS[1], 'unknown'],
		]);
		expect(await recipients()).toEqual(NUMBERS.slice(0, 3));
	});

	it('leaves all keys free if the service rejects it', async () => {
		await control.emptyWallet();
		const first = await sendBulk(bulk('poor', [0, 1]));
		expect([first.status, first.outcome]).toEqual([422, 'rejected']);
		await control.adjustWallet(10);
		expect((await sendBulk(bulk('poor', [0, 1]))).outcome).toBe('accepted');
		expect(await recipients()).toEqual([NUMBERS[0], NUMBERS[1]]);
	});

	it('keeps the keys of accepted recipients, and frees those that the response rejects', async () => {
		const [accepted, rejected] = NUMBERS;
		const body = {
			success: true,
			batch_id: 'b1',
			results: [
				{ to: accepted, message_id: 'm1', status: 'queued' },
				{ to: rejected, status: 'failed', error: 'Not reachable' },
			],
		};
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'answer', status: 200, body });
		await sendBulk(bulk('partly', [0, 1]));
		const again = await sendBulk(bulk('partly', [0, 1]));
		expect(bulkBody.parse(JSON.parse(again.text)).relay.skipped).toEqual([
			{ to: accepted, outcome: 'accepted', message_id: 'm1' },
		]);
		expect(await recipients()).toEqual([rejected]);
	});

	it('sends to each recipient once if many overlapping lists are sent at the same time', async () => {
		const lists = Array.from({ length: 40 }, (_, index) => [0, 1, 2, 3].filter((place) => (index + place) % 3 !== 0));
		const responses = await Promise.all(lists.map(async (places) => await sendBulk(bulk('same-time', places))));
		expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
		expect(await recipients()).toEqual(NUMBERS);
	});

	it('is rejected as a whole if one key belongs to other content', async () => {
		await sendBulk(bulk('reused', [1]));
		const { status, code, outcome, text } = await sendBulk(bulk('reused', [0, 1], 'Other words'));
		expect([status, code, outcome]).toEqual([422, 'idempotency_key_reused', 'rejected']);
		expect(text).toContain('(entry 1)');
		expect(JSON.parse(text)).toMatchObject({ error: { field: 'idempotency_keys.1' } });
		expect(text).not.toContain(NUMBERS[1]);
		expect(await recipients()).toEqual([NUMBERS[1]]);
		// The other key was not claimed.
		expect((await sendBulk(bulk('reused', [0], 'Third words'))).outcome).toBe('accepted');
	});

	it.each([
		['no list', { idempotency_keys: 'a' }],
		['too few keys', { idempotency_keys: ['a'] }],
		['too many keys', { idempotency_keys: ['a', 'b', 'c'] }],
		['a key twice', { idempotency_keys: ['a', 'a'] }],
		['an empty key', { idempotency_keys: ['a', ''] }],
		['a number', { idempotency_keys: ['a', 1] }],
		['no recipients', { to: [], idempotency_keys: [] }],
		['recipients that are no list', { to: NUMBERS[0], idempotency_keys: ['a'] }],
	])('is rejected with 422: %s', async (_name, wrong) => {
		const { status, code, outcome } = await sendBulk({ ...bulk('wrong', [0, 1]), ...wrong });
		expect([status, code, outcome]).toEqual([422, 'idempotency_keys_invalid', 'rejected']);
		expect(await recipients()).toEqual([]);
	});

	it('is rejected with 422 if it has both kinds of keys', async () => {
		expect((await sendBulk(bulk('both', [0]), { key: 'both' })).code).toBe('idempotency_keys_invalid');
	});

	it('can have one key for all recipients', async () => {
		const body = { ...sms(), to: NUMBERS.slice(0, 2) };
		const first = await sendBulk(body, { key: 'whole-list' });
		const again = await sendBulk(body, { key: 'whole-list' });
		expect([first.isReplay, again.isReplay, again.status]).toEqual([false, true, 200]);
		const { batch_id } = JSON.parse(first.text) as { batch_id: unknown };
		expect(JSON.parse(again.text)).toMatchObject({ success: true, batch_id });
		expect(await recipients()).toEqual([NUMBERS[0], NUMBERS[1]]);
	});

	it.each([
		['rejects one', 'failed'],
		['is not clear about one', 'unclear'],
	])('does not call all recipients accepted in a replay if the response %s', async (_name, key) => {
		const [accepted, other] = NUMBERS;
		const results = [
			{ to: accepted, message_id: 'm1', status: 'queued' },
			key === 'failed'
				? { to: other, status: 'failed', error: 'Not reachable' }
				: { to: other, success: false, message_id: 'm2' },
		];
		const response = { success: true, batch_id: 'b1', cost: 0.05, results };
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'answer', status: 200, body: response });
		await using hop = await startHop(relay.url);
		hop.plan('cut after');
		const client = relayedClient(hop.baseUrl, sandbox.apiKey);
		const input = { ...sms(), to: [accepted ?? '', other ?? ''] };
		const outcome = await client.call(contract.sms.sendBulk, input, { idempotencyKey: `partly-${key}` });
		const recipients = input.to.map((to, position) => ({ to, source: 0, position }));
		const rows = recipientResults({ index: 0, input: { name: '0', input, recipients }, ...outcome });
		// The relay keeps no list of results.
		expect(rows.map((row) => row.outcome)).toEqual(['unknown', 'unknown']);
		expect(await control.messages()).toEqual([]);
	});

	it('leaves its key free if the response rejects all its recipients', async () => {
		const results = NUMBERS.slice(0, 2).map((to) => ({ to, status: 'failed', error: 'Not reachable' }));
		const response = { success: true, batch_id: 'b1', results };
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'answer', status: 200, body: response });
		const body = { ...sms(), to: NUMBERS.slice(0, 2) };
		await sendBulk(body, { key: 'none' });
		expect((await sendBulk(body, { key: 'none' })).isReplay).toBe(false);
		expect(await recipients()).toEqual(NUMBERS.slice(0, 2));
	});

	it.each(['/sms/bulk/', '/sms/send'])(
		'is rejected with 422 at %s, where the relay would not read its keys',
		async (path) => {
			const { code, outcome } = await callThrough(relay, 'POST', path, bulk('elsewhere', [0, 1]));
			expect([code, outcome]).toEqual(['idempotency_keys_invalid', 'rejected']);
			expect(await recipients()).toEqual([]);
		},
	);

	it('keeps the ID of its message if it has one recipient and one key', async () => {
		const body = { ...sms(), to: [NUMBERS[0]] };
		const first = await sendBulk(body, { key: 'one' });
		const { results } = z
			.object({ results: z.array(z.object({ message_id: z.string() })) })
			.parse(JSON.parse(first.text));
		const again = await sendBulk(body, { key: 'one' });
		expect(again.isReplay).toBe(true);
		expect(JSON.parse(again.text)).toMatchObject({ success: true, message_id: results[0]?.message_id });
	});

	it('leaves its key free if the response rejects its only recipient', async () => {
		const results = [{ to: NUMBERS[0], status: 'failed', error: 'Not reachable' }];
		const response = { success: true, batch_id: 'b1', results };
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'answer', status: 200, body: response });
		const body = { ...sms(), to: [NUMBERS[0]] };
		await sendBulk(body, { key: 'only' });
		expect((await sendBulk(body, { key: 'only' })).isReplay).toBe(false);
		expect(await recipients()).toEqual([NUMBERS[0]]);
	});

	it('shows nothing about recipients to an API key that the service rejects', async () => {
		await sendBulk(bulk('private', [0]));
		const { status, text } = await sendBulk(bulk('private', [0, 1]), { apiKey: 'sk_sandbox_wrong' });
		expect(status).toBe(401);
		expect(text).not.toContain('skipped');
		expect((await sendBulk(bulk('private', [0, 1]))).status).toBe(200);
	});

	it('shares no key with a single send', async () => {
		await sendBulk(bulk('mixed', [0]));
		expect((await sendThrough(relay, sms(), { key: 'mixed-0' })).code).toBe('idempotency_key_reused');
	});
});
