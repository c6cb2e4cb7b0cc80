import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The pages' scripts, styles and source maps by file name, such as `dashboard.js`, and their `icon.svg`. */
export type Bundle = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/**
 * Creates the function that returns the files of all pages. Its first call builds them, so a server starts without a
 * build. Each process builds them once.
 * @param folder has a folder with an `index.tsx` for each page
 */
export function createBundles(folder: string): () => Promise<Bundle> {
	let bundle: Promise<Bundle> | undefined;
	return async () => {
		if (!bundle) {
			bundle = build(folder);
			// The next request tries again.
			bundle.catch(() => (bundle = undefined));
		}
		return await bundle;
	};
}

async function build(folder: string): Promise<Bundle> {
	const files = await readdir(folder, { recursive: true });
	const entries = files.filter((file) => basename(file) === 'index.tsx');
	const esbuild = await import('esbuild');
	try {
		const { outputFiles } = await esbuild.build({
			entryPoints: Object.fromEntries(entries.map((file) => [dirname(file), join(folder, file)])),
			bundle: true,
			write: false,
			outdir: '/',
			format: 'esm',
			target: 'es2024',
			jsx: 'automatic',
			jsxImportSource: 'preact',
			minify: true,
			sourcemap: 'linked',
			legalComments: 'none',
		});
		// A new copy, because esbuild's are views of its whole output.
		const bundle = new Map(outputFiles.map(({ path, contents }) => [basename(path), new Uint8Array(contents)]));
		return bundle.set('icon.svg', new Uint8Array(await readFile(join(__dirname, '..', 'icon.svg'))));
	} finally {
		// Its process would otherwise run as long as this one.
		await esbuild.stop();
	}
}
