import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod/v4';
import { unexpectedFiles } from './lib/release/contents';
import { writeOutputs } from './lib/release/outputs';

const root = join(import.meta.dirname, '..');
const packResult = z
	.array(
		z.looseObject({
			filename: z.string(),
			integrity: z.string(),
			size: z.number(),
			files: z.array(z.looseObject({ path: z.string() })),
		}),
	)
	.length(1);

/**
 * `npm run release:pack [-- --out FOLDER]`: packs the built n8n package, and checks the very file that is published: its
 * contents, and n8n's scan of the source and of the file. Sets the output `tarball` of a workflow to its path.
 */
function main(): void {
	const { values } = parseArgs({
		options: { out: { type: 'string', default: join(root, '.local', 'release') } },
	});
	const out = resolve(values.out);
	rmSync(out, { recursive: true, force: true });
	mkdirSync(out, { recursive: true });
	// Without a second build: this packs the files that the workflow built.
	const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', out];
	const json = execFileSync('npm', args, { cwd: root, encoding: 'utf8' });
	const [packed] = packResult.parse(JSON.parse(json));
	if (packed === undefined) throw new Error('npm packed nothing.');
	const unexpected = unexpectedFiles(packed.files.map(({ path }) => path));
	if (unexpected.length > 0) {
		throw new Error(`The package has files that don't belong in it: ${unexpected.join(', ')}`);
	}
	const tarball = join(out, packed.filename);
	execFileSync('tar', ['xzf', tarball, '-C', out]);
	scan('source', root);
	scan('packed', join(out, 'package'));
	writeOutputs({ tarball });
	console.log(`${tarball}: ${packed.files.length} files, ${packed.size} bytes, ${packed.integrity}`);
}

/**
 * Runs n8n's scan, without its downloads.
 *
 * @throws Error with the findings of the scan
 */
function scan(kind: 'source' | 'packed', folder: string): void {
	const { status, stderr } = spawnSync(
		process.execPath,
		[join(root, 'scripts', 'n8n-scan', 'scan.mjs'), kind, folder],
		// The rules expect other file names while NODE_ENV is test.
		{ encoding: 'utf8', env: { PATH: process.env.PATH } },
	);
	if (status !== 0) throw new Error(`The ${kind} package does not pass n8n's scan.\n${stderr}`);
}

try {
	main();
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	console.error('Nothing was published.');
	process.exitCode = 1;
}
