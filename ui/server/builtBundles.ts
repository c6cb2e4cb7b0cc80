import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bundle } from './bundles';

/**
 * Takes the place of `bundles.ts` in a published package, which has no esbuild: reads the files of all pages, which
 * `npm run build:packages` has built into the folder `pages` beside the program.
 */
export function createBundles(): () => Promise<Bundle> {
	let bundle: Promise<Bundle> | undefined;
	return async () => await (bundle ??= read(join(__dirname, 'pages')));
}

async function read(folder: string): Promise<Bundle> {
	const names = await readdir(folder);
	return new Map(
		await Promise.all(names.map(async (name) => [name, new Uint8Array(await readFile(join(folder, name)))] as const)),
	);
}
