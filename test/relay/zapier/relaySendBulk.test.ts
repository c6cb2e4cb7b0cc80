import { contract, createClient, sendOnceRecipientKey } from '../../../shared';
import { undiciTransport } from '../../../shared/transports/undici';
import { NOTHING_SENT } from '../../support/promises';
import { bulkOutput, numbers, toLines, toList } from '../../support/zapier/bulkStep';
import { haltedFor } from '../../support/zapier/haltedFor';
import { lossyProxy } from '../../support/lossyProxy';
import { useSendingRelay } from '../../support/zapier/sendingRelay';
import { driveApp, methods, type Account } from '../../support/zapier/zapierTestApp';

/** Send Bulk SMS through a real relay, in front of a sandbox. */
const used = useSendingRelay();
const { control } = used;
afterEach(async () => await used.settle('send_again'));

let keys = 0;
const newKey = () => `campaign ${(keys += 1)}`;

type Inputs = Readonly<Record<string, unknown>>;
const app = (more: Account = {}) => driveApp({ ...used.account(), ...more });
const run = async (inputs: Inputs, more?: Account) =>
	bulkOutput.parse(await app(more).run(methods.sendBulkSms, inputs));
/** The numbers that got a message, in order. */
const recipients = async () => (await control.messages()).map(({ to }) => to).sort();
const [ama = '', kofi = '', esi = ''] = numbers(3);

describe('bulk send with a Send Once Key, through a relay', () => {
	it('sends once to each number over any number of replays, and returns the first result', async () => {
		const inputs = toList(numbers(5), { send_once_key: newKey(), numbers_per_request: 2 });
		const first = await run(inputs);
		expect(first).toMatchObject({ outcome: 'accepted', accepted: 5, requests: 3, already_sent: false });
		expect(first.results.map(({ already_sent }) => already_sent)).toEqual(Array(5).fill(false));
		const ids = first.results.map(({ message_id }) => message_id);
		expect(new Set(ids).size).toBe(5);
		for (let replay = 0; replay < 2; replay += 1) {
			const replayed = await run(inputs);
			expect(replayed).toMatchObject({ outcome: 'accepted', total: 5, accepted: 5, requests: 0, already_sent: true });
			expect(replayed.results.map(({ message_id }) => message_id)).toEqual(ids);
			expect(replayed.results.map(({ already_sent }) => already_sent)).toEqual(Array(5).fill(true));
		}
		expect(await recipients()).toEqual(numbers(5));
	});

	it('sends only to the rest in a replay, if the first run ended half-way', async () => {
		const inputs = toList(numbers(6), { send_once_key: newKey(), numbers_per_request: 2 });
		const { balance } = await control.wallet();
		await control.adjustWallet(0.1 - balance);
		const first = await run(inputs);
		expect(first).toMatchObject({ outcome: 'partly_accepted', accepted: 2 });
		expect(first.numbers_to_send_again).toHaveLength(4);
		await control.adjustWallet(10);
		const second = await run(inputs);
		expect(second).toMatchObject({ outcome: 'accepted', accepted: 6, cost: 0.2, already_sent: false });
		expect(second.numbers_to_send_again).toEqual([]);
		const before = second.results.filter(({ already_sent }) => already_sent === true);
		expect(before.map(({ to }) => to)).toEqual(
			first.results.filter(({ outcome }) => outcome === 'accepted').map(({ to }) => to),
		);
		expect(before.map(({ message_id }) => message_id)).toEqual(
			first.results.filter(({ outcome }) => outcome === 'accepted').map(({ message_id }) => message_id),
		);
		expect(await recipients()).toEqual(numbers(6));
	});

	it('leaves a number out that has the message, even if it now shares a request with others', async () => {
		const send_once_key = newKey();
		await run(toList([kofi], { send_once_key }));
		const second = await run(toList([ama, kofi, esi], { send_once_key }));
		expect(second).toMatchObject({ accepted: 3, requests: 1, total_segments: 2, already_sent: false });
		expect(second.results.map(({ to, already_sent }) => [to, already_sent])).toEqual([
			[ama, false],
			[kofi, true],
			[esi, false],
		]);
		expect(await recipients()).toEqual([ama, kofi, esi].sort());
	});

	it('returns unknown numbers as unknown until a person settles them, and never sends to them again', async () => {
		const inputs = toList([ama, kofi], { send_once_key: newKey() });
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'drop_before' });
		expect(await run(inputs)).toMatchObject({ outcome: 'unknown', unknown: 2, already_sent: false });
		const replayed = await run(inputs);
		// No one knows whether the first run sent them, so the replay does not say so.
		const unknown = { outcome: 'unknown', unknown: 2, numbers_to_send_again: [] };
		expect(replayed).toMatchObject({ ...unknown, requests: 0, already_sent: false });
		expect(replayed.results[0]?.reason).toContain('page of the relay');
		expect(await recipients()).toEqual([]);
		await used.settle('arrived');
		expect(await run(inputs)).toMatchObject({ outcome: 'accepted', accepted: 2, already_sent: true });
		expect(await recipients()).toEqual([]);
	});

	it('sends to unknown numbers again if a person says so', async () => {
		const inputs = toList([ama, kofi], { send_once_key: newKey() });
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'drop_before' });
		await run(inputs);
		await used.settle('send_again');
		expect(await run(inputs)).toMatchObject({ outcome: 'accepted', accepted: 2, already_sent: false });
		expect(await recipients()).toEqual([ama, kofi]);
	});

	it('halts and sends nothing if its key was used for another message', async () => {
		const send_once_key = newKey();
		await run(toList([ama, kofi], { send_once_key }));
		const failure = await app().failure(
			methods.sendBulkSms,
			toList([ama, kofi, esi], { send_once_key, message: 'We are closed.' }),
		);
		expect(failure).toMatchObject(haltedFor('Send Once Key', 'another message', NOTHING_SENT));
		expect(await recipients()).toEqual([ama, kofi]);
		// Not divided in halves, which could never help.
		const requests = (await control.requests()).filter(({ endpoint }) => endpoint === 'sms.sendBulk');
		expect(requests).toHaveLength(1);
	});

	it('names the number whose key was used for another message, and sends to the others without it', async () => {
		const send_once_key = newKey();
		await run(toList([kofi], { send_once_key, message: 'We are closed.' }));
		const failure = await app().failure(methods.sendBulkSms, toList([ama, kofi, esi], { send_once_key }));
		const problem = `Send Once Key "${send_once_key}" was already used for another message to ${kofi}, so nothing was sent to the 3 numbers of its request`;
		const advice = 'use one value for each message, such as 1001-shipped, or leave that number out';
		expect(failure).toEqual({ name: 'HaltedError', message: `${problem}: ${advice}. ${NOTHING_SENT}` });
		const parts = await run(toList([ama, kofi, esi], { send_once_key, numbers_per_request: 2 }));
		expect(parts).toMatchObject({ outcome: 'partly_accepted', accepted: 1, numbers_to_send_again: [] });
		const reason = failure.message.replace('the 3 numbers', 'the 2 numbers');
		expect(parts.results.map((row) => [row.to, row.outcome, row.reason])).toEqual([
			[ama, 'rejected', reason],
			[kofi, 'rejected', reason],
			[esi, 'accepted', null],
		]);
		const others = await run(toList([ama, esi], { send_once_key }));
		expect(others.results.map(({ already_sent }) => already_sent)).toEqual([false, true]);
		expect(await recipients()).toEqual([ama, kofi, esi].sort());
	});

	it('sends a number several lines, each once', async () => {
		const lines = ['Hello', 'Hello', 'Good bye'].map((line_message) => ({ line_to: ama, line_message }));
		const inputs = toLines([...lines, { line_to: kofi, line_message: 'Good bye' }], { send_once_key: newKey() });
		expect(await run(inputs)).toMatchObject({ accepted: 3, skipped: 1, already_sent: false });
		expect(await run(inputs)).toMatchObject({ accepted: 3, skipped: 1, already_sent: true });
		expect(await recipients()).toEqual([ama, ama, kofi]);
	});

	it('skips rejected numbers as without a relay, and keeps the keys of the others', async () => {
		const inputs = toList([ama, kofi, esi], { send_once_key: newKey() });
		await control.ask('POST', 'opt-outs', { number: kofi });
		const first = await run(inputs);
		expect(first).toMatchObject({ outcome: 'partly_accepted', accepted: 2, rejected: 1 });
		const second = await run(inputs);
		expect(second).toMatchObject({ outcome: 'partly_accepted', accepted: 2, rejected: 1 });
		expect(await recipients()).toEqual([ama, esi]);
	});

	it('shares the keys of its numbers with other programs, in the scope of the account', async () => {
		const key = newKey();
		const { base_url = '', api_key = '' } = used.account();
		const client = createClient({ baseUrl: base_url, apiKey: api_key, relay: true, transport: undiciTransport() });
		const { sender_id, message } = toList([]);
		const idempotencyKeys = [await sendOnceRecipientKey({ kind: 'account' }, key, ama)];
		await client.call(contract.sms.sendBulk, { to: [ama], sender_id, message }, { idempotencyKeys });
		const result = await run(toList([ama, kofi], { send_once_key: key, key_scope: 'account' }));
		expect(result.results.map(({ already_sent }) => already_sent)).toEqual([true, false]);
		expect(await recipients()).toEqual([ama, kofi]);
	});

	it('returns the first result for 1,200 numbers', async () => {
		await control.adjustWallet(100);
		const inputs = toList(numbers(1_200), { send_once_key: newKey() });
		const first = await run(inputs);
		expect(first).toMatchObject({ accepted: 1_200, requests: 2 });
		const replayed = await run(inputs);
		expect(replayed).toMatchObject({ accepted: 1_200, requests: 0, already_sent: true });
		const ids = ({ results }: typeof first) => results.map(({ message_id }) => message_id);
		expect(ids(replayed)).toEqual(ids(first));
		expect((await control.wallet()).balance).toBe(80);
	});
});

describe('bulk send without a Send Once Key, through a relay', () => {
	it('sends once to each number if responses of the relay get lost, and again in the next run', async () => {
		await using proxy = await lossyProxy(used.relay.url);
		proxy.lose(2);
		const more = { base_url: `${proxy.url}/api/v1/` };
		expect(await run(toList(numbers(4), { numbers_per_request: 2 }), more)).toMatchObject({
			outcome: 'accepted',
			accepted: 4,
			already_sent: false,
		});
		expect(await recipients()).toEqual(numbers(4));
		expect(proxy.requests.filter(({ headers }) => headers['relay-attempt'] === '0').length).toBeLessThan(5);
		await run(toList(numbers(4)), more);
		expect(await control.messages()).toHaveLength(8);
	});
});
