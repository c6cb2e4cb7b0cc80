import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApi } from '../../relay/http/api';
import { relayOpenApi } from '../../relay/http/openapi';
import { ROUTES } from '../../relay/http/routes';
import { validateOpenApi } from '../support/validateOpenApi';

const written: unknown = JSON.parse(readFileSync(join(__dirname, '..', '..', 'docs', 'relay-openapi.json'), 'utf8'));
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
