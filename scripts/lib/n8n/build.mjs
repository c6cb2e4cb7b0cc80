import { build, context } from 'esbuild';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { projectFolder } from '../paths.mjs';
import { SetupError } from '../setup-error.mjs';

/**
 * Finds source files of the nodes or the credentials.
 *
 * @param {'nodes' | 'credentials'} folder
 * @param {RegExp} name
 * @returns {string[]} paths in the repository. Node 20 has no `globSync`
 */
const find = (folder, name) =>
	readdirSync(join(projectFolder, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => name.test(file))
		.map((file) => join(folder, file));

const assets = () => find('nodes', /\.(svg|node\.json)$/);

/** The parts of a build. */
const parts = ['nodes', 'credentials'];

/**
 * Rejects a folder with source files where the build writes, such as the project folder, because it would delete them.
 *
 * @param {string} out absolute path
 * @throws {SetupError} if it has some
 */
function requireNoSources(out) {
	const folders = parts.map((part) => join(out, part)).filter((folder) => existsSync(folder));
	const files = folders.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }));
	if (!files.some((file) => file.endsWith('.ts'))) return;
	throw new SetupError(
		`The build cannot write to ${out}, because it would delete source files there.`,
		'Choose another folder with --out. Without --out, the build writes to dist.',
	);
}

/**
 * Builds the files that n8n loads: one for each node and credential, including our shared code, with the icons and codex files.
 * n8n supplies n8n-workflow and zod. A bundled zod fails n8n's package scan.
 *
 * @param {{ watch: boolean, out: string }} options `out`: the folder, relative to the repository; `watch`: build again after each
 * change, until the process ends
 * @throws {SetupError} if `out` has source files
 * @throws {Error} if a file cannot be built. esbuild shows the reason
 */
export async function buildNodes({ watch, out: folder }) {
	const out = resolve(projectFolder, folder);
	requireNoSources(out);
	/** @type {import('esbuild').Plugin} */
	const copyAssets = {
		name: 'copy-assets',
		setup(nodes) {
			// esbuild watches the files that it bundles. n8n reads these itself.
			const watchFiles = () => assets().map((file) => join(projectFolder, file));
			nodes.onLoad({ filter: /\.node\.ts$/ }, () => ({ watchFiles: watchFiles() }));
			nodes.onEnd(({ errors }) => {
				if (errors.length > 0) return;
				for (const file of assets()) {
					mkdirSync(dirname(join(out, file)), { recursive: true });
					cpSync(join(projectFolder, file), join(out, file));
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
		entryPoints: [...find('nodes', /\.node\.ts$/), ...find('credentials', /^[^/]+\.credentials\.ts$/)],
		absWorkingDir: projectFolder,
		outdir: out,
		outbase: '.',
		bundle: true,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		external: ['n8n-workflow', 'zod', 'zod/*', 'crypto'],
		plugins: [copyAssets, ...(watch ? [reportBuilds] : [])],
		logLevel: 'warning',
	};

	if (watch) {
		await (await context(options)).watch();
	} else {
		// dist/packages has other packages (build-packages.ts).
		for (const part of parts) rmSync(join(out, part), { recursive: true, force: true });
		await build(options);
	}
}
