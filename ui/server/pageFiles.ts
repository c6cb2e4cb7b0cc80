import { extname } from 'node:path';
import { createBundles } from './bundles';

const TYPES: Readonly<Record<string, string>> = {
	'.css': 'text/css; charset=utf-8',
	'.js': 'text/javascript; charset=utf-8',
	'.map': 'application/json; charset=utf-8',
	'.svg': 'image/svg+xml',
};

/** The headers of every page and file. Scripts, styles and requests stay on the page's own server. */
export const PAGE_HEADERS = {
	'content-security-policy':
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	'x-content-type-options': 'nosniff',
	'referrer-policy': 'no-referrer',
	'cache-control': 'no-cache',
};

/** A file of a page, and the headers of its response. */
export interface PageFile {
	readonly content: Uint8Array<ArrayBuffer>;
	readonly headers: Readonly<Record<string, string>>;
}

/**
 * Creates the function that reads the scripts, styles and the icon of a server's pages, for the routes `/ui/<file>`.
 * @param folder has a folder with an `index.tsx` for each page
 * @returns the function. It returns undefined if there is no such file
 */
export function createPageFiles(folder: string): (file: string) => Promise<PageFile | undefined> {
	const readBundle = createBundles(folder);
	return async (file) => {
		const content = (await readBundle()).get(file);
		const type = TYPES[extname(file)] ?? 'application/octet-stream';
		return content && { content, headers: { ...PAGE_HEADERS, 'content-type': type } };
	};
}
