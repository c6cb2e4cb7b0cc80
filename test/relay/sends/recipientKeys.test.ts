import {
	contract,
	createClient,
	sendOnceIdempotencyKey,
	sendOnceRecipientKey,
	type CallOptions,
	type Client,
} from '../../../shared';
import { undiciTransport } from '../../../shared/transports/undici';
import { fc, runCount } from '../../support/random';
import { useDatabase } from '../../support/relay/databases';
import { gatewayEnv, sendThrough, sms } from '../../support/relay/gateway';
import type { Relay } from '../../support/relay/relay';
import { useSandbox } from '../../support/useSandbox';

/** Calls of the random run on each database. */
const RUNS = runCount(600);

const ACCOUNT = { kind: 'account' } as const;
const NUMBERS = ['+233201110001', '+233241110002', '+233271110003'] as const;
const SENDER = 'KOFISHOP';

const { sandbox, control } = useSandbox();

/** The keys of a single SMS under a Send Once Key. */
async function single(key: string, to: string): Promise<CallOptions> {
	return {
		idempotencyKey: await sendOnceIdempotencyKey(ACCOUNT, key),
		recipientKey: await sendOnceRecipientKey(ACCOUNT, key, to),
	};
}

/** The keys of a bulk send under a Send Once Key. */
async function bulk(key: string, to: readonly string[]): Promise<CallOptions> {
	return { idempotencyKeys: await Promise.all(to.map(async (one) => await sendOnceRecipientKey(ACCOUNT, key, one))) };
}

let keys = 0;
const newKey = () => `order ${(keys += 1)}`;

describe('a Send Once Key of the account', () => {
	const database = useDatabase('postgres');
	let relay: Relay;
	let client: Client;
	beforeAll(async () => {
		relay = await database().start({ env: gatewayEnv(sandbox.baseUrl) });
		const { apiKey } = sandbox;
		const baseUrl = `${relay.url}/api/v1/`;
		client = createClient({ baseUrl, apiKey, transport: undiciTransport(), relay: true, retry: { attempts: 1 } });
	});
	const sendSms = async (key: string, to: string = NUMBERS[0], message = 'Ready') =>
		await client.call(contract.sms.send, { to, sender_id: SENDER, message }, await single(key, to));
	const sendBulk = async (key: string, to: readonly string[] = NUMBERS, message = 'Ready') =>
		await client.call(contract.sms.sendBulk, { to: [...to], sender_id: SENDER, message }, await bulk(key, to));
	const recipients = async () => (await control.messages()).map(({ to }) => to).sort();
	const REUSED = { outcome: 'rejected', error: { code: 'idempotency_key_reused', sent: 'no' } };

	it('rejects a bulk send to a number that had a single SMS, and sends to the other numbers', async () => {
		const key = newKey();
		expect(await sendSms(key)).toMatchObject({ outcome: 'accepted' });
		expect(await sendBulk(key)).toMatchObject(REUSED);
		expect(await sendBulk(key, [NUMBERS[0]])).toMatchObject(REUSED);
		expect(await recipients()).toEqual([NUMBERS[0]]);
		expect(await sendBulk(key, NUMBERS.slice(1))).toMatchObject({ outcome: 'accepted', relay: { skipped: [] } });
		expect(await recipients()).toEqual(NUMBERS);
	});

	it('rejects a single SMS to a number of a bulk send', async () => {
		const key = newKey();
		expect(await sendBulk(key)).toMatchObject({ outcome: 'accepted' });
		for (const to of NUMBERS) expect(await sendSms(key, to)).toMatchObject(REUSED);
		expect(await recipients()).toEqual(NUMBERS);
	});

	it('sends one of a single SMS and a bulk send at the same time', async () => {
		const pairs = Array.from({ length: 10 }, newKey);
		const both = await Promise.all(pairs.flatMap((key) => [sendSms(key), sendBulk(key, [NUMBERS[0]])]));
		expect(both.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(pairs.length);
		expect(await recipients()).toEqual(pairs.map(() => NUMBERS[0]));
	});

	it('replays a single SMS, and rejects another number, text or channel', async () => {
		const key = newKey();
		const first = await sendSms(key);
		const output = { message_id: first.outcome === 'accepted' ? first.output.message_id : 'none' };
		expect(await sendSms(key)).toMatchObject({ outcome: 'accepted', output, relay: { replayed: true } });
		expect(await sendSms(key, NUMBERS[1])).toMatchObject(REUSED);
		expect(await sendSms(key, NUMBERS[0], 'Late')).toMatchObject(REUSED);
		const { idempotencyKey } = await single(key, NUMBERS[0]);
		const to = NUMBERS[0];
		expect(await client.call(contract.whatsapp.send, { to, message: 'Ready' }, { idempotencyKey })).toMatchObject(
			REUSED,
		);
		const email = { to: 'ama@example.com', subject: 'Order', message: 'Ready' };
		expect(await client.call(contract.email.send, email, { idempotencyKey })).toMatchObject(REUSED);
		expect(await recipients()).toEqual([to]);
	});

	it('is free again for both keys if the service rejects the SMS', async () => {
		const key = newKey();
		const { balance } = await control.wallet();
		await control.adjustWallet(-balance);
		expect(await sendSms(key)).toMatchObject({ outcome: 'rejected' });
		await control.adjustWallet(10);
		expect(await sendBulk(key, [NUMBERS[0]])).toMatchObject({ outcome: 'accepted', relay: { skipped: [] } });
	});

	it.each([
		['a key of the recipient that is empty', '"one", ""'],
		['three keys', '"one", "two", "three"'],
		['a bare key beside a quoted one', 'one, "two"'],
		['a list that ends in a comma', '"one",'],
	])('rejects %s', async (_, key) => {
		const { status, code } = await sendThrough(relay, sms(), { key });
		expect([status, code]).toEqual([400, 'idempotency_key_invalid']);
	});

	it(`never sends a message twice or returns another recipient's fields (${RUNS} random calls)`, async () => {
		await control.adjustWallet(1_000);
		// Its clock does not move in tests, so its limit would never end.
		await control.settings({ requests_per_second: 10_000 });
		const carriers = new Map<string, unknown>();
		for (const phone of NUMBERS) {
			const looked = await client.call(contract.lookup.phone, { phone });
			carriers.set(phone, looked.outcome === 'accepted' ? looked.output.carrier : fail());
		}
		const phoneOf = new Map<string, string>();
		const counts = { sent: 0, replayed: 0, reused: 0 };
		const seen: Array<{ readonly to: string; readonly text: string; readonly id: string | null | undefined }> = [];
		const drawn = fc.sample(
			fc.record({
				kind: fc.constantFrom('sms', 'sms', 'bulk', 'bulk', 'whatsapp', 'code', 'lookup'),
				key: fc.nat(Math.ceil(RUNS / 8)),
				to: fc.constantFrom(...NUMBERS),
				list: fc.shuffledSubarray([...NUMBERS], { minLength: 1 }),
				words: fc.constantFrom('Ready', 'Ready', 'Late'),
			}),
			RUNS,
		);
		// A sent, a replayed and a rejected call under a key of their own.
		const [to] = NUMBERS;
		const call = { kind: 'sms', key: RUNS, to, list: [...NUMBERS], words: 'Ready' } as const;
		const calls = [call, call, { ...call, kind: 'bulk' } as const, ...drawn];
		for (const { kind, key: number, to, list, words } of calls) {
			const key = `random ${number}`;
			// The charge shows the key by its text.
			const message = `${words} ${key}`;
			const idempotencyKey = await sendOnceIdempotencyKey(ACCOUNT, key);
			const make = async () => {
				switch (kind) {
					case 'sms':
						return await sendSms(key, to, message);
					case 'bulk':
						return await sendBulk(key, list, message);
					case 'whatsapp':
						return await client.call(contract.whatsapp.send, { to, message }, { idempotencyKey });
					case 'code':
						return await client.call(contract.verification.start, { phone: to, sender_id: SENDER }, { idempotencyKey });
					case 'lookup':
						return await client.call(contract.lookup.phone, { phone: to }, { idempotencyKey });
				}
			};
			const made = await make();
			if (made.outcome !== 'accepted') {
				expect(made.error).toMatchObject({ code: 'idempotency_key_reused', sent: 'no' });
				counts.reused += 1;
				continue;
			}
			const { output, relay: facts } = made;
			counts[facts?.replayed === true || (facts?.skipped ?? []).length > 0 ? 'replayed' : 'sent'] += 1;
			if (kind === 'sms' && 'message_id' in output) seen.push({ to, text: message, id: String(output.message_id) });
			if (kind === 'bulk') {
				for (const one of facts?.skipped ?? []) seen.push({ to: one.to, text: message, id: one.messageId });
				for (const one of list) seen.push({ to: one, text: message, id: undefined });
			}
			if (kind === 'code' && 'verification_id' in output) {
				const id = String(output.verification_id);
				expect(phoneOf.get(id) ?? to).toBe(to);
				phoneOf.set(id, to);
			}
			if (kind === 'lookup' && 'carrier' in output) expect(output.carrier).toBe(carriers.get(to));
		}
		const charges = (await control.messages()).filter(({ message }) => message.includes('random'));
		for (const { to, text, id } of seen) {
			const own = charges.filter((one) => one.to === to && one.message === text);
			expect(own.map(({ message_id }) => message_id)).toContain(id ?? own[0]?.message_id ?? 'nothing was sent');
		}
		const texts = charges.map(({ to, message, channel }) => `${String(channel)} ${to} ${message.replace(/^\w+ /, '')}`);
		expect(texts.filter((one, index) => texts.indexOf(one) !== index)).toEqual([]);
		process.stdout.write(`${database().kind}: ${JSON.stringify(counts)}\n`);
		expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
	}, 600_000);
});

function fail(): never {
	throw new Error('The lookup of a number without a key failed');
}
