import { inspect } from 'node:util';
import { contract, errorText } from '../../../shared';
import { useDatabase } from '../../support/relay/databases';
import type { Relay } from '../../support/relay/relay';
import { useSandbox } from '../../support/useSandbox';
import { gatewayEnv, sms } from '../../support/relay/gateway';
import { startHop, type Hop, type HopPage } from './hop';
import { expectHonest, inWords, relayedClient, sendSms } from './relayedClient';

const { sandbox, control } = useSandbox();
const database = useDatabase('folder');
let relay: Relay;
let hop: Hop;

beforeAll(async () => {
	relay = await database().start({ env: gatewayEnv(sandbox.baseUrl) });
});
beforeEach(async () => {
	hop = await startHop(relay.url);
});
afterEach(async () => await hop[Symbol.asyncDispose]());

const clientOf = () => relayedClient(hop.baseUrl, sandbox.apiKey);
const page = (status: number, more: Partial<HopPage> = {}): HopPage => ({ page: status, forwards: false, ...more });

describe('a client that looks for its relay', () => {
	const json = { 'content-type': 'application/json' };
	const me = '{"token":{"id":"tok_1","kind":"n8n"},"relay":{"version":"1"}}';

	it.each<[string, HopPage]>([
		['a web page with 200', page(200)],
		['the content of a relay without its header', page(200, { headers: json, body: me })],
		['the header of a relay without a value', page(200, { headers: { ...json, 'relay-version': '' }, body: me })],
		['a redirect', page(301, { headers: { location: 'http://127.0.0.1:1/v1/me' } })],
		['a web page with 404', page(404)],
		['the login of a proxy', page(407)],
	])('sends nothing to a service that responds with %s', async (_name, fake) => {
		hop.planOthers(fake);
		// This service would accept the message.
		hop.target = sandbox.url;
		const outcome = await sendSms(clientOf());
		expect([inWords(outcome), hop.received.length]).toEqual(['rejected InputError', 1]);
		expect(await expectHonest(outcome, control)).toBe(0);
	});

	it('sends once if a proxy responds with 502 while the relay starts', async () => {
		hop.planOthers(page(502), page(502));
		const outcome = await sendSms(clientOf());
		expect([inWords(outcome), hop.received.length]).toEqual(['accepted', 4]);
		expect(await expectHonest(outcome, control)).toBe(1);
	});

	it('sends nothing if a proxy responds with 502 each time', async () => {
		hop.planOthers(...Array<HopPage>(4).fill(page(502)));
		const outcome = await sendSms(clientOf());
		expect([inWords(outcome), hop.received.length]).toEqual(['rejected ConnectionError', 4]);
		expect(await expectHonest(outcome, control)).toBe(0);
	});

	it.each<[string, HopPage]>([
		['a web page with 200', page(200)],
		['a redirect', page(302, { headers: { location: 'http://127.0.0.1:1/v1/me' } })],
	])(
		'does not repeat a lost call if the relay was replaced by %s, and does not know its outcome',
		async (_name, fake) => {
			hop.plan('cut after');
			hop.planOthers('pass', fake);
			const outcome = await sendSms(clientOf(), { idempotencyKey: `replaced-${fake.page}` });
			expect([inWords(outcome), hop.calls().length]).toEqual(['unknown UnknownOutcomeError', 1]);
			expect(await expectHonest(outcome, control)).toBe(1);
			const later = await sendSms(clientOf(), { idempotencyKey: `replaced-${fake.page}` });
			expect(inWords(later)).toBe('accepted before');
			expect(await expectHonest(later, control)).toBe(1);
		},
	);

	it('makes one call to a service that replaced a relay which was found before, and does not know its outcome', async () => {
		const client = clientOf();
		expect(inWords(await sendSms(client))).toBe('accepted');
		await control.reset();
		hop.target = sandbox.url;
		const outcome = await sendSms(client);
		expect([inWords(outcome), hop.calls().length]).toEqual(['unknown UnknownOutcomeError', 2]);
		expect(await expectHonest(outcome, control)).toBe(1);
	});
});

describe('a client whose call is rejected by a relay', () => {
	it('says that a key belongs to another message, and does not know more after a lost attempt', async () => {
		const client = clientOf();
		expect(inWords(await sendSms(client, { idempotencyKey: 'reused-1' }))).toBe('accepted');
		await control.reset();
		const reused = await sendSms(client, { idempotencyKey: 'reused-1' }, 'Other words');
		expect(reused).toMatchObject({ outcome: 'rejected', error: { status: 422, code: 'idempotency_key_reused' } });
		expect(await expectHonest(reused, control)).toBe(0);
		hop.plan('cut before');
		const lost = await sendSms(client, { idempotencyKey: 'reused-1' }, 'Other words');
		expect(lost).toMatchObject({ outcome: 'unknown', error: { status: 422, code: 'idempotency_key_reused' } });
		expect(await expectHonest(lost, control)).toBe(0);
	});

	it('says that the service rejects the API key, also after a lost attempt', async () => {
		const client = relayedClient(hop.baseUrl, 'sk_sandbox_unknown');
		for (const lost of [[], ['cut before'], ['cut after']] as const) {
			hop.plan(...lost);
			const outcome = await sendSms(client);
			expect(inWords(outcome)).toBe('rejected AuthError');
			expect(await expectHonest(outcome, control)).toBe(0);
		}
	});

	it('does not know the outcome of a lost attempt if another API key is rejected later', async () => {
		hop.plan('cut after', {
			...page(401, { headers: { 'content-type': 'application/json', 'relay-version': '1' } }),
			body: '{"error":{"code":"api_key_rejected","message":"The service rejects the API key."}}',
		});
		const outcome = await sendSms(clientOf());
		expect(outcome).toMatchObject({ outcome: 'unknown', error: { status: 401, code: 'api_key_rejected' } });
		expect(await expectHonest(outcome, control)).toBe(1);
	});

	it('is certain about a 413 of a proxy only if no attempt was lost before', async () => {
		hop.plan(page(413));
		const first = await sendSms(clientOf());
		expect([inWords(first), hop.calls().length]).toEqual(['rejected ApiError', 1]);
		expect(await expectHonest(first, control)).toBe(0);
		hop.plan('cut after', page(413));
		const lost = await sendSms(clientOf());
		expect(lost).toMatchObject({ outcome: 'unknown', error: { status: 413 } });
		expect(await expectHonest(lost, control)).toBe(1);
	});

	it('is certain about a 413 of the service, which the relay forwards', async () => {
		await control.fault({
			endpoint: 'sms.send',
			times: 1,
			kind: 'answer',
			status: 413,
			body: { message: 'Too large' },
		});
		hop.plan('cut before');
		const outcome = await sendSms(clientOf());
		expect(outcome).toMatchObject({ outcome: 'rejected', error: { status: 413 } });
		expect(await expectHonest(outcome, control)).toBe(0);
	});

	it('is certain about a 413 of the relay itself, unless an attempt was lost before', async () => {
		const { sender_id, message } = sms();
		const to = Array.from({ length: 150_000 }, (_, place) => `+23320${1_000_000 + place}`);
		const direct = relayedClient(`${relay.url}/api/v1/`, sandbox.apiKey);
		const rejected = await direct.call(contract.sms.sendBulk, { to, sender_id, message });
		expect(rejected).toMatchObject({ outcome: 'rejected', error: { status: 413, code: 'too_large', sent: 'no' } });
		hop.plan('cut before');
		const lost = await clientOf().call(contract.sms.sendBulk, { to, sender_id, message });
		expect(lost).toMatchObject({ outcome: 'unknown', error: { status: 413, code: 'too_large', sent: 'unknown' } });
		expect(await control.messages()).toEqual([]);
	});
});

describe('the errors of a client of a relay', () => {
	const KEY = 'customer-Abena-4711';
	const echo = JSON.stringify({ message: KEY, key: 'sk_sandbox_demo' });
	const keyed = { ...page(500, { body: echo }), headers: { 'content-type': 'application/json' } };

	it.each<[string, readonly HopPage[]]>([
		['an accepted call', []],
		['a repeat after the page of a proxy that shows the request', [keyed]],
		['a call without an outcome', Array<HopPage>(8).fill(keyed)],
		['a rejected call', [{ ...keyed, page: 413 }]],
	])('have neither the API key nor idempotency keys: %s', async (name, plan) => {
		const client = relayedClient(hop.baseUrl, sandbox.apiKey);
		const { to, ...text } = sms(name);
		const shown: unknown[] = [];
		const named = (part: string) => `${KEY}-${part}-${name.replaceAll(' ', '-')}`;
		hop.plan(...plan);
		const idempotencyKeys = [named('first'), named('second')];
		shown.push(await client.call(contract.sms.sendBulk, { ...text, to: [to, '+233241234567'] }, { idempotencyKeys }));
		hop.plan(...plan);
		const single = await sendSms(client, { idempotencyKey: named('single') }, name);
		shown.push(single, 'error' in single ? errorText(single.error) : '');
		expect(hop.calls()[0]?.body.toString()).toContain(KEY);
		expect(inspect(shown, { depth: 20, showHidden: true })).not.toMatch(/Abena|sk_sandbox_demo/);
	});
});
