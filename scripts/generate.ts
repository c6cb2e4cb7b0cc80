import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { relayOpenApi } from '../relay/http/openapi';
import { formatFiles } from './lib/formatFiles';
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
function main(): void {
	const written: string[] = [];
	const write = (path: string, text: string) => {
		writeFileSync(join(ROOT, path), text);
		written.push(path);
	};
	write('docs/openapi.json', JSON.stringify(openApiDocument()));
	write('docs/relay-openapi.json', JSON.stringify(relayOpenApi()));
	for (const table of generatedTables()) {
		write(table.page, replaceTable(readFileSync(join(ROOT, table.page), 'utf8'), table));
	}
	const owner = readOwner(ROOT);
	for (const file of ownedFiles) {
		const path = join(ROOT, file.path);
		const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
		write(file.path, file.write(text, owner));
	}
	for (const path of versionedFiles) {
		const file = join(ROOT, path);
		writeFileSync(file, writeVersion(readFileSync(file, 'utf8'), project.version));
	}
	formatFiles(ROOT, written);
}

main();
