import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Hono } from 'hono';
import { type Access, homePage } from './ui/homePage';

const folder = join(__dirname, 'ui');

/** The files of the pages, by path; nothing else is ever read from the disk. */
const files = [
	{ path: '/phone', name: 'phone.html', type: 'text/html; charset=utf-8' },
	{ path: '/checkout/:reference', name: 'checkout.html', type: 'text/html; charset=utf-8' },
	{ path: '/ui/checkout.js', name: 'checkout.js', type: 'text/javascript; charset=utf-8' },
	{ path: '/ui/checkout.css', name: 'checkout.css', type: 'text/css; charset=utf-8' },
	{ path: '/ui/phone.js', name: 'phone.js', type: 'text/javascript; charset=utf-8' },
	{ path: '/ui/phone.css', name: 'phone.css', type: 'text/css; charset=utf-8' },
	{ path: '/ui/theme.css', name: 'theme.css', type: 'text/css; charset=utf-8' },
	{ path: '/ui/home.css', name: 'home.css', type: 'text/css; charset=utf-8' },
	{ path: '/ui/icon.svg', name: 'icon.svg', type: 'image/svg+xml' },
] as const;

const HEADERS = {
	'content-security-policy':
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	'x-content-type-options': 'nosniff',
	'referrer-policy': 'no-referrer',
	'cache-control': 'no-cache',
};

/**
 * The sandbox's pages: `/` says what this is, `/phone` is a phone to text with, `/checkout/:reference` is
 * where a top-up is paid.
 * @param access what somebody needs to reach the API, for the home page
 */
export function createPages(access: Access): Hono {
	const pages = new Hono();
	pages.get('/', (c) => c.html(homePage(access), 200, HEADERS));
	for (const { path, name, type } of files) {
		pages.get(path, async (c) => {
			const content = await readFile(join(folder, name), 'utf8');
			return c.body(content, 200, { ...HEADERS, 'content-type': type });
		});
	}
	return pages;
}
