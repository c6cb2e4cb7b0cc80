import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Hono } from 'hono';
import { type Access, dashboardPage } from './ui/dashboardPage';

const folder = join(__dirname, 'ui');

/** Files that the pages may load, by path. The server reads no other file from disk. */
const files = [
	{ path: '/phone', name: 'phone.html', type: 'text/html; charset=utf-8' },
	{ path: '/checkout/:reference', name: 'checkout.html', type: 'text/html; charset=utf-8' },
	{ path: '/ui/checkout.js', name: 'checkout.js', type: 'text/javascript; charset=utf-8' },
	{ path: '/ui/checkout.css', name: 'checkout.css', type: 'text/css; charset=utf-8' },
	{ path: '/ui/phone.js', name: 'phone.js', type: 'text/javascript; charset=utf-8' },
	{ path: '/ui/phone.css', name: 'phone.css', type: 'text/css; charset=utf-8' },
	{ path: '/ui/theme.css', name: 'theme.css', type: 'text/css; charset=utf-8' },
	{ path: '/ui/dashboard/dashboard.css', name: 'dashboard/dashboard.css', type: 'text/css; charset=utf-8' },
	{ path: '/ui/icon.svg', name: 'icon.svg', type: 'image/svg+xml' },
] as const;

/** Scripts of the dashboard, from `ui/dashboard`. Each has the same name in its path. */
const scripts = [
	'access',
	'badge',
	'bulkSends',
	'call',
	'callbacks',
	'chart',
	'clock',
	'contacts',
	'copyButton',
	'dialog',
	'faults',
	'firstMessage',
	'form',
	'format',
	'inbox',
	'keys',
	'live',
	'magicValues',
	'make',
	'messages',
	'optOuts',
	'overview',
	'phone',
	'problem',
	'rows',
	'section',
	'senderIds',
	'settings',
	'settingsForm',
	'start',
	'table',
	'time',
	'toast',
	'topUps',
	'transactions',
].map((name) => ({
	path: `/ui/dashboard/${name}.js`,
	name: `dashboard/${name}.js`,
	type: 'text/javascript; charset=utf-8',
}));

const HEADERS = {
	'content-security-policy':
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	'x-content-type-options': 'nosniff',
	'referrer-policy': 'no-referrer',
	'cache-control': 'no-cache',
};

/** The dashboard shows the phone in a frame. Pages of another origin may frame neither. */
const POLICY = HEADERS['content-security-policy'];
const DASHBOARD_HEADERS = { ...HEADERS, 'content-security-policy': `${POLICY}; frame-src 'self'` };
const PHONE_HEADERS = {
	...HEADERS,
	'content-security-policy': POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'"),
};

/**
 * Creates the sandbox's pages: `/` is the dashboard, `/phone` a simulated phone, `/checkout/:reference` the checkout of
 * a top-up.
 * @param access base URL and API key that the dashboard shows
 */
export function createPages(access: Access): Hono {
	const pages = new Hono();
	pages.get('/', (c) => c.html(dashboardPage(access), 200, DASHBOARD_HEADERS));
	for (const { path, name, type } of [...files, ...scripts]) {
		const headers = path === '/phone' ? PHONE_HEADERS : HEADERS;
		pages.get(path, async (c) => {
			const content = await readFile(join(folder, name), 'utf8');
			return c.body(content, 200, { ...headers, 'content-type': type });
		});
	}
	return pages;
}
