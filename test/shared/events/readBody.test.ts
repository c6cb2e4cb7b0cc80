import { bodyKind, MAX_BODY_BYTES, MAX_BODY_DEPTH, readBody } from '../../../shared';

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
const bytes = (text: string) => new TextEncoder().encode(text);
const nested = (levels: number) => bytes(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

describe('bodyKind', () => {
	it.each([
		['application/json', 'json'],
		['Application/JSON; charset=utf-8', 'json'],
		['application/x-www-form-urlencoded;charset=UTF-8', 'form'],
		['multipart/form-data; boundary=x', 'multipart'],
		['application/json+ld', undefined],
		['text/plain', undefined],
		['', undefined],
	])('reads %j as %j', (contentType, kind) => {
		expect(bodyKind(contentType)).toBe(kind);
	});
});

describe('readBody', () => {
	it('keeps integers exact that are too large for a number', () => {
		const read = readBody({ contentType: json, bytes: bytes('{"id":12345678901234567890,"small":7}') });
		expect(read).toMatchObject({ fields: { id: '12345678901234567890', small: 7 } });
	});

	it('reads JSON in the charset of its content type, and in UTF-8 if the charset is unknown', () => {
		const latin1 = new Uint8Array([...bytes('{"a":"'), 0xe9, ...bytes('"}')]);
		expect(readBody({ contentType: `${json}; charset=ISO-8859-1`, bytes: latin1 })).toMatchObject({ body: { a: 'é' } });
		expect(readBody({ contentType: `${json}; charset=none`, bytes: bytes('{"a":"é"}') })).toMatchObject({
			body: { a: 'é' },
		});
	});

	it('prefers the exact bytes of JSON to the parsed body, and uses that if the bytes are missing', () => {
		const parsed = { id: 12345678901234567000 };
		expect(readBody({ contentType: json, bytes: bytes('{"id":12345678901234567890}'), parsed })).toMatchObject({
			body: { id: '12345678901234567890' },
		});
		expect(readBody({ contentType: json, parsed })).toMatchObject({ body: parsed });
	});

	it('reads a form, with a list where a name repeats and objects for nested fields', () => {
		const text = 'From=%2B233201234567&Message=caf%C3%A9+now&to=1&to=2&data%5Bstatus%5D=sent';
		expect(readBody({ contentType: form, bytes: bytes(text) })).toEqual({
			body: { From: '+233201234567', Message: 'café now', to: ['1', '2'], 'data[status]': 'sent' },
			fields: { From: '+233201234567', Message: 'café now', to: ['1', '2'], data: { status: 'sent' } },
		});
	});

	it('reads the parsed fields of a form, also of a multipart form', () => {
		for (const contentType of [form, 'multipart/form-data; boundary=x']) {
			expect(readBody({ contentType, parsed: { 'data[to]': '1', toString: 'x' } })).toMatchObject({
				fields: { data: { to: '1' }, toString: 'x' },
			});
		}
	});

	it.each([
		['too_large', { contentType: json, bytes: new Uint8Array(MAX_BODY_BYTES + 1) }],
		['unsupported_type', { contentType: 'text/plain', bytes: bytes('{}') }],
		['malformed', { contentType: json, bytes: bytes('{"a":') }],
		['malformed', { contentType: json }],
		['malformed', { contentType: 'multipart/form-data', bytes: bytes('--x') }],
		['not_an_object', { contentType: json, bytes: bytes('[{}]') }],
		['not_an_object', { contentType: json, bytes: bytes('null') }],
		['too_deep', { contentType: json, bytes: nested(MAX_BODY_DEPTH + 2) }],
	])('reports %s', (problem, received) => {
		expect(readBody(received)).toEqual({ problem });
	});

	it('reads a body of the maximum depth, and one of 100,000 levels without a crash', () => {
		expect(readBody({ contentType: json, bytes: nested(MAX_BODY_DEPTH) })).toHaveProperty('body');
		const lists = bytes(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
		expect(readBody({ contentType: json, bytes: lists })).toEqual({ problem: 'too_deep' });
	});

	it('leaves out keys that change prototypes, also in nested form fields', () => {
		const read = readBody({ contentType: json, bytes: bytes('{"__proto__":{"x":1},"a":{"constructor":1,"b":2}}') });
		expect(read).toEqual({ body: { a: { b: 2 } }, fields: { a: { b: 2 } } });
		const nestedForm = readBody({ contentType: form, bytes: bytes('a%5B__proto__%5D%5Bx%5D=1&__proto__=2&b=3') });
		expect(nestedForm).toMatchObject({ fields: { b: '3' } });
		expect(Reflect.get({}, 'x')).toBeUndefined();
	});
});
