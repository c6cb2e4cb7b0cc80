import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Measures the time and heap to load a production build of the client, as ratios to undici alone in the same run.
 * Run: `npm run bench`.
 */
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const root = join(import.meta.dirname, '..', '..');

async function bundle(name: string, contents: string): Promise<string> {
	const outfile = join(folder, `${name}.cjs`);
	await build({
		stdin: { contents, resolveDir: root, loader: 'ts' },
		outfile,
		bundle: true,
		platform: 'node',
		format: 'cjs',
		logLevel: 'error',
	});
	return outfile;
}

interface Cost {
	readonly ms: number;
	readonly heapMb: number;
}

/** Loads a file several times, each in a new process, and returns the medians. */
function load(file: string): Cost {
	const program = `
		gc(); const heap = process.memoryUsage().heapUsed; const began = performance.now();
		const loaded = require(${JSON.stringify(file)}); const ms = performance.now() - began; gc();
		console.log(JSON.stringify({ ms, heapMb: (process.memoryUsage().heapUsed - heap) / 1e6, loaded: typeof loaded }));`;
	const runs = Array.from({ length: 9 }, () => {
		const printed = execFileSync(process.execPath, ['--expose-gc', '-e', program], { encoding: 'utf8' });
		return JSON.parse(printed) as Cost;
	});
	return runs.sort((a, b) => a.ms - b.ms)[4] ?? { ms: 0, heapMb: 0 };
}

const contenders = {
	'undici alone': `export { request } from 'undici';`,
	'client without a transport': `export { createClient } from './shared/client/client';`,
	'client with undici': `export { createClient } from './shared/client/client'; export { undiciTransport } from './shared/transports/undici';`,
	'everything in shared/index.ts': `export * from './shared';`,
};
let base: Cost | undefined;
for (const [name, contents] of Object.entries(contenders)) {
	const cost = load(await bundle(name.replaceAll(/\W+/g, '-'), contents));
	base ??= cost;
	const ratio = (cost.ms / base.ms).toFixed(2);
	console.log(
		`start: ${name}: ${ratio}x the time of undici alone (${cost.ms.toFixed(0)} ms, ${cost.heapMb.toFixed(1)} MB heap)`,
	);
}
rmSync(folder, { recursive: true, force: true });
