import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { isDocPicture } from './docPictures';

const projectFolder = join(__dirname, '..', '..', '..');

const viewport = { width: 1280, height: 800 };

/** Starts the Chromium that `npm run test:e2e` found. */
export async function startBrowser(): Promise<Browser> {
	const executablePath = process.env.CHROMIUM_PATH;
	if (!executablePath) throw new Error('CHROMIUM_PATH is not set: run this with npm run test:e2e');
	return await chromium.launch({
		executablePath,
		args: [
			// In a container Chromium runs as root, which its own sandbox does not allow.
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
 * Opens a separate browser profile that can reach only this machine.
 * @returns `strays` collects the URLs of blocked requests
 */
export async function openProfile(browser: Browser): Promise<{ context: BrowserContext; strays: string[] }> {
	const context = await browser.newContext({ viewport });
	const strays: string[] = [];
	await context.addInitScript(askSoon);
	await context.route(
		(url) => url.hostname !== '127.0.0.1',
		async (route) => {
			strays.push(route.request().url());
			await route.abort();
		},
	);
	return { context, strays };
}

/**
 * A form of n8n asks for its next page a second after it was sent, and later at longer intervals. This lets it ask 20 times a
 * second, so that tests do not wait for the second.
 */
function askSoon(): void {
	window.setTimeout = new Proxy(window.setTimeout, {
		apply(setTimeout, self, [callback, milliseconds, ...args]: unknown[]): unknown {
			const asks = typeof callback === 'function' && callback.name === 'checkExecutionStatus';
			const timer: unknown = Reflect.apply(setTimeout, self, [callback, asks ? 50 : milliseconds, ...args]);
			return timer;
		},
	});
}

/** The part of a page in a picture, and the picture's folder in the documentation. */
export interface PictureOptions {
	/** Part of the page, by default all of the viewport. */
	readonly clip?: { x: number; y: number; width: number; height: number };
	/** Folder in the project, by default docs/images. */
	readonly folder?: string;
}

/** Whether this run takes pictures. They take long, and only a change of the docs or a look at the pages needs them. */
export const takesPictures = (): boolean => process.env.UPDATE_SCREENSHOTS === '1';

/**
 * With UPDATE_SCREENSHOTS=1, takes a picture, and replaces the one in the documentation if the documentation has it.
 * @param name file name without its extension
 */
export async function takePicture(
	page: Page,
	name: string,
	{ clip, folder = 'docs/images' }: PictureOptions = {},
): Promise<void> {
	if (!takesPictures()) return;
	const taken = join(projectFolder, '.local', 'screenshots');
	mkdirSync(taken, { recursive: true });
	const file = join(taken, `${name}.png`);
	await page.screenshot({ path: file, animations: 'disabled', ...(clip && { clip }) });
	if (folder === 'docs/images' && !isDocPicture(`${name}.png`)) return;
	const images = join(projectFolder, folder);
	mkdirSync(images, { recursive: true });
	copyFileSync(file, join(images, `${name}.png`));
}
