import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { endpoints } from '../../shared/contract';
import { fc, runCount } from '../support/random';
import { PHONE, run, type TestSandbox } from '../support/testSandbox';

/** Every input of the sandbox with values that break programs: names of built-in fields, odd strings, deep data. */

interface Route {
	readonly method: string;
	readonly path: string;
}

const API = '/api/v1';
const CONTROL = '/_sandbox';

/** Routes read from the source, so that a new route is tested automatically. */
function routesIn(folder: string, prefix: string): Route[] {
	const root = join(__dirname, '../../sandbox', folder);
	return readdirSync(root).flatMap((file) => {
		const source = readFileSync(join(root, file), 'utf8');
		const found = source.matchAll(/(?:routes|control|webhook|checkout)\.(get|post|put|delete)\('([^']+)'/g);
		return [...found].map(([, method = '', path = '']) => ({ method: method.toUpperCase(), path: `${prefix}${path}` }));
	});
}

const routes: readonly Route[] = [
	...endpoints.map(({ method, path }) => ({ method, path: `${API}${path.replace(/\{(\w+)\}/g, ':$1')}` })),
	...routesIn('control', CONTROL),
	...routesIn('gateway', ''),
	...routesIn('checkout', ''),
];

const NAMES = ['constructor', '__proto__', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'then', 'toJSON', ''];
const TEXTS = [
	...NAMES,
	...[' ', '\0', '\ud800', '😀'.repeat(50), '\u202e', "'; DROP TABLE contacts; --", '../..', '%00', '{{7*7}}', '<b>'],
	...['-1', '1e309', '٣', '9'.repeat(400), 'true', 'null', '[]', '2026-02-30 00:00:00', '2099-12-24 08:30:00'],
];
const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'binary', maxLength: 30 }));
const scalar = fc.oneof(
	text,
	fc.constantFrom(0, -0, -1, 0.1, 2 ** 53, 1e308, -1e308, true, false, null),
	fc.integer({ min: -5, max: 2000 }),
);
const value = fc.oneof(
	{ weight: 3, arbitrary: scalar },
	fc.array(scalar, { maxLength: 4 }),
	fc.dictionary(fc.constantFrom(...NAMES, 'a'), scalar, { maxKeys: 3, noNullPrototype: true }),
);

/** Too deep for recursive programs. */
const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;

/** Values that pass the first check, so that later checks are reached. URLs lead to this machine only. */
const FITTING: Readonly<Record<string, readonly unknown[]>> = {
	to: [PHONE, [PHONE, PHONE], 'KOFISHOP'],
	number: [PHONE],
	sender_id: ['KOFISHOP'],
	message: ['Hello'],
	subject: ['Hello'],
	name: ['Ama', 'SHOP'],
	verification_id: [1, 1001],
	code: ['123456'],
	amount: [5],
	return_url: ['https://shop.example/back'],
	channel: ['sms', 'whatsapp'],
	status: ['approved', 'delivered', 'failed'],
	endpoint: ['*', 'sms.send', 'message.status'],
	kind: ['answer', 'html', 'delay', 'post_copies'],
	times: [1],
	milliseconds: [1],
	headers: [{ constructor: 'x' }],
	body: [{}],
	now: ['2026-11-22T00:00:00Z'],
	action: ['pay', 'decline', 'leave'],
	method: ['card', 'mobile_money'],
	credits: [5],
	description: ['A gift'],
	From: [PHONE],
	To: ['KOFISHOP'],
	Message: ['STOP', 'HOURS'],
	from: [PHONE],
	callback_url: ['http://127.0.0.1:9/', null],
	inbound_url: ['http://127.0.0.1:9/', null],
	whatsapp_inbound_url: ['http://127.0.0.1:9/', null],
	low_balance_threshold: [5],
};
const fitting: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
	...Object.fromEntries(Object.entries(FITTING).map(([key, values]) => [key, fc.constantFrom(...values)])),
	// Each contact needs its own number.
	phone: fc.integer({ min: 240_000_000, max: 249_999_999 }).map((national) => `+233${national}`),
};
const known = fc.subarray(Object.keys(fitting)).chain((keys) => {
	const wanted = keys.map((key): [string, fc.Arbitrary<unknown>] => [key, fitting[key] ?? value]);
	const mostly = wanted.map(([key, fits]): [string, fc.Arbitrary<unknown>] => [
		key,
		fc.oneof({ weight: 9, arbitrary: fits }, { weight: 1, arbitrary: value }),
	]);
	return fc.record(Object.fromEntries<fc.Arbitrary<unknown>>(mostly));
});
const justPhone = fc.record({ phone: fitting.phone ?? value });
const extra = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...NAMES), text), fc.oneof(scalar, value)), { maxLength: 3 });
const fields = fc
	.tuple(fc.oneof(known, justPhone), extra)
	.map(([fixed, more]) => Object.fromEntries([...more, ...Object.entries(fixed)]));
const id = fc.oneof(fc.constantFrom('1', '1001', PHONE, 'KOFISHOP', 'no'), text);

interface Attempt {
	readonly method: string;
	readonly url: string;
	readonly body: string | undefined;
	readonly type: string;
}

/** Half a surrogate pair cannot be encoded in a URL, and a segment of dots is resolved. */
function encode(part: string): string {
	const written = part.replace(/\p{Surrogate}/gu, 'x');
	return /^\.{0,2}$/.test(written) ? 'x' : encodeURIComponent(written);
}

function attemptOf({ method, path }: Route): fc.Arbitrary<Attempt> {
	const query = fc.dictionary(fc.constantFrom('limit', 'offset', 'to', 'search', 'page', 'by', 'count', ...NAMES), id);
	const parts = path.split('/').map((part) => (part.startsWith(':') ? id.map(encode) : fc.constant(part)));
	return fc
		.tuple(fc.tuple(...parts), query, fields, fc.constantFrom('json', 'json', 'raw', 'form', 'deep', 'no body'), value)
		.map(([filled, asked, given, kind, raw]) => {
			const search = Object.entries(asked).map(([key, one]) => `${encode(key)}=${encode(one)}`);
			const url = `${filled.join('/')}${search.length > 0 ? `?${search.join('&')}` : ''}`;
			if (method === 'GET' || kind === 'no body') return { method, url, body: undefined, type: 'application/json' };
			if (kind === 'deep') return { method, url, body: `{"to":${DEEP},"name":${DEEP}}`, type: 'application/json' };
			if (kind === 'raw') return { method, url, body: JSON.stringify(raw), type: 'application/json' };
			if (kind === 'json') return { method, url, body: JSON.stringify(given), type: 'application/json' };
			const form = Object.entries(given).map(([key, one]) => [encode(key), encode(JSON.stringify(one))]);
			return {
				method,
				url,
				body: form.map((pair) => pair.join('=')).join('&'),
				type: 'application/x-www-form-urlencoded',
			};
		});
}

/** Sends a request and returns the response. Of an endless stream it returns only the beginning. */
async function ask(
	{ sandbox }: TestSandbox,
	{ method, url, body, type }: Attempt,
	apiKey = sandbox.apiKey,
): Promise<{ status: number; body: string }> {
	const ending = new AbortController();
	const headers = { 'x-api-key': apiKey, 'content-type': type };
	const init = { method, headers, signal: ending.signal, ...(body === undefined ? {} : { body }) };
	const response = await fetch(sandbox.url + url, { ...init, redirect: 'manual' });
	if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
		ending.abort();
		return { status: response.status, body: '' };
	}
	return { status: response.status, body: await response.text() };
}

const OWN_FAILURE = 'The sandbox itself failed';

/** Requests that must work after any other request. */
const READS = [
	...endpoints.filter(({ method, path }) => method === 'GET' && !path.includes('{')).map(({ path }) => API + path),
	...routesIn('control', CONTROL)
		.filter(({ method, path }) => method === 'GET' && !path.includes(':') && !path.endsWith('/events'))
		.map(({ path }) => path),
];

describe('hostile input', () => {
	let errors: jest.SpyInstance;
	beforeEach(() => {
		errors = jest.spyOn(console, 'error').mockImplementation(() => undefined);
	});
	afterEach(() => errors.mockRestore());

	it('finds the routes of the API, the control pages, the webhooks and the checkout', () => {
		expect(routes.length).toBeGreaterThan(60);
	});

	it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
		'%s never causes an internal error, and leaves every list readable',
		async (_name, route) => {
			await using sandbox = await run();
			const restore = async () => {
				await sandbox.control('DELETE', 'faults');
				await sandbox.control('PUT', 'settings', { requests_per_second: 1_000_000 });
			};
			await restore();
			const property = fc.asyncProperty(attemptOf(route), async (attempt) => {
				const response = await ask(sandbox, attempt);
				expect(response.body).not.toContain(OWN_FAILURE);
			});
			await fc.assert(property, { numRuns: runCount(route.path.startsWith(API) ? 250 : 40), endOnFailure: true });
			await restore();
			// The first key may have been revoked.
			const { body } = await sandbox.control('POST', 'keys', { name: 'Reader' });
			const { api_key } = z.object({ api_key: z.string() }).parse(body);
			for (const url of READS) {
				const read = { method: 'GET', url, body: undefined, type: 'application/json' };
				const response = await ask(sandbox, read, api_key);
				expect({ url, ...response, body: response.body.slice(0, 200) }).toMatchObject({ url, status: 200 });
			}
		},
	);

	it('stores a contact with fields named like built-in ones, and still lists contacts', async () => {
		await using sandbox = await run();
		const contact = '{"phone":"+233244000111","constructor":"builder","toString":"yes","valueOf":7}';
		const made = await sandbox.api('POST', 'contacts', contact);
		expect({ status: made.status, body: made.body }).toMatchObject({
			status: 200,
			body: { constructor: 'builder', toString: 'yes', valueOf: 7 },
		});
		const listed = await sandbox.api('GET', 'contacts');
		expect(listed.status).toBe(200);
		expect(JSON.stringify(listed.body)).toContain('"constructor":"builder"');
		expect((await sandbox.control('GET', 'contacts')).status).toBe(200);
	});
});
