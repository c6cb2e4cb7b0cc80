import { runJest, runTestCommand } from './lib/checks.mjs';
import { ensureChromium } from './lib/install/chromium.mjs';
import { installN8n } from './lib/install/n8n.mjs';
import { toolEnvironment } from './lib/paths.mjs';

/** `npm run test:e2e`: installs n8n if it is missing, then tests `npm start` in Chromium. Arguments go to jest. */
await runTestCommand({ reports: ['e2e.json'], steps: 3 }, async ({ progress, install, jestArgs }) => {
	const chromium = await progress.step('Looking for Chromium', () => ensureChromium({ install }));
	await installN8n(progress, { install });
	const result = await runJest({
		title: 'End-to-end tests: npm start, n8n, Chromium',
		config: 'test/e2e/jest.config.js',
		report: 'e2e.json',
		args: ['--runInBand', ...jestArgs],
		env: { ...toolEnvironment(), CHROMIUM_PATH: chromium },
	});
	return [result];
});
