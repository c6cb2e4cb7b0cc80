import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { serve, type ServerType } from '@hono/node-server';
import { Hono } from 'hono';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openProfile, startBrowser } from '../support/e2e/browser';
import { COLOR_RULES, inEachWidth, violations } from '../support/e2e/pageChecks';
import { temporaryFolder } from '../support/temporaryFolder';

const root = join(__dirname, '..', '..');
const paths = ['/', '/n8n', '/zapier/', '/examples/', '/api', '/zapier-recipes/school-fees', '/decisions/'];
const types: Readonly<Record<string, string>> = {
	'.html': 'text/html; charset=utf-8',
	'.js': 'text/javascript',
	'.css': 'text/css',
	'.svg': 'image/svg+xml',
	'.md': 'text/markdown; charset=utf-8',
};

let folder: string;
let server: ServerType;
let url: string;
let browser: Browser;
let profile: { context: BrowserContext; strays: string[] };
let page: Page;

beforeAll(async () => {
	folder = temporaryFolder();
	const vitePress = join(root, 'site', 'node_modules', 'vitepress', 'bin', 'vitepress.js');
	await promisify(execFile)(process.execPath, [vitePress, 'build', join(root, 'site'), '--outDir', folder], {
		cwd: root,
	});
	const port = await new Promise<number>((listening) => {
		const options = { fetch: pages().fetch, port: 0, hostname: '127.0.0.1' };
		server = serve(options, (address) => listening(address.port));
	});
	url = `http://127.0.0.1:${port}`;
	browser = await startBrowser();
	profile = await openProfile(browser);
	page = await profile.context.newPage();
}, 180_000);
afterAll(async () => {
	await browser.close();
	server.close();
});

/** Serves the built files as GitHub Pages does: an address has no `.html`. */
function pages(): Hono {
	const app = new Hono();
	app.get('*', ({ req, body }) => {
		const path = decodeURI(req.path);
		const candidates = path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`];
		const file = candidates.map((candidate) => join(folder, candidate)).find((candidate) => existsSync(candidate));
		if (file === undefined) return body('Not found', 404);
		return body(readFileSync(file), 200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
	});
	return app;
}

async function open(path: string): Promise<void> {
	await page.goto(`${url}${path}`);
	await page.locator('h1').waitFor();
	// Before Vue has taken over the page, its buttons do nothing.
	await page.waitForFunction(() => '__vue_app__' in (document.querySelector('#app') ?? {}));
}

test.each([
	['the accessibility rules of axe in light mode', 'light', undefined],
	['those about colors in dark mode', 'dark', COLOR_RULES],
] as const)('the pages pass %s', async (_, colorScheme, rules) => {
	await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
	for (const path of paths) {
		await open(path);
		const found = await inEachWidth(page, async () => await violations(page, rules), [390, 1280]);
		expect([path, found]).toEqual([path, {}]);
	}
});

test('no page is wider than its window', async () => {
	for (const path of paths) {
		await open(path);
		const wide = async () => {
			const more = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
			return more > 0 ? [`${more} pixels`] : [];
		};
		expect([path, await inEachWidth(page, wide)]).toEqual([path, {}]);
	}
});

test('the search finds a section and opens it, without another server', async () => {
	await page.setViewportSize({ width: 1280, height: 900 });
	await open('/');
	await page.getByRole('button', { name: 'Search' }).click();
	await page.getByRole('searchbox').fill('send once key');
	const result = page.getByRole('option').filter({ hasText: 'Send Once Key' }).first();
	await result.click();
	await page.waitForURL(/#\w/);
	await page.locator('main h2, main h3').filter({ hasText: 'Send Once Key' }).first().waitFor();
	expect(profile.strays).toEqual([]);
});

test('a link of the first page leads to the heading on the other page', async () => {
	await page.setViewportSize({ width: 1280, height: 900 });
	await open('/');
	await page.getByRole('link', { name: 'all operations' }).click();
	await page.waitForURL(`${url}/n8n#operations`);
	await page.getByRole('heading', { name: 'The n8n nodes' }).waitFor();
});
