import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { localFolder, projectFolder } from '../../scripts/lib/paths.mjs';

/**
 * Runs the benchmarks one after the other, from production builds: `npm run bench`, or `npm run bench client` for one.
 */
const all = ['start', 'client', 'memory', 'segments', 'sandbox', 'zapier', 'relay', 'sends'];
/** Benchmarks that start a real n8n. Arguments after the name go to them. */
const inN8n = ['nodes', 'trigger', 'batches'];
const asked = process.argv.slice(2);
const folder = join(localFolder, 'bench');
mkdirSync(folder, { recursive: true });
for (const name of all.filter((candidate) => asked.length === 0 || asked[0] === candidate)) {
	const outfile = join(folder, `${name}.mjs`);
	await build({
		entryPoints: [join(projectFolder, 'test', 'bench', `${name}.mts`)],
		outfile,
		bundle: true,
		platform: 'node',
		format: 'esm',
		packages: 'external',
		define: { 'import.meta.dirname': JSON.stringify(join(projectFolder, 'test', 'bench')) },
		logLevel: 'error',
	});
	const { status } = spawnSync(process.execPath, ['--expose-gc', outfile, ...asked.slice(1)], {
		cwd: projectFolder,
		stdio: 'inherit',
	});
	if (status !== 0) process.exit(status ?? 1);
}
for (const name of inN8n.filter((candidate) => asked.length === 0 || asked[0] === candidate)) {
	const program = join(projectFolder, 'test', 'bench', `${name}.mjs`);
	const { status } = spawnSync(process.execPath, [program, ...asked.slice(1)], {
		cwd: projectFolder,
		stdio: 'inherit',
	});
	if (status !== 0) process.exit(status ?? 1);
}
