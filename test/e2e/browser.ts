import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const projectFolder = join(__dirname, '..', '..');

const viewport = { width: 1280, height: 800 };

/** Starts the Chromium that `npm run test:e2e` found. */
export async function startBrowser(): Promise<Browser> {
	const executablePath = process.env.CHROMIUM_PATH;
	if (!executablePath) throw new Error('CHROMIUM_PATH is not set: run this with npm run test:e2e');
	return await chromium.launch({
		executablePath,
		args: [
			// In a container Chromium runs as root, which its own sandbox refuses.
			'--no-sandbox',
			'--disable-gpu',
			'--disable-quic',
			'--no-first-run',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
		],
	});
}

/**
 * Opens a browser profile of its own in which nothing but this machine can be reached.
 * @returns `strays` collects the addresses that a page asked for in vain
 */
export async function openProfile(browser: Browser): Promise<{ context: BrowserContext; strays: string[] }> {
	const context = await browser.newContext({ viewport });
	const strays: string[] = [];
	await context.route(
		(url) => url.hostname !== '127.0.0.1',
		async (route) => {
			strays.push(route.request().url());
			await route.abort();
		},
	);
	return { context, strays };
}

/** What of a page is in a picture, and where it is kept in the documentation. */
export interface PictureOptions {
	/** Part of the page; all that is visible unless given. */
	readonly clip?: { x: number; y: number; width: number; height: number };
	/** Folder in the project; docs/images unless given. */
	readonly folder?: string;
}

/**
 * Takes a picture; with UPDATE_SCREENSHOTS=1 it becomes the one in the documentation, too.
 * @param name file name without its ending
 */
export async function takePicture(
	page: Page,
	name: string,
	{ clip, folder = 'docs/images' }: PictureOptions = {},
): Promise<void> {
	const taken = join(projectFolder, '.local', 'screenshots');
	mkdirSync(taken, { recursive: true });
	const file = join(taken, `${name}.png`);
	await page.screenshot({ path: file, animations: 'disabled', ...(clip && { clip }) });
	if (process.env.UPDATE_SCREENSHOTS !== '1') return;
	const images = join(projectFolder, folder);
	mkdirSync(images, { recursive: true });
	copyFileSync(file, join(images, `${name}.png`));
}
