import { build, context } from 'esbuild';
import { cpSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/**
 * Usage: node scripts/build.mjs [--watch] [--out FOLDER]. Builds dist/, which n8n loads: one file for each node and credential,
 * including our shared code, with the icons and codex files. n8n supplies n8n-workflow and zod. A bundled zod fails n8n's
 * package scan. With --watch, builds again after each change, until it is stopped.
 */
const { values } = parseArgs({
	options: { watch: { type: 'boolean', default: false }, out: { type: 'string', default: 'dist' } },
});
const root = fileURLToPath(new URL('..', import.meta.url));
const out = resolve(root, values.out);
process.chdir(root);

const assets = () => globSync('nodes/**/*.{svg,node.json}');

/** @type {import('esbuild').Plugin} */
const copyAssets = {
	name: 'copy-assets',
	setup(nodes) {
		// esbuild watches the files that it bundles. n8n reads these itself.
		nodes.onLoad({ filter: /\.node\.ts$/ }, () => ({ watchFiles: assets().map((file) => join(root, file)) }));
		nodes.onEnd(({ errors }) => {
			if (errors.length > 0) return;
			for (const file of assets()) {
				mkdirSync(dirname(join(out, file)), { recursive: true });
				cpSync(file, join(out, file));
			}
		});
	},
};

/** @type {import('esbuild').Plugin} */
const reportBuilds = {
	name: 'report-builds',
	setup(nodes) {
		let first = true;
		nodes.onEnd(({ errors }) => {
			if (!first && errors.length === 0) process.stdout.write('Built the nodes again.\n');
			first = false;
		});
	},
};

/** @type {import('esbuild').BuildOptions} */
const options = {
	entryPoints: [...globSync('nodes/**/*.node.ts'), ...globSync('credentials/*.credentials.ts')],
	outdir: out,
	outbase: '.',
	bundle: true,
	platform: 'node',
	format: 'cjs',
	target: 'node20',
	external: ['n8n-workflow', 'zod', 'zod/*', 'crypto'],
	plugins: [copyAssets, ...(values.watch ? [reportBuilds] : [])],
	logLevel: 'warning',
};

if (values.watch) {
	await (await context(options)).watch();
} else {
	// dist/packages has other packages (build-packages.ts).
	for (const part of ['nodes', 'credentials']) rmSync(join(out, part), { recursive: true, force: true });
	await build(options);
}
