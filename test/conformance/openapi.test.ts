import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../../scripts/openapi';
import { endpoints, events } from '../../shared';

const written: unknown = JSON.parse(readFileSync(join(__dirname, '..', '..', 'docs', 'openapi.json'), 'utf8'));
const document = openApiDocument();
const plain = JSON.parse(JSON.stringify(document)) as object;

/** Asks the public validator, in a process of its own: it is an ES module, which jest does not load. */
function validate(specification: object): unknown {
	const program = `
		import { Validator } from '@seriousme/openapi-schema-validator';
		import { text } from 'node:stream/consumers';
		const validator = new Validator();
		const { valid } = await validator.validate(JSON.parse(await text(process.stdin)));
		console.log(JSON.stringify({ valid, version: validator.version }));`;
	const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
		input: JSON.stringify(specification),
		encoding: 'utf8',
	});
	if (stderr) throw new Error(stderr);
	return JSON.parse(stdout);
}

describe('docs/openapi.json', () => {
	it('is what the contract says now (else: npm run generate)', () => {
		expect(written).toEqual(plain);
	});

	it('is valid OpenAPI 3.1', () => {
		expect(validate(plain)).toEqual({ valid: true, version: '3.1' });
	});

	it('would not be valid with a mistake in it', () => {
		const broken = { ...plain, paths: { '/sms/send': { post: { responses: 'none' } } } };
		expect(validate(broken)).toMatchObject({ valid: false });
	});

	it('has every endpoint and every event', () => {
		const text = JSON.stringify(plain);
		for (const { id } of [...endpoints, ...Object.values(events)]) expect(text).toContain(`"operationId":"${id}"`);
		expect(endpoints).toHaveLength(17);
		expect(Object.values(events)).toHaveLength(4);
	});
});
