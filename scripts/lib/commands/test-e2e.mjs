import { runJest, runTestCommand } from '../checks.mjs';
import { ensureChromium } from '../install/chromium.mjs';
import { installN8n } from '../install/n8n.mjs';
import { installRelay, installSite, installZapier } from '../install/packages.mjs';
import { toolEnvironment } from '../paths.mjs';

/**
 * Installs n8n and the packages of Zapier and of the relay if they are missing, then tests `npm start` in Chromium.
 * Arguments go to jest.
 */
export const testEndToEnd = async () =>
	await runTestCommand({ steps: 6 }, async ({ progress, install, jestArgs }) => {
		const chromium = await progress.step('Looking for Chromium', () => ensureChromium({ install }));
		await installN8n(progress, { install });
		await installZapier(progress);
		await installRelay(progress);
		await installSite(progress);
		const result = await runJest({
			title: 'End-to-end tests: npm start, n8n, Chromium',
			config: 'test/e2e/jest.config.js',
			report: 'e2e.json',
			args: jestArgs,
			env: { ...toolEnvironment(), CHROMIUM_PATH: chromium },
		});
		return [result];
	});
