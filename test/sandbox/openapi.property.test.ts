import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020';
import { z } from 'zod/v4';
import { fc, runCount } from '../support/random';
import { PHONE, run, type TestSandbox } from '../support/testSandbox';

/** Generates requests from docs/openapi.json, sends them over HTTP and checks the responses. */

interface Schema {
	readonly type?: string;
	readonly anyOf?: readonly Schema[];
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly required?: readonly string[];
	readonly additionalProperties?: Schema | boolean;
	readonly items?: Schema;
	readonly minItems?: number;
	readonly pattern?: string;
	readonly format?: string;
	readonly minLength?: number;
	readonly maxLength?: number;
	readonly minimum?: number;
	readonly maximum?: number;
	readonly exclusiveMinimum?: number;
}

const schema: z.ZodType<Schema> = z.lazy(() =>
	z.strictObject({
		description: z.string().optional(),
		type: z.string().optional(),
		anyOf: z.array(schema).optional(),
		properties: z.record(z.string(), schema).optional(),
		required: z.array(z.string()).optional(),
		additionalProperties: z.union([z.boolean(), schema]).optional(),
		propertyNames: schema.optional(),
		items: schema.optional(),
		minItems: z.number().optional(),
		pattern: z.string().optional(),
		format: z.string().optional(),
		minLength: z.number().optional(),
		maxLength: z.number().optional(),
		minimum: z.number().optional(),
		maximum: z.number().optional(),
		exclusiveMinimum: z.number().optional(),
	}),
);
const content = z.object({ 'application/json': z.object({ schema: z.unknown() }) });
const operationSchema = z.object({
	operationId: z.string(),
	parameters: z.array(z.object({ name: z.string(), in: z.string(), required: z.boolean(), schema })).default([]),
	requestBody: z
		.object({
			content: z.object({ 'application/json': z.object({ schema, example: z.record(z.string(), z.unknown()) }) }),
		})
		.optional(),
	responses: z.looseObject({ '200': z.object({ content }) }),
});
const documentSchema = z.object({ paths: z.record(z.string(), z.record(z.string(), operationSchema)) });

const { paths } = documentSchema.parse(
	JSON.parse(readFileSync(join(__dirname, '../../docs/openapi.json'), 'utf8')) as unknown,
);
const operations = Object.entries(paths).flatMap(([path, methods]) =>
	Object.entries(methods).map(([method, { operationId, parameters, requestBody, responses }]) => ({
		id: operationId,
		method: method === 'get' ? ('GET' as const) : ('POST' as const),
		path,
		parameters,
		body: requestBody?.content['application/json'].schema,
		example: requestBody?.content['application/json'].example,
		answer: responses['200'].content['application/json'].schema,
	})),
);
type Operation = (typeof operations)[number];

const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** Values that exist in the sandbox's account, by key. Without these, hardly any input would be accepted. */
const known: Readonly<Record<string, readonly unknown[]>> = {
	sender_id: ['KOFISHOP'],
	to: [PHONE],
	phone: [PHONE],
	code: ['123456'],
	verification_id: [1001],
	amount: [20],
	schedule_at: ['2099-12-24 08:30:00'],
	return_url: ['https://shop.example/back'],
};

/** Values that match a schema. */
function valid(part: Schema, key = ''): fc.Arbitrary<unknown> {
	const made = fromSchema(part);
	const values = part.type === 'array' ? [] : (known[key] ?? []);
	return values.length === 0 ? made : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values) }, made);
}

function fromSchema(part: Schema): fc.Arbitrary<unknown> {
	if (part.anyOf) return fc.oneof(...part.anyOf.map((one) => fromSchema(one)));
	switch (part.type) {
		case 'string':
			return text(part);
		case 'integer':
			return fc.integer({ min: Math.max(part.minimum ?? 0, -1e9), max: Math.min(part.maximum ?? 1e9, 1e9) });
		case 'number':
			return fc.integer({ min: 1, max: 2_000_000 }).map((cents) => cents / 100);
		case 'boolean':
			return fc.boolean();
		case 'null':
			return fc.constant(null);
		case 'array':
			return fc.array(fromSchema(part.items ?? {}), { minLength: part.minItems ?? 0, maxLength: 20 });
		case 'object':
			return object(part);
		default:
			return fc.jsonValue({ maxDepth: 2 });
	}
}

function text({ pattern, format, minLength = 0, maxLength = 60 }: Schema): fc.Arbitrary<string> {
	if (format === 'email') return fc.emailAddress();
	if (format === 'uri') return fc.webUrl({ validSchemes: ['https'] });
	if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
	const long = fc.string({ unit: 'binary', minLength: Math.max(minLength, maxLength - 2), maxLength });
	const short = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 60) });
	return fc.oneof({ weight: 3, arbitrary: short }, long);
}

function object({ properties = {}, required = [], additionalProperties }: Schema): fc.Arbitrary<unknown> {
	const keys = Object.entries(properties).map(([key, part]) => [key, valid(part, key)] as const);
	const made = fc.record(Object.fromEntries(keys), { requiredKeys: [...required] });
	if (typeof additionalProperties !== 'object') return made;
	const extra = fc.dictionary(fc.string({ maxLength: 20 }), fromSchema(additionalProperties), { maxKeys: 3 });
	return fc.tuple(extra, made).map(([others, fixed]) => ({ ...others, ...fixed }));
}

interface Request {
	readonly method: string;
	readonly path: string;
	readonly body: string | undefined;
	readonly headers: Readonly<Record<string, string>>;
}

/** The example of the document. The sandbox accepts it, unless the path has an ID. */
function exampleOf({ method, path, parameters, example }: Operation): Request {
	const time = example && 'schedule_at' in example ? { schedule_at: known.schedule_at?.[0] } : {};
	return {
		method,
		path: fillPath(path, parameters, {}),
		body: example && JSON.stringify({ ...example, ...time }),
		headers: { 'content-type': 'application/json' },
	};
}

function requestOf({ method, path, parameters, body }: Operation): fc.Arbitrary<Request> {
	const values = fc.record(Object.fromEntries(parameters.map((one) => [one.name, valid(one.schema, one.name)])), {
		requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name),
	});
	return fc.tuple(values, body ? valid(body) : fc.constant(undefined)).map(([given, filled]) => ({
		method,
		path: fillPath(path, parameters, given),
		body: filled === undefined ? undefined : JSON.stringify(filled),
		headers: { 'content-type': 'application/json' },
	}));
}

function fillPath(path: string, parameters: Operation['parameters'], given: Readonly<Record<string, unknown>>): string {
	const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => encode(given[name]));
	const query = parameters
		.filter((one) => one.in === 'query' && given[one.name] !== undefined)
		.map(({ name }) => `${name}=${encode(given[name])}`);
	return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

/** Half a surrogate pair cannot be encoded in a URL, and a segment of dots is resolved, so neither can be sent. */
function encode(value: unknown): string {
	const written = String(value).replace(/\p{Surrogate}/gu, 'x');
	return /^\.{0,2}$/.test(written) ? 'x' : encodeURIComponent(written);
}

async function ask(sandbox: TestSandbox, { method, path, body, headers }: Request) {
	const response = await fetch(sandbox.sandbox.baseUrl.slice(0, -1) + path, {
		method,
		headers: { 'x-api-key': sandbox.sandbox.apiKey, ...headers },
		...(body === undefined ? {} : { body }),
	});
	const responded = await response.text();
	return { status: response.status, body: responded === '' ? undefined : (JSON.parse(responded) as unknown) };
}

async function prepare(): Promise<TestSandbox> {
	const sandbox = await run();
	await sandbox.control('PUT', 'settings', { requests_per_second: 1_000_000 });
	await sandbox.control('POST', 'wallet/adjust', { amount: 100_000 });
	await sandbox.api('POST', 'verify/start', { phone: PHONE, sender_id: 'KOFISHOP' });
	return sandbox;
}

const money = async (sandbox: TestSandbox) => (await sandbox.wallet()).balance;

describe.each(operations.map((operation) => [operation.id, operation] as const))('%s', (_id, operation) => {
	it('responds to valid requests as the schema says, or rejects them', async () => {
		// This takes seconds on a busy machine, after which the sandbox would have closed the connection.
		const check = ajv.compile(z.record(z.string(), z.unknown()).parse(operation.answer));
		await using sandbox = await prepare();
		let accepted = 0;
		const property = fc.asyncProperty(requestOf(operation), async (request) => {
			const before = await money(sandbox);
			const { status, body } = await ask(sandbox, request);
			expect([200, 404, 422]).toContain(status);
			if (status === 200) {
				accepted += 1;
				const list = z.object({ data: z.array(z.unknown()) }).safeParse(body).data?.data;
				check(list && operation.id.includes('list') ? list : body);
				expect(check.errors ?? []).toEqual([]);
			} else {
				expect(await money(sandbox)).toBe(before);
			}
		});
		await fc.assert(property, { numRuns: runCount(60), examples: [[exampleOf(operation)]] });
		// The sandbox creates the IDs in paths, and random ones hardly ever match.
		if (!operation.path.includes('{')) expect(accepted).toBeGreaterThan(0);
	});

	it('rejects invalid requests, and charges nothing', async () => {
		await using sandbox = await prepare();
		const before = await money(sandbox);
		const property = fc.asyncProperty(
			requestOf(operation).chain((request) => spoil(operation, request)),
			async (request) => {
				const { status } = await ask(sandbox, request);
				expect([401, 404, 405, 413, 415, 422]).toContain(status);
				expect(await money(sandbox)).toBe(before);
			},
		);
		await fc.assert(property, { numRuns: runCount(60) });
	});
});

/** Ways to make a request invalid. */
function spoil({ method, body, parameters }: Operation, request: Request): fc.Arbitrary<Request> {
	const ways: fc.Arbitrary<Request>[] = [
		fc.constant({ ...request, headers: { ...request.headers, 'x-api-key': 'sk_sandbox_wrong' } }),
		fc.constant({ ...request, path: `${request.path.split('?')[0]}/more/of/it` }),
		fc.constantFrom('PUT', 'DELETE', 'PATCH').map((wrong) => ({ ...request, method: wrong })),
	];
	if (method === 'POST' && request.body !== undefined && body) {
		const { body: written } = request;
		const fields = z.record(z.string(), z.unknown()).parse(JSON.parse(written));
		const required = body.required ?? [];
		const put = (value: unknown) => ({ ...request, body: JSON.stringify(value) });
		ways.push(
			fc.integer({ min: 0, max: written.length - 1 }).map((end) => ({ ...request, body: written.slice(0, end) })),
			fc
				.jsonValue()
				.filter((value) => typeof value !== 'object' || Array.isArray(value) || value === null)
				.map(put),
			fc.constantFrom(...required).map((key) => put({ ...fields, [key]: undefined })),
			fc
				.tuple(fc.constantFrom(...required), fc.jsonValue())
				.filter(([key, value]) => !ajv.validate({ ...body.properties?.[key] }, value))
				.map(([key, value]) => put({ ...fields, [key]: value })),
			fc.constant({ ...request, body: JSON.stringify({ ...fields, padding: 'x'.repeat(5_000_000) }) }),
		);
	}
	const [number] = parameters.filter((one) => one.in === 'query');
	if (number) {
		const path = request.path.split('?')[0] ?? '';
		ways.push(
			fc
				.constantFrom('-1', 'many', '1.5', '1e99', '')
				.map((text) => ({ ...request, path: `${path}?${number.name}=${text}` })),
		);
	}
	return fc.oneof(...ways);
}
