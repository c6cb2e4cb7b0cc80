import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { relayOpenApi } from '../relay/http/openapi';
import { openApiDocument } from './lib/openapi';
import { generatedTables, replaceTable } from './lib/operationTables';
import project from '../package.json';
import { ownedFiles, readOwner } from './lib/owner';
import { versionedFiles, writeVersion } from './lib/release/versionedFiles';

const ROOT = join(import.meta.dirname, '..');

/**
 * Writes docs/openapi.json from the contract, docs/relay-openapi.json from the relay's schemas, the tables of operations in the pages
 * from the n8n node and the Zapier app, the names of the owner from owner.json, and the version of the project. Run `npm run generate` after each change of them.
 */
async function main(): Promise<void> {
	await write('docs/openapi.json', JSON.stringify(openApiDocument()));
	await write('docs/relay-openapi.json', JSON.stringify(relayOpenApi()));
	for (const table of generatedTables()) {
		await write(table.page, replaceTable(readFileSync(join(ROOT, table.page), 'utf8'), table));
	}
	const owner = readOwner(ROOT);
	for (const file of ownedFiles) {
		const path = join(ROOT, file.path);
		const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
		await write(file.path, file.write(text, owner));
	}
	for (const path of versionedFiles) {
		const file = join(ROOT, path);
		writeFileSync(file, writeVersion(readFileSync(file, 'utf8'), project.version));
	}
}

async function write(path: string, text: string): Promise<void> {
	const file = join(ROOT, path);
	const options = await resolveConfig(file);
	writeFileSync(file, await format(text, { ...options, filepath: file }));
}

void main();
