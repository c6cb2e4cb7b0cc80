import { createHmac } from 'node:crypto';
import { useSandbox } from '../support/useSandbox';
import { signedHeaders } from '../support/zapier/stubRelay';
import { useRelay } from '../support/zapier/useRelay';
import { asZapierNames } from '../support/zapier/zapierHooks';

const { sandbox, control } = useSandbox();
const used = useRelay(() => ({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey }));

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const secret = secretOf(7);
const data = {
	event: 'sms.inbound',
	from: '+233201234567',
	to: 'KOFISHOP',
	message: 'Hi',
	message_id: null,
	keyword: null,
};
const event = (id = 'evt_1', more: object = {}) => ({
	id,
	type: 'sms.inbound',
	timestamp: '2026-11-20T09:00:00.000Z',
	sequence: 1,
	data: { ...data, ...more },
});
const content = JSON.stringify(event());
const now = () => Math.floor(Date.now() / 1000);
/** How long a signature is valid, in seconds. */
const VALID = 24 * 60 * 60;
const signed = (body = content, at = now(), key = secret) => signedHeaders(key, 'evt_1', body, at);

/** Runs `perform` with a request to the Zap's URL. */
const perform = (
	headers: Readonly<Record<string, unknown>>,
	body = content,
	subscribeData: unknown = { id: 'sub_1', secret },
) => used.drive({ rawRequest: { headers, content: body }, cleanedRequest: { not: 'used' }, subscribeData });
const runs = async (...request: Parameters<typeof perform>) =>
	await perform(...request).run('new_inbound_sms', 'perform');
const halted = async (...request: Parameters<typeof perform>) =>
	await perform(...request).failure('new_inbound_sms', 'perform');

afterEach(async () => {
	// A trigger that makes a request could run into a rate limit and lose the event.
	expect([used.relay.received, await control.requests()]).toEqual([[], []]);
});

describe('signature of a delivery', () => {
	it.each<[string, () => Record<string, unknown>]>([
		['headers in the names of Zapier', () => asZapierNames(signed())],
		['headers as they were sent', () => signed()],
		['headers in upper case', () => upperCase(signed())],
		['other headers as a number, null and a list', () => ({ ...signed(), length: 123, via: null, accept: ['a', 'b'] })],
		['the time as a number', () => ({ ...signed(), 'webhook-timestamp': now() })],
		[
			'its headers as lists',
			() => Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name, [value]])),
		],
		['a request that Zapier kept for 6 hours', () => signed(content, now() - VALID / 4)],
		['a request that Zapier kept for almost a day', () => signed(content, now() - VALID + 10)],
		['a clock of the relay that is 10 minutes ahead', () => signed(content, now() + 600)],
		[
			'signatures with an old and a new secret',
			() => {
				const [old, current] = [signed(content, now(), secretOf(8)), signed()];
				const both = `v1a,AAAA ${old['webhook-signature']} ${current['webhook-signature']}`;
				return { ...current, 'webhook-signature': both };
			},
		],
	])('accepts %s', async (_, headers) => {
		expect(await runs(headers())).toMatchObject([{ id: 'evt_1', message: 'Hi' }]);
	});

	it.each<[string, () => Record<string, string>, RegExp]>([
		['no headers', () => ({}), /has no signature/],
		['no ID', () => ({ ...signed(), 'webhook-id': '' }), /has no signature/],
		['no time', () => ({ ...signed(), 'webhook-timestamp': '' }), /has no signature/],
		['no signature', () => ({ ...signed(), 'webhook-signature': '' }), /has no signature/],
		['a time a day ago', () => signed(content, now() - VALID - 10), /24 hours/],
		['a time in a day', () => signed(content, now() + VALID + 10), /24 hours/],
		['a time that is not a number', () => ({ ...signed(), 'webhook-timestamp': 'now' }), /24 hours/],
		['a time in milliseconds', () => signed(content, now() * 1000), /24 hours/],
		['another time', () => ({ ...signed(), 'webhook-timestamp': String(now() - 5) }), /is wrong/],
		['another ID', () => ({ ...signed(), 'webhook-id': 'evt_2' }), /is wrong/],
		['the secret of another subscription', () => signed(content, now(), secretOf(8)), /is wrong/],
		['another version', () => replaced('v1,', 'v2,'), /is wrong/],
		['half a signature', () => ({ ...signed(), 'webhook-signature': 'v1,AAAA' }), /is wrong/],
		['only a version', () => ({ ...signed(), 'webhook-signature': 'v1' }), /is wrong/],
	])('rejects %s', async (_, headers, reason) => {
		const failure = await halted(headers());
		expect(failure).toMatchObject({ name: 'HaltedError', message: expect.stringMatching(reason) as string });
	});

	it('rejects a body that was changed by one byte', async () => {
		expect(await halted(signed(), content.replace('Hi', 'Ho'))).toMatchObject({ name: 'HaltedError' });
		expect(await halted(signed(), `${content} `)).toMatchObject({ name: 'HaltedError' });
	});

	it.each<[string, unknown]>([
		['nothing', undefined],
		['no secret', { id: 'sub_1' }],
		['an empty secret', { id: 'sub_1', secret: 'whsec_' }],
	])('asks to turn the Zap off and on if Zapier kept %s of the subscription', async (_, subscribeData) => {
		const forged = createHmac('sha256', '').update(`evt_1.${now()}.${content}`).digest('base64');
		const headers = { ...signed(), 'webhook-signature': `v1,${forged}` };
		expect(await halted(headers, content, subscribeData ?? null)).toMatchObject({
			name: 'HaltedError',
			message: expect.stringContaining('Turn the Zap off and on again') as string,
		});
	});

	it('rejects a request without a body', async () => {
		const app = used.drive({ subscribeData: { id: 'sub_1', secret } });
		expect(await app.failure('new_inbound_sms', 'perform')).toMatchObject({ name: 'HaltedError' });
	});
});

describe('body of a delivery', () => {
	const long = 'a'.repeat(1_000_000);
	it.each<[string, unknown, object[]]>([
		['one event', event(), [{ id: 'evt_1', message: 'Hi' }]],
		[
			'three events',
			[event('evt_1'), event('evt_2'), event('evt_3')],
			['evt_1', 'evt_2', 'evt_3'].map((id) => ({ id })),
		],
		['an event twice', [event('evt_1'), event('evt_2'), event('evt_1')], [{ id: 'evt_1' }, { id: 'evt_2' }]],
		['no event', [], []],
		['a text', 'Hi', []],
		['null', null, []],
		['a nested list', [[event()]], []],
		['an event of another type', { ...event(), type: 'whatsapp.inbound' }, []],
		['a test of the relay', { ...event(), type: 'relay.test', data: {} }, []],
		['an event without data', { ...event(), data: null }, []],
		['an event with less data', { ...event(), data: { from: '1234', message: '' } }, []],
		['an event with more data', event('evt_1', { forwarded: true }), [{ id: 'evt_1' }]],
		['a long message', event('evt_1', { message: long }), [{ message: long }]],
		['emoji and braces', event('evt_1', { message: '😀 {{x}} {{bundle.a}}' }), [{ message: '😀 {{x}} {{bundle.a}}' }]],
	])('starts a run for each event: %s', async (_, body, expected) => {
		const text = JSON.stringify(body);
		const found = await runs(signed(text), text);
		expect(found).toHaveLength(expected.length);
		expect(found).toMatchObject(expected);
	});

	it('starts nothing for a signed body that is not JSON', async () => {
		expect(await runs(signed('Hi'), 'Hi')).toEqual([]);
	});

	it('reads the signed body if Zapier could not read it', async () => {
		const app = used.drive({ rawRequest: { headers: signed(), content }, subscribeData: { id: 'sub_1', secret } });
		expect(await app.run('new_inbound_sms', 'perform')).toMatchObject([{ id: 'evt_1' }]);
	});
});

function upperCase(headers: Readonly<Record<string, string>>): Record<string, string> {
	return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
}

function replaced(from: string, to: string): Record<string, string> {
	const headers = signed();
	return { ...headers, 'webhook-signature': headers['webhook-signature'].replace(from, to) };
}
