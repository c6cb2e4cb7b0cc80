import { z } from 'zod/v4';
import { ROUTES, type Route } from '../../relay/http/routes';
import { errorSchema } from '../../relay/http/schemas';
import { fc, isLong } from '../support/random';
import { useDatabase } from '../support/relay/databases';
import { RELAY_TOKEN, type Relay } from '../support/relay/relay';

const RUNS = isLong ? 1_000 : 40;

const text = fc.oneof(
	fc.string({ unit: 'binary' }),
	fc.string({ unit: 'grapheme' }),
	fc.constantFrom(
		'\0',
		'\ud800',
		'',
		' ',
		'__proto__',
		'sms.inbound',
		'https://example.com/',
		'1e9',
		'-1',
		'x'.repeat(5_000),
	),
);
const value = fc.oneof(text, fc.jsonValue(), fc.double(), fc.constant({}), fc.constant([]));

/** The names of the fields that a route takes. */
function fieldsOf(schema: z.ZodType | undefined): string[] {
	const described = z.toJSONSchema(schema ?? z.object({}), { io: 'input', unrepresentable: 'any' });
	return Object.keys(described.properties ?? {});
}

/** Objects that are almost right: known fields with any value, and sometimes an unknown one. */
function inputOf(schema: z.ZodType | undefined, base: object): fc.Arbitrary<Record<string, unknown>> {
	const names = fc.constantFrom(...fieldsOf(schema), 'unknown', '__proto__', 'constructor', 'then');
	return fc
		.array(fc.tuple(names, value), { maxLength: 4 })
		.map((changes) => Object.fromEntries([...Object.entries(base), ...changes]));
}

function textOf(one: unknown): string {
	return typeof one === 'string' ? one.toWellFormed() : JSON.stringify(one);
}

const CALLS = ROUTES.filter(({ path, access }) => access !== 'public' && path !== '/v1/stream');

describe('fuzzed calls of the API', () => {
	const database = useDatabase('postgres');
	let relay: Relay;

	beforeAll(async () => {
		relay = await database().start();
	});

	async function call({ method, path }: Route, ids: string, query: Record<string, unknown>, body: string | undefined) {
		const search = new URLSearchParams(Object.entries(query).map(([name, one]) => [name, textOf(one)])).toString();
		const target = path.replaceAll(/\{\w+\}/g, encodeURIComponent(ids.toWellFormed()));
		const response = await fetch(`${relay.url}${target}?${search}`, {
			method: method.toUpperCase(),
			headers: { 'content-type': 'application/json', authorization: `Bearer ${RELAY_TOKEN}` },
			...(body !== undefined && { body }),
		});
		return { status: response.status, text: await response.text() };
	}

	it.each(CALLS.map((route) => [`${route.method} ${route.path}`, route] as const))(
		'%s responds 2xx or 4xx, with an error that names the problem',
		async (_name, route) => {
			const inputs = fc.record({
				ids: fc.oneof(text, fc.constantFrom('sub_1', 'evt_1', 'tok_1', 'sub_1:evt_1', '..', '%00', ':')),
				query: inputOf(route.query, {}),
				body: fc.oneof(
					inputOf(route.body?.schema, z.looseObject({}).parse(route.body?.example ?? {})).map((one) =>
						JSON.stringify(one),
					),
					fc.json(),
					text,
				),
			});
			for (const { ids, query, body } of fc.sample(inputs, RUNS)) {
				const { status, text: answer } = await call(route, ids, query, route.body && body);
				const shown = { ids, query, body, status, answer };
				expect([shown, status < 500]).toEqual([shown, true]);
				if (status < 400) continue;
				const { error } = errorSchema.parse(JSON.parse(answer));
				expect(error.message).toMatch(/\.$/);
				if (error.field !== undefined && status === 422)
					expect([shown, error.field.length <= 100]).toEqual([shown, true]);
			}
		},
	);

	const filter = {
		statuses: 'delivered',
		channels: 1,
		keywords: null,
		from: {},
		to: '+233201234567',
		opt_outs: 'maybe',
		more: 1,
	};
	it.each<[string, string, object, string]>([
		...['url', 'types', 'filter', 'reference', 'label', 'batch', 'secret', 'more'].map(
			(field): [string, string, object, string] => ['POST', '/v1/subscriptions', { [field]: 1 }, field],
		),
		...Object.entries(filter).map(([name, one]): [string, string, object, string] => [
			'POST',
			'/v1/subscriptions',
			{ filter: { [name]: one } },
			`filter.${name}`,
		]),
		['POST', '/v1/subscriptions', { types: ['sms.outbound'] }, 'types.0'],
		['POST', '/v1/subscriptions', { types: [] }, 'types'],
		['POST', '/v1/subscriptions', { batch: { max: 0, wait_ms: 0 } }, 'batch.max'],
		['POST', '/v1/subscriptions', { batch: { max: 1, wait_ms: 60_001 } }, 'batch.wait_ms'],
		['POST', '/v1/subscriptions', { label: 'a\0b' }, 'label'],
		['POST', '/v1/subscriptions', { reference: '\ud800' }, 'reference'],
		['POST', '/v1/subscriptions', { filter: { from: ['+233201234567', '\0'] } }, 'filter.from.1'],
		['POST', '/v1/subscriptions', { url: 'http://10.0.0.1/' }, 'url'],
		['POST', '/v1/tokens', { name: 'Ama', kind: 'boss' }, 'kind'],
		['POST', '/v1/tokens', { name: 'A\0ma', kind: 'script' }, 'name'],
		['POST', '/v1/tokens', { kind: 'script' }, 'name'],
		['POST', '/v1/events/evt_1/replay', {}, 'subscription'],
		['PATCH', '/v1/subscriptions/sub_1', { state: 'leaving' }, 'state'],
		['GET', '/v1/events?limit=0', {}, 'limit'],
		['GET', '/v1/events?type=sms', {}, 'type.0'],
		['GET', '/v1/events?q=%00', {}, 'q'],
		['GET', '/v1/events?color=blue', {}, 'color'],
		['GET', '/v1/events?before=evt_1', {}, 'before'],
		['GET', '/v1/subscriptions?reference=%00', {}, 'reference'],
		['DELETE', '/v1/events', {}, 'number'],
	])('%s %s with %j names the field %s', async (method, path, input, field) => {
		const valid =
			path === '/v1/subscriptions' && method === 'POST' ? { url: 'https://example.com/', types: ['sms.inbound'] } : {};
		const response = await relay.api(method, path, method === 'GET' ? undefined : { ...valid, ...input });
		const { error } = errorSchema.parse(await response.json());
		expect([response.status, error.field]).toEqual([422, field]);
	});
});
