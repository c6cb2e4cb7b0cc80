import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { zipSync } from '../zapier/node_modules/fflate/esm/index.mjs';
import { projectFolder, zapierFolder } from './lib/paths.mjs';

/**
 * Omits zod's error texts in languages other than English: a quarter of the bundle, which Node would read at every start.
 *
 * @type {import('esbuild').Plugin}
 */
const englishOnly = {
	name: 'english-only',
	setup: (app) =>
		app.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: 'export {}' })),
};

/**
 * A copy of the app to upload. The public one keeps Zapier's requirements for its app directory: https only, no payments, and
 * one host if the owner names one. The private one is for the owner's own account.
 *
 * @typedef {{ name: 'public', onlyHost?: string, keysPage?: string } | { name: 'private' }} Edition
 */

/**
 * Writes the modules in which an uploaded app differs from the local one.
 *
 * @param {Edition} edition
 * @returns {Map<string, string>} contents by file name
 */
function modulesOf(edition) {
	const { name, ...owners } = edition;
	const settings = { plainHttp: name === 'public' ? 'nowhere' : 'loopback', ...owners };
	const modules = new Map([['edition.ts', `export const EDITION = ${JSON.stringify(settings)};`]]);
	if (name === 'public') modules.set('privateCreates.ts', 'export const privateCreates = {}, privateSearches = {};');
	return modules;
}

/**
 * Replaces the modules in which the uploaded app differs from the local one.
 *
 * @param {Edition} edition
 * @returns {import('esbuild').Plugin}
 */
function asUploaded(edition) {
	const replaced = modulesOf(edition);
	return {
		name: 'as-uploaded',
		setup(app) {
			const left = new Set(replaced.keys());
			app.onLoad({ filter: /[\\/]zapier[\\/](runtime[\\/]edition|privateCreates)\.ts$/ }, ({ path }) => {
				const contents = replaced.get(basename(path));
				left.delete(basename(path));
				return contents === undefined ? undefined : { contents };
			});
			// Otherwise a renamed module would be published without its replacement.
			app.onEnd(() => {
				if (left.size > 0)
					throw new Error(
						`These modules were not found in the app, so they were not replaced: ${[...left].join(', ')}`,
					);
			});
		},
	};
}

/**
 * Bundles the app and our shared code into one file, without Zapier's core.
 *
 * @param {Edition} edition
 */
async function bundleApp(edition) {
	await build({
		entryPoints: ['zapier/app.ts'],
		outfile: 'zapier/dist/app.js',
		absWorkingDir: projectFolder,
		bundle: true,
		platform: 'node',
		format: 'cjs',
		target: 'node22',
		external: ['zapier-platform-core'],
		plugins: [englishOnly, asUploaded(edition)],
		// Names are kept, for readable stack traces in Zapier's logs.
		minifyWhitespace: true,
		minifySyntax: true,
		logLevel: 'warning',
	});
}

/**
 * Finds the loaded files of Zapier's core and its dependencies, as Zapier's own build does.
 *
 * @returns {Promise<string[]>} paths below `zapier/`, including each package's `package.json`
 */
async function coreFiles() {
	const { metafile } = await build({
		stdin: { contents: "require('zapier-platform-core')", resolveDir: zapierFolder },
		absWorkingDir: zapierFolder,
		bundle: true,
		write: false,
		metafile: true,
		platform: 'node',
		format: 'cjs',
		// Like Node, ignore the condition `module`.
		conditions: [],
		external: ['../test/userapp'],
		logLevel: 'warning',
		logOverride: { 'require-resolve-not-external': 'silent' },
	});
	const files = Object.keys(metafile.inputs).filter((file) => file.startsWith('node_modules/'));
	const manifests = files.map((file) => file.replace(/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\/.*$/, '$1/package.json'));
	return [...new Set([...files, ...manifests])];
}

/**
 * Runs the uploaded form of the app, in a separate process.
 *
 * @param {string} folder the folder with the app's files
 * @returns {{ errors: unknown[], definition: unknown }} the errors of Zapier's schema, and the definition
 */
function runApp(folder) {
	const program = `const { handler } = require('./zapierwrapper.js');
		const run = async (command) => (await handler({ command, calledFromCli: true })).results;
		(async () => process.stdout.write(
			JSON.stringify({ errors: await run('validate'), definition: await run('definition') })))()`;
	return JSON.parse(execFileSync(process.execPath, ['-e', program], { cwd: folder, encoding: 'utf8' }));
}

/**
 * Makes a reproducible zip: the same files give the same bytes on every machine.
 *
 * @param {Record<string, Uint8Array>} files by name in the zip
 */
function zip(files) {
	/** @type {import('../zapier/node_modules/fflate/esm/index.mjs').ZipOptions} */
	const options = { level: 9, mtime: new Date(1980, 0, 1), os: 3, attrs: (0o100644 << 16) >>> 0 };
	const sorted = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
	return zipSync(Object.fromEntries(sorted.map(([name, content]) => [name, [content, options]])));
}

/**
 * Builds the files that Zapier runs, without a network: wrapper, app, definition, and the loaded files of its core.
 *
 * @param {Edition} edition
 * @returns {Promise<Record<string, Uint8Array>>} files by name in the zip
 * @throws {Error} with the errors of Zapier's schema
 */
async function buildFiles(edition) {
	await bundleApp(edition);
	const files = Object.fromEntries(
		['index.js', 'package.json', 'dist/app.js', ...(await coreFiles())].map((file) => [
			file,
			readFileSync(join(zapierFolder, file)),
		]),
	);
	files['zapierwrapper.js'] = readFileSync(
		join(zapierFolder, 'node_modules/zapier-platform-core/include/zapierwrapper.js'),
	);
	const folder = mkdtempSync(join(tmpdir(), 'zapier-build-'));
	try {
		for (const [name, content] of Object.entries(files)) {
			mkdirSync(join(folder, dirname(name)), { recursive: true });
			writeFileSync(join(folder, name), content);
		}
		const { errors, definition } = runApp(folder);
		if (errors.length > 0)
			throw new Error(`The app does not match Zapier's schema: ${JSON.stringify(errors, null, 2)}`);
		files['definition.json'] = Buffer.from(JSON.stringify(definition, null, 2));
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
	return files;
}

/** Reads the sources, which an upload to Zapier includes beside the build. */
function sourceFiles() {
	const names = globSync(['zapier/**/*', 'shared/**/*'], {
		cwd: projectFolder,
		exclude: (name) => /^(node_modules|dist|build)$/.test(name),
	}).filter((name) => /\.(ts|js|json|md)$/.test(name));
	return Object.fromEntries(names.map((name) => [name, readFileSync(join(projectFolder, name))]));
}

/**
 * Reads the settings of the public app.
 *
 * @param {string} file `owner.json`, or another one like it
 * @returns {Edition}
 */
function publicEdition(file) {
	const { zapierApiHost, zapierKeysPage } = JSON.parse(readFileSync(file, 'utf8'));
	return { name: 'public', onlyHost: zapierApiHost || undefined, keysPage: zapierKeysPage || undefined };
}

/**
 * Usage: node scripts/zapier-build.mjs [--public | --private] [--owner FILE] [--app-only] [--out FOLDER]. Writes build.zip and
 * source.zip, the input of `zapier-platform upload`, into zapier/build or FOLDER. With --app-only, writes only
 * zapier/dist/app.js, for Zapier's own build, in the edition of the last build. The public app is the default, with the host and
 * the page of keys in owner.json.
 */
const { values } = parseArgs({
	options: {
		public: { type: 'boolean', default: false },
		private: { type: 'boolean', default: false },
		owner: { type: 'string', default: join(projectFolder, 'owner.json') },
		'app-only': { type: 'boolean' },
		out: { type: 'string' },
	},
});
if (values.private && values.public) {
	console.error('Choose --public or --private.');
	process.exit(2);
}
/** Name of the last edition in zapier/build. Zapier's own build (`--app-only`) makes the same one. */
const lastEdition = join(zapierFolder, 'dist', 'edition.txt');
const keepsPrivate =
	values['app-only'] && !values.public && existsSync(lastEdition) && readFileSync(lastEdition, 'utf8') === 'private';
/** @type {Edition} */
const edition = values.private || keepsPrivate ? { name: 'private' } : publicEdition(values.owner);
if (values['app-only']) {
	await bundleApp(edition);
	console.log(`Built the ${edition.name} app.`);
} else {
	const folder = values.out ?? join(zapierFolder, 'build');
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'build.zip'), zip(await buildFiles(edition)));
	writeFileSync(join(folder, 'source.zip'), zip(sourceFiles()));
	// A build into another folder is no choice for this one.
	if (values.out === undefined) writeFileSync(lastEdition, edition.name);
	console.log(describe(edition, folder));
}

/**
 * @param {Edition} built
 * @param {string} folder
 */
function describe(built, folder) {
	if (built.name === 'private')
		return `Wrote the private app into ${folder}. It creates top-up links. Never make it public.`;
	return `Wrote the public app into ${folder}. It calls ${built.onlyHost ?? 'any host'} over https.`;
}
