import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { openApiDocument } from '../../scripts/lib/openapi';
import { validateOpenApi } from '../support/validateOpenApi';

const DOCS = join(__dirname, '..', '..', 'docs');
const written: unknown = JSON.parse(readFileSync(join(DOCS, 'openapi.json'), 'utf8'));
const document = openApiDocument();
const described = z.object({
	paths: z.record(z.string(), z.object({}).loose()),
	webhooks: z.record(z.string(), z.object({}).loose()),
});
const plain = JSON.parse(JSON.stringify(document)) as object;

describe('docs/openapi.json', () => {
	it('docs/openapi.json matches the contract (otherwise: npm run generate)', () => {
		expect(written).toEqual(plain);
	});

	it('docs/openapi.json is valid OpenAPI 3.1', () => {
		expect(validateOpenApi(plain)).toEqual({ valid: true, version: '3.1' });
	});

	it('the OpenAPI validator rejects an invalid document', () => {
		const broken = { ...plain, paths: { '/sms/send': { post: { responses: 'none' } } } };
		expect(validateOpenApi(broken)).toMatchObject({ valid: false });
	});

	it('docs/openapi.json has every endpoint of docs/api.md and every event of the API', () => {
		const { paths, webhooks } = described.parse(plain);
		const calls = (under: Readonly<Record<string, object>>) =>
			Object.entries(under).flatMap(([path, methods]) =>
				Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
			);
		const rows = [...readFileSync(join(DOCS, 'api.md'), 'utf8').matchAll(/^\| \[`((?:GET|POST) \/[^`]+)`\]/gm)];
		expect(calls(paths).sort()).toEqual(rows.map(([, call]) => call).sort());
		expect(calls(webhooks).sort()).toEqual([
			'POST message.status',
			'POST sms.inbound',
			'POST wallet.low_balance',
			'POST whatsapp.inbound',
		]);
	});
});
