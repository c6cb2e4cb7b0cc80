import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { openApiDocument } from './openapi';

/** Writes what is generated from the contract: `npm run generate`, after every change of it. */
async function main(): Promise<void> {
	const file = join(import.meta.dirname, '..', 'docs', 'openapi.json');
	const options = await resolveConfig(file);
	writeFileSync(file, await format(JSON.stringify(openApiDocument()), { ...options, filepath: file }));
}

void main();
