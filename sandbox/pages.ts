import { join } from 'node:path';
import { Hono } from 'hono';
import { createPageFiles, PAGE_HEADERS } from '../ui/server/pageFiles';
import { sandboxOpenApi } from './openapi';
import { checkoutPage, docsPage, phonePage } from './ui/appPages';
import { type Access, dashboardPage } from './ui/dashboardPage';

/** Reads the scripts and styles of the pages, such as `dashboard.js`. */
const readPageFile = createPageFiles(join(__dirname, 'ui'));

/** The dashboard shows the phone in a frame. Pages of another origin may frame neither. */
const POLICY = PAGE_HEADERS['content-security-policy'];
const DASHBOARD_HEADERS = { ...PAGE_HEADERS, 'content-security-policy': `${POLICY}; frame-src 'self'` };
const PHONE_HEADERS = {
	...PAGE_HEADERS,
	'content-security-policy': POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'"),
};

/**
 * Creates the sandbox's pages: `/` is the dashboard, `/phone` a simulated phone, `/docs` the description of the API,
 * `/checkout/:reference` the checkout of a top-up.
 * @param access base URL and API key that the dashboard shows
 */
export function createPages(access: Access): Hono {
	const pages = new Hono();
	pages.get('/', (c) => c.html(dashboardPage(access), 200, DASHBOARD_HEADERS));
	pages.get('/phone', (c) => c.html(phonePage(), 200, PHONE_HEADERS));
	pages.get('/docs', (c) => c.html(docsPage(access), 200, PAGE_HEADERS));
	pages.get('/openapi.json', (c) => c.json(sandboxOpenApi(access.baseUrl)));
	pages.get('/checkout/:reference', (c) => c.html(checkoutPage(), 200, PAGE_HEADERS));
	pages.get('/ui/:file', async (c) => {
		const file = await readPageFile(c.req.param('file'));
		return file ? c.body(file.content, 200, file.headers) : c.notFound();
	});
	return pages;
}
