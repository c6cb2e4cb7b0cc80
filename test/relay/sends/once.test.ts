import { useDatabase } from '../../support/relay/databases';
import { RELAY_TOKEN } from '../../support/relay/relay';
import type { RelayProcess } from '../../support/relay/relayProcess';
import { useSandbox } from '../../support/useSandbox';
import { callThrough, gatewayEnv, sendThrough, sms } from '../../support/relay/gateway';

const { sandbox, control } = useSandbox();

describe('a call with an idempotency key', () => {
	const database = useDatabase('folder');
	let relay: RelayProcess;

	beforeAll(async () => {
		relay = await database().startProcess({ env: gatewayEnv(sandbox.baseUrl, { RELAY_SERVICE_TIMEOUT_SECONDS: '2' }) });
	});

	it('is forwarded once, and a repeat gets the stored response', async () => {
		const first = await sendThrough(relay, sms(), { key: 'order-1' });
		expect([first.status, first.outcome, first.isReplay]).toEqual([200, 'accepted', false]);
		const again = await sendThrough(relay, sms(), { key: 'order-1' });
		expect([again.status, again.outcome, again.isReplay]).toEqual([200, 'accepted', true]);
		const { message_id, status, cost, balance, billed_via } = JSON.parse(first.text) as Record<string, unknown>;
		expect(JSON.parse(again.text)).toEqual({ success: true, message_id, status, cost, balance, billed_via });
		expect(await control.messages()).toHaveLength(1);
	});

	it('is the same with a quoted key, and with fields in another order', async () => {
		await sendThrough(relay, sms(), { key: 'order-2' });
		const { to, sender_id, message } = sms();
		const again = await sendThrough(relay, { message, to, sender_id }, { key: '"order-2"' });
		expect(again.isReplay).toBe(true);
		expect(await control.messages()).toHaveLength(1);
	});

	it('gets 422 if the key belongs to other content, path or recipient', async () => {
		await sendThrough(relay, sms(), { key: 'order-3' });
		const others = [
			await sendThrough(relay, sms('Other words'), { key: 'order-3' }),
			await sendThrough(relay, sms('We are open', '+233241234567'), { key: 'order-3' }),
			await callThrough(relay, 'POST', '/whatsapp/send', sms(), { key: 'order-3' }),
			await callThrough(relay, 'POST', '/sms/send?copy=1', sms(), { key: 'order-3' }),
		];
		for (const { status, code, outcome } of others) {
			expect([status, code, outcome]).toEqual([422, 'idempotency_key_reused', 'rejected']);
		}
		expect(await control.messages()).toHaveLength(1);
	});

	it('gets 422 if the key belongs to a body with other bytes that are no UTF-8', async () => {
		const send = async (letter: number) =>
			await fetch(`${relay.url}/api/v1/sms/send`, {
				method: 'POST',
				headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json', 'idempotency-key': 'latin-1' },
				body: Buffer.concat([
					Buffer.from('{"to":"+233201234567","sender_id":"KOFISHOP","message":"Caf'),
					Buffer.from([letter]),
					Buffer.from('"}'),
				]),
			});
		const statuses = [];
		for (const letter of [0xe9, 0xe8, 0xe9]) statuses.push((await send(letter)).status);
		expect(statuses).toEqual([200, 422, 200]);
		expect(await control.messages()).toHaveLength(1);
	});

	it('charges once if 100 callers send it at the same time, and all get the same fields', async () => {
		const responses = await Promise.all(
			Array.from({ length: 100 }, async () => await sendThrough(relay, sms(), { key: 'order-4' })),
		);
		expect(await control.messages()).toHaveLength(1);
		expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
		expect(responses.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
		expect(new Set(responses.map(({ text }) => (JSON.parse(text) as { message_id: string }).message_id)).size).toBe(1);
		expect(new Set(responses.filter(({ isReplay }) => isReplay).map(({ text }) => text)).size).toBe(1);
	});

	it('leaves the key free if the service rejects it', async () => {
		await control.emptyWallet();
		const rejected = await sendThrough(relay, sms(), { key: 'order-5' });
		expect([rejected.status, rejected.outcome]).toEqual([422, 'rejected']);
		await control.adjustWallet(10);
		const sent = await sendThrough(relay, sms('Other words, same key'), { key: 'order-5' });
		expect([sent.status, sent.outcome, sent.isReplay]).toEqual([200, 'accepted', false]);
		expect(await control.messages()).toHaveLength(1);
	});

	it('leaves the key free if a 200 says success: false', async () => {
		const body = { success: false, message: 'Insufficient balance' };
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 200, body });
		const rejected = await sendThrough(relay, sms(), { key: 'order-6' });
		expect([rejected.status, rejected.outcome, JSON.parse(rejected.text)]).toEqual([200, 'rejected', body]);
		const sent = await sendThrough(relay, sms(), { key: 'order-6' });
		expect([sent.outcome, sent.isReplay]).toEqual(['accepted', false]);
	});

	it.each([
		['the connection is cut before the service reads it', { kind: 'drop_before' }, 502, 0],
		['the connection is cut after the service accepted it', { kind: 'drop_after' }, 502, 1],
		['the response is cut', { kind: 'truncate' }, 502, 1],
		['the response is damaged JSON', { kind: 'half_json' }, 200, 1],
		['the service responds 500', { kind: 'answer', status: 500 }, 500, 0],
		['the service never responds', { kind: 'hang' }, 504, 0],
	])('is unknown if %s, and never sent again', async (name, fault, status, charged) => {
		await control.fault({ endpoint: 'sms.send', ...fault });
		const first = await sendThrough(relay, sms(), { key: `unknown-${fault.kind}` });
		expect([name, first.status, first.outcome, first.isReplay]).toEqual([name, status, 'unknown', false]);
		const later = await Promise.all(
			[1, 2].map(async () => await sendThrough(relay, sms(), { key: `unknown-${fault.kind}` })),
		);
		for (const { status: again, code, outcome, isReplay, text } of later) {
			expect([again, code, outcome, isReplay]).toEqual([502, 'outcome_unknown', 'unknown', true]);
			expect(text).toMatch(/It is unknown whether this was sent: .*message history of the dashboard.*settle snd_/);
		}
		expect(await control.messages()).toHaveLength(charged);
	});

	it('gets the stored response also with the API key in the other header', async () => {
		const { message_id } = JSON.parse((await sendThrough(relay, sms(), { key: 'order-7' })).text) as Record<
			string,
			string
		>;
		const response = await fetch(`${relay.url}/api/v1/sms/send`, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				authorization: `Bearer ${sandbox.apiKey}`,
				'idempotency-key': 'order-7',
			},
			body: JSON.stringify(sms()),
		});
		expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
		expect(await response.json()).toMatchObject({ message_id });
	});

	it('shows nothing to an API key that the service rejects', async () => {
		await sendThrough(relay, sms(), { key: 'order-8' });
		for (const body of [sms(), sms('Other words')]) {
			const { status, code, outcome, text } = await sendThrough(relay, body, {
				key: 'order-8',
				apiKey: 'sk_sandbox_wrong',
			});
			expect([status, code, outcome]).toEqual([401, 'api_key_rejected', null]);
			expect(text).not.toMatch(/message_id|msg_/);
		}
	});

	it('keeps sandbox keys and live keys apart', async () => {
		await sendThrough(relay, sms(), { key: 'order-9' });
		const live = await sendThrough(relay, sms('Other words'), { key: 'order-9', apiKey: 'sk_live_wrong' });
		// The service itself rejects this key. The relay has no send for it.
		expect([live.status, live.outcome, live.code]).toEqual([401, 'rejected', undefined]);
	});

	it.each([
		['an empty one', ''],
		['256 characters', 'k'.repeat(256)],
		['white space', 'order 1'],
		['an open quote', '"order'],
		['parameters', '"order";a=1'],
		['other characters', 'órder'],
	])('is rejected with 400 if the key is not valid: %s', async (_name, key) => {
		const { status, code, outcome } = await sendThrough(relay, sms(), { key });
		expect([status, code, outcome]).toEqual([400, 'idempotency_key_invalid', 'rejected']);
		expect(await control.messages()).toHaveLength(0);
	});

	it('accepts a key of 255 characters', async () => {
		const key = 'k'.repeat(255);
		expect((await sendThrough(relay, sms(), { key })).isReplay).toBe(false);
		expect((await sendThrough(relay, sms(), { key })).isReplay).toBe(true);
	});

	it('ignores the key of a call that only reads', async () => {
		for (const key of ['read-1', 'read-1', 'not valid']) {
			const { status, outcome, isReplay } = await callThrough(relay, 'GET', '/balance', undefined, { key });
			expect([status, outcome, isReplay]).toEqual([200, 'accepted', false]);
		}
	});

	it('does not forward a token of the relay', async () => {
		const { status, code } = await sendThrough(relay, sms(), { apiKey: RELAY_TOKEN });
		expect([status, code]).toEqual([401, 'relay_token_given']);
		expect(await control.requests()).toHaveLength(0);
	});

	it('logs no key, number or text', () => {
		expect(relay.output().join('\n')).not.toMatch(/order-|233201234567|We are open|sk_sandbox/);
	});
});
