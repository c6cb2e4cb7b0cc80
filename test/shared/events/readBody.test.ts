import { bodyKind, MAX_BODY_BYTES, MAX_BODY_DEPTH, readBody } from '../../../shared';

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
const bytes = (text: string) => new TextEncoder().encode(text);
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const utf16 = (text: string) => new Uint8Array(Buffer.from(text, 'utf16le'));
const nested = (levels: number) => bytes(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

describe('bodyKind', () => {
	it.each([
		['application/json', 'json'],
		['Application/JSON; charset=utf-8', 'json'],
		['application/x-www-form-urlencoded;charset=UTF-8', 'form'],
		['multipart/form-data; boundary=x', 'multipart'],
		['application/vnd.api+json; charset=utf-8', 'json'],
		['text/json', 'json'],
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

	it.each<[string, string, Uint8Array]>([
		['JSON in ISO-8859-1', `${json}; charset=ISO-8859-1`, latin1('{"a":"Arrêt"}')],
		['JSON in windows-1252 with a quoted name', `${json};CHARSET="Windows-1252"`, latin1('{"a":"Arrêt"}')],
		['JSON in ISO-8859-1 that declares nothing', json, latin1('{"a":"Arrêt"}')],
		['JSON in ISO-8859-1 that declares UTF-8', `${json}; charset=utf-8`, latin1('{"a":"Arrêt"}')],
		['JSON in UTF-8', json, bytes('{"a":"Arrêt"}')],
		['JSON in UTF-8, spelled utf8', `${json}; charset=UTF8`, bytes('{"a":"Arrêt"}')],
		['JSON with a byte order mark', json, bytes('\ufeff{"a":"Arrêt"}')],
		['JSON in UTF-16', `${json}; charset=utf-16`, utf16('{"a":"Arrêt"}')],
		[
			'JSON in UTF-16 with the high byte first',
			`${json}; charset=utf16`,
			new Uint8Array(Buffer.from('{"a":"Arrêt"}', 'utf16le').swap16()),
		],
		['JSON in UTF-16 with a byte order mark alone', json, utf16('\ufeff{"a":"Arrêt"}')],
		['JSON as text/plain', 'text/plain; charset=iso-8859-1', latin1(' {"a":"Arrêt"}')],
		['JSON without a type', '', bytes('{"a":"Arrêt"}')],
		['JSON of another kind', 'application/ld+json', bytes('{"a":"Arrêt"}')],
		['JSON that is labelled as a form', form, bytes('{"a":"Arrêt"}')],
		['a form in ISO-8859-1', `${form}; charset=iso-8859-1`, bytes('a=Arr%EAt')],
		['a form in windows-1252 that declares nothing', form, bytes('a=Arr%EAt')],
		['a form with bytes that are not percent-encoded', form, latin1('a=Arrêt')],
		['a form in UTF-8', form, bytes('a=Arr%C3%AAt')],
		['a form with a byte order mark', form, bytes('\ufeffa=Arr%C3%AAt')],
		['a form in UTF-8 that declares ISO-8859-1', `${form}; charset=ISO-8859-1`, bytes('a=Arr%C3%AAt')],
		['a form in UTF-8 that declares US-ASCII', `${form}; charset=us-ascii`, bytes('a=Arr%c3%aat')],
		['a form in UTF-16', `${form}; charset=utf-16`, utf16('a=Arr%C3%AAt')],
	])('reads %s', (_, contentType, received) => {
		expect(readBody({ contentType, bytes: received })).toMatchObject({ body: { a: 'Arrêt' } });
	});

	it.each([
		['without a declared character set', form],
		['that declares UTF-8', `${form}; charset=utf-8`],
		['that declares ISO-8859-1', `${form}; charset=iso-8859-1`],
	])('reads each field of a form on its own, %s', (_, contentType) => {
		const text = 'To=Caf%C3%A9&Message=ok%20%F0%9F&From=Arr%EAt&Bez%C3%BCge=%C3%A9';
		expect(readBody({ contentType, bytes: bytes(text) })).toMatchObject({
			body: { To: 'Café', Message: 'ok ðŸ', From: 'Arrêt', Bezüge: 'é' },
		});
	});

	it('reads a form in a character set with several bytes as declared', () => {
		const contentType = `${form}; charset=gbk`;
		// Its bytes are UTF-8 by accident.
		expect(readBody({ contentType, bytes: bytes('a=%C3%A9') })).toMatchObject({ body: { a: '茅' } });
	});

	it('reads odd pairs of a form', () => {
		const read = readBody({ contentType: form, bytes: bytes('&a&=b&c=d=e%&f=%zz%41+%2B&') });
		expect(read).toMatchObject({ body: { a: '', '': 'b', c: 'd=e%', f: '%zzA +' } });
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
		['unsupported_type', { contentType: 'text/plain', bytes: bytes('STOP') }],
		['unsupported_type', { contentType: 'text/plain', bytes: bytes('{STOP}') }],
		['unsupported_type', { contentType: '', bytes: bytes('7') }],
		['unknown_charset', { contentType: `${json}; charset=none`, bytes: bytes('{"a":1}') }],
		['unknown_charset', { contentType: `${form}; charset=utf-16x`, bytes: bytes('a=1') }],
		['unknown_charset', { contentType: 'text/plain; charset=utf-32', bytes: bytes('{"a":1}') }],
		['unknown_charset', { contentType: `${json}; charset=utf-16`, bytes: bytes('{"a":"b"}') }],
		['unknown_charset', { contentType: `${form}; charset=shift_jis`, bytes: bytes('a=%FF') }],
		['malformed', { contentType: json, bytes: bytes('{"a":') }],
		['malformed', { contentType: json }],
		['malformed', { contentType: 'multipart/form-data', bytes: bytes('--x') }],
		['not_an_object', { contentType: json, bytes: bytes('[]') }],
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
