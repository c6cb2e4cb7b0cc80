import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { openApiDocument } from './lib/openapi';

/** Writes docs/openapi.json from the contract. Run `npm run generate` after each change of the contract. */
async function main(): Promise<void> {
	const file = join(import.meta.dirname, '..', 'docs', 'openapi.json');
	const options = await resolveConfig(file);
	writeFileSync(file, await format(JSON.stringify(openApiDocument()), { ...options, filepath: file }));
}

void main();
