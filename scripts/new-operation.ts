import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { formatFiles } from './lib/formatFiles';
import { applyEdit, operationFiles, readOperation } from './lib/operationFiles';

const USAGE =
	'Usage: npm run new:operation -- quote.get GET /quotes/{id} [--once] [--charges UNIT] [--root FOLDER]\n' +
	'Use --once if the call may cost money or change something, --charges for the unit that it is charged by.';

/**
 * `npm run new:operation`: writes the files of a new operation with a new resource, and adds them to the tables. Then it
 * prints the steps that are left. It overwrites nothing.
 */
function main(): void {
	const { positionals, values } = parseArgs({
		allowPositionals: true,
		options: { once: { type: 'boolean' }, charges: { type: 'string' }, root: { type: 'string' } },
	});
	const root = resolve(values.root ?? join(import.meta.dirname, '..'));
	const operation = readOperation(positionals, values);
	const { created, edits } = operationFiles(operation);
	for (const path of Object.keys(created)) {
		if (existsSync(join(root, path))) throw new Error(`${path} exists. Add the operation by hand, see CONTRIBUTING.md`);
	}
	const files = new Map(Object.entries(created));
	for (const edit of edits) {
		const source = files.get(edit.path) ?? readFileSync(join(root, edit.path), 'utf8');
		files.set(edit.path, applyEdit(source, edit));
	}
	for (const [path, text] of files) {
		const file = join(root, path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
	}
	formatFiles(root, [...files.keys()]);
	console.log(['Wrote', ...[...files.keys()].map((path) => `  ${path}`), '', leftFor(operation.resource)].join('\n'));
}

function leftFor(resource: string): string {
	return [
		'Left for you, see CONTRIBUTING.md:',
		`  shared/contract/${resource}.ts: the fields, the errors, an example`,
		`  sandbox/handlers/${resource}.ts: the response, and the charge if it costs money`,
		'  the n8n operation and the Zapier step: fields, outputs and descriptions',
		'  test/support/operationCases.ts: values that the operation rejects',
		'  a test in test/sandbox/, in test/shared/endpoints.test.ts and in test/zapier/',
		'  docs/api.md, docs/assumptions.md, docs/n8n.md and CHANGELOG.md',
		'  then: npm run generate',
		'  npx jest test/zapier/app.test.ts -u',
		'  UPDATE_GOLDEN=1 npx jest test/nodes/errors.golden.test.ts',
	].join('\n');
}

try {
	main();
} catch (error) {
	console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
	process.exitCode = 1;
}
