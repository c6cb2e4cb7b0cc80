import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { createApi } from '../../relay/http/api';
import { relayOpenApi } from '../../relay/http/openapi';
import { ROUTES } from '../../relay/http/routes';
import { GATEWAY_ERRORS } from '../../relay/sends/errors';
import { contract, endpoints } from '../../shared';
import { readRelayReply } from '../../shared/client/relayReply';
import { validateOpenApi } from '../support/validateOpenApi';

const DOCS = join(__dirname, '..', '..', 'docs');
const written: unknown = JSON.parse(readFileSync(join(DOCS, 'relay-openapi.json'), 'utf8'));
const plain = JSON.parse(JSON.stringify(relayOpenApi())) as object;

describe('docs/relay-openapi.json', () => {
	it('matches the schemas of the relay (otherwise: npm run generate)', () => {
		expect(written).toEqual(plain);
	});

	it('is valid OpenAPI 3.1', () => {
		expect(validateOpenApi(plain)).toEqual({ valid: true, version: '3.1' });
	});

	it('describes every route below /v1, and no other', () => {
		const served = createApi()
			.routes.filter(({ method }) => method !== 'ALL')
			.map(({ method, path }) => `${method} /v1${path.replaceAll(/:(\w+)/g, '{$1}')}`);
		const described = ROUTES.filter(({ path }) => path.startsWith('/v1/')).map(
			({ method, path }) => `${method.toUpperCase()} ${path}`,
		);
		expect(described.sort()).toEqual([...new Set(served)].sort());
	});

	it.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
		'has examples that its schemas accept: %s',
		(_name, { body, responses }) => {
			const examples = [...Object.values(responses), ...(body ? [body] : [])].filter(
				({ example }) => example !== undefined,
			);
			for (const { schema, example } of examples) expect(schema?.safeParse(example).error).toBeUndefined();
		},
	);

	it.each(
		ROUTES.filter(({ body, query }) => body ?? query).map((route) => [`${route.method} ${route.path}`, route] as const),
	)('says that wrong input is rejected: %s', (_name, { errors = [] }) => {
		expect(errors).toContain(422);
	});
});

const operation = z.looseObject({
	parameters: z.array(z.looseObject({ $ref: z.string().optional() })).default([]),
	requestBody: z.unknown(),
	responses: z.record(z.string(), z.looseObject({ headers: z.record(z.string(), z.unknown()).default({}) })),
});
const gateway = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) }).parse(plain).paths;
const operationOf = ({ path, method }: (typeof endpoints)[number]) =>
	operation.parse(gateway[`/api/v1${path}`]?.[method.toLowerCase()]);

describe('the calls below /api/v1 in docs/relay-openapi.json', () => {
	it('are those of the contract', () => {
		const described = Object.entries(gateway)
			.filter(([path]) => path.startsWith('/api/v1/'))
			.flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
		expect(described.sort()).toEqual(endpoints.map(({ method, path }) => `${method} /api/v1${path}`).sort());
	});

	it.each(endpoints.map((endpoint) => [endpoint.id, endpoint] as const))(
		'have the headers of an idempotency key only if they may cost something: %s',
		(_id, endpoint) => {
			const { parameters, responses } = operationOf(endpoint);
			const isOnce = endpoint.repeat === 'once';
			const own = parameters.flatMap(({ $ref }) => ($ref === undefined ? [] : [$ref.split('/').at(-1)]));
			const moved = endpoint.id === contract.sms.sendBulk.id ? ['RelayMovedFrom'] : [];
			expect(own).toEqual(isOnce ? ['IdempotencyKey', 'RelayAttempt', 'RelayKeyMaxAge', ...moved] : []);
			expect(Object.keys(responses[200]?.headers ?? {})).toEqual([
				'Relay-Version',
				'Relay-Outcome',
				...(isOnce ? ['Idempotent-Replayed'] : []),
			]);
			expect(Object.keys(responses).includes('409')).toBe(isOnce);
		},
	);

	it('have the keys of recipients only in a bulk send', () => {
		const withKeys = endpoints.filter((endpoint) =>
			JSON.stringify(operationOf(endpoint).requestBody ?? {}).includes('idempotency_keys'),
		);
		expect(withKeys.map(({ id }) => id)).toEqual([contract.sms.sendBulk.id]);
		expect(JSON.stringify(operationOf(contract.sms.sendBulk).responses)).toContain('"skipped"');
	});
});

describe('the errors of the gateway', () => {
	it('are those of docs/relay.md', () => {
		const page = readFileSync(join(DOCS, 'relay.md'), 'utf8');
		const rows = [...page.matchAll(/^\| (\d{3}) +\| `(\w+)` +\| (`\w+`|none) +\| (.+?) +\|$/gm)];
		expect(rows.map(([, ...cells]) => cells)).toEqual(
			GATEWAY_ERRORS.map((error) => {
				const outcome = 'outcome' in error ? `\`${error.outcome}\`` : 'none';
				return [String(error.status), error.code, outcome, error.meaning];
			}),
		);
	});

	it.each([...new Set(GATEWAY_ERRORS.map(({ code }) => code))])('are known to the client: %s', (code) => {
		const body = JSON.stringify({ error: { code, message: 'What happened' } });
		const reply = readRelayReply({ status: 503, headers: { 'relay-version': '1.0.0' }, body }, false);
		expect(reply?.error?.code).toBe(code);
	});
});
