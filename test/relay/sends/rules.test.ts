import { ZodObject } from 'zod/v4';
import { canonicalJson } from '../../../relay/sends/content';
import { parseIdempotencyKey } from '../../../relay/sends/idempotencyKey';
import { readCall } from '../../../relay/sends/call';
import { withSkipped } from '../../../relay/sends/bulkOutcomes';
import { pickFields, rebuiltBody, STORED_FIELDS } from '../../../relay/sends/storedFields';
import { endpoints, readResponse, type Endpoint } from '../../../shared/index';

/** Fields of responses that no row keeps: texts and numbers of persons, and conclusions of the client. */
const NOT_STORED = ['name', 'phone', 'results', 'verdict'];

const once = endpoints.filter(({ repeat }) => repeat === 'once');

function read(endpoint: Endpoint, body: string) {
	return readResponse(endpoint, { status: 200, headers: {}, body }, endpoint.example.input);
}

describe('the stored fields of a response', () => {
	it('are decided for each field of each endpoint that costs or changes something', () => {
		const names = once.flatMap(({ output }) => (output instanceof ZodObject ? Object.keys(output.shape) : []));
		const undecided = names.filter((name) => !STORED_FIELDS.has(name) && !NOT_STORED.includes(name));
		expect(undecided).toEqual([]);
		expect(names).toEqual(expect.arrayContaining(NOT_STORED));
	});

	it.each(once.map((endpoint) => [endpoint.id, endpoint] as const))(
		'make a response that is read as the first one: %s',
		(_id, endpoint) => {
			const first = read(endpoint, JSON.stringify(Object.assign({ success: true }, endpoint.example.output)));
			if (first.kind !== 'output') throw new Error('The example is not read as accepted');
			const fields = pickFields(endpoint, first.output);
			expect(read(endpoint, rebuiltBody(fields))).toMatchObject({ kind: 'output', output: fields });
		},
	);

	it.each(['right', 'wrong', 'only_success', 'unclear'])('never turn a code into another verdict: %s', (verdict) => {
		const endpoint = endpoints.find(({ id }) => id === 'verification.check') ?? fail();
		const bodies: Record<string, object> = {
			right: { success: true, valid: true },
			wrong: { success: true, valid: false },
			only_success: { success: true },
			unclear: { success: true, status: 'processing' },
		};
		const first = read(endpoint, JSON.stringify(bodies[verdict]));
		if (first.kind !== 'output') throw new Error('It is not read as a result');
		expect(first.output).toMatchObject({ verdict });
		const again = read(endpoint, rebuiltBody(pickFields(endpoint, first.output)));
		expect(again).toMatchObject({ kind: 'output', output: { valid: verdict === 'right' } });
	});

	it('have no text, code or number of a person', () => {
		const output = { success: true, message_id: 'm1', message: 'Hi', to: '+233201234567', code: '493021', phone: '1' };
		expect(pickFields(endpoints.find(({ id }) => id === 'sms.send') ?? fail(), output)).toEqual({
			success: true,
			message_id: 'm1',
		});
	});
});

describe('an idempotency key', () => {
	it.each([
		['order-1', 'order-1'],
		['"order-1"', 'order-1'],
		['"a\\"b\\\\c"', 'a"b\\c'],
		['a"b', 'a"b'],
		['~!', '~!'],
		['""', undefined],
		['"a b"', undefined],
		['"a\\b"', undefined],
		['"a"; x=1', undefined],
		['a\tb', undefined],
	])('is read from %s', (header, key) => {
		expect(parseIdempotencyKey(header)).toEqual(key === undefined ? undefined : { key });
	});

	it('may have the key of a recipient beside it', () => {
		expect(parseIdempotencyKey('"a,b" ,\t"c\\"d"')).toEqual({ key: 'a,b', recipientKey: 'c"d' });
	});
});

describe('the content of a call', () => {
	it('does not depend on the order of fields or on white space', () => {
		const one: unknown = JSON.parse('{"b":[1,{"d":null,"c":"x"}],"a":true}');
		const other: unknown = JSON.parse('{ "a": true, "b": [ 1.0, { "c": "x", "d": null } ] }');
		expect(canonicalJson(one)).toBe(canonicalJson(other));
	});

	it('depends on each value, and on the order of lists', () => {
		const texts = [
			'{"a":1}',
			'{"a":"1"}',
			'{"a":null}',
			'{"a":[1,2]}',
			'{"a":[2,1]}',
			'{"b":1}',
			'{"a":{"1":2}}',
			'[]',
		];
		expect(new Set(texts.map((text) => canonicalJson(JSON.parse(text)))).size).toBe(texts.length);
	});
});

describe('a call', () => {
	const call = (method: string, path: string, headers: Record<string, string> = {}) =>
		readCall({ method, path, header: (name) => headers[name], body: undefined });

	it('belongs to each endpoint of the contract by its method and path', () => {
		for (const { id, method, path } of endpoints) {
			expect([id, call(method, `${path.replace(/\{\w+\}/, 'x1')}?limit=2`)?.endpoint.id]).toEqual([id, id]);
		}
	});

	it.each([
		['GET', 'safe'],
		['HEAD', 'safe'],
		['POST', 'once'],
		['PUT', 'once'],
		['DELETE', 'once'],
	])('to another path may be repeated or not by its method: %s', (method, repeat) => {
		expect(call(method, '/later')?.endpoint.repeat).toBe(repeat);
	});

	it('has the API key of either header, and both if they differ', () => {
		const keyOf = (headers: Record<string, string>) => call('GET', '/balance', headers)?.apiKey.value;
		expect(keyOf({ 'x-api-key': 'sk_1' })).toBe('sk_1');
		expect(keyOf({ authorization: 'bearer sk_1' })).toBe('sk_1');
		expect(keyOf({ 'x-api-key': 'sk_1', authorization: 'Bearer sk_1' })).toBe('sk_1');
		expect(keyOf({ 'x-api-key': 'sk_1', authorization: 'Bearer sk_2' })).toBe('sk_1 sk_2');
		expect(keyOf({})).toBe('');
	});
});

describe('the recipients that were left out', () => {
	const skipped = [
		{ to: '+233201234567', outcome: 'accepted', message_id: null, status: 'queued', batch_id: 'b1' },
	] as const;

	it('are added to a response, and long numbers stay exact', () => {
		const added = withSkipped('{"id": 12345678901234567890 }\n', skipped);
		expect(added).toBe(
			'{"id": 12345678901234567890,"relay":{"skipped":[{"to":"+233201234567","outcome":"accepted","message_id":null,"status":"queued","batch_id":"b1"}]}}',
		);
		expect(withSkipped('{}', [])).toBe('{"relay":{"skipped":[]}}');
	});

	it.each(['[1]', '{"a":', '<html>{}</html>', '', '{"a":1}{"b":2}'])('are not added to %s', (text) => {
		expect(withSkipped(text, skipped)).toBeUndefined();
	});
});

function fail(): never {
	throw new Error('There is no such endpoint');
}
