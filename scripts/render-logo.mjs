import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { ensureChromium } from './lib/install/chromium.mjs';
import { zapierFolder } from './lib/paths.mjs';
import { printError } from './lib/setup-error.mjs';

/** Widths of the files in pixels. Zapier asks for at least 256, and for a larger one if there is one. */
const SIZES = [256, 512];

/** `npm run logo`: draws zapier/logo/logo.svg as PNG files with a transparent background, for the forms of Zapier. */
async function main() {
	const folder = join(zapierFolder, 'logo');
	const svg = readFileSync(join(folder, 'logo.svg'), 'utf8');
	const executablePath = await ensureChromium({ install: false });
	const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
	try {
		for (const size of SIZES) {
			const page = await browser.newPage({ viewport: { width: size, height: size } });
			await page.setContent(
				`<style>body { margin: 0 } svg { display: block; width: 100vw; height: 100vh }</style>${svg}`,
			);
			await page.screenshot({ path: join(folder, `logo-${size}.png`), omitBackground: true });
			await page.close();
		}
	} finally {
		await browser.close();
	}
}

try {
	await main();
} catch (error) {
	printError(error);
	process.exitCode = 1;
}
