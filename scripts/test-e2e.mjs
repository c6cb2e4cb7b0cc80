import { clearReports, endOnSignals, printSummary, runJest } from './lib/checks.mjs';
import { ensureChromium } from './lib/install/chromium.mjs';
import { installN8n, isN8nInstalled, n8nVersion } from './lib/install/n8n.mjs';
import { installProject, isProjectInstalled } from './lib/install/project.mjs';
import { checkNodeAndNpm } from './lib/install/prerequisites.mjs';
import { createProgress } from './lib/progress.mjs';
import { toolEnvironment } from './lib/paths.mjs';
import { printError } from './lib/setup-error.mjs';

/** `npm run test:e2e`: installs n8n if it is missing, then tests `npm start` in Chromium. Arguments go to jest. */
async function main() {
	endOnSignals();
	clearReports(['e2e.json']);
	const install = process.argv.includes('--install');
	checkNodeAndNpm();
	const { step, note } = createProgress({ total: 3 });
	await step(isProjectInstalled() ? 'Packages are installed' : 'Installing packages (about 2 minutes)', () =>
		installProject(note),
	);
	const chromium = await step('Looking for Chromium', () => ensureChromium({ install }));
	await step(
		isN8nInstalled() ? `n8n ${n8nVersion} is installed` : `Installing n8n ${n8nVersion} (about 5 minutes, 2.2 GB)`,
		() => installN8n({ note, install }),
	);
	const result = await runJest({
		title: 'End-to-end tests: npm start, n8n, Chromium',
		config: 'test/e2e/jest.config.js',
		report: 'e2e.json',
		args: ['--runInBand', ...process.argv.slice(2).filter((argument) => argument !== '--install')],
		env: { ...toolEnvironment(), CHROMIUM_PATH: chromium },
	});
	process.exitCode = printSummary([result]) ? 0 : 1;
}

main().catch((error) => {
	printError(error);
	process.exitCode = 1;
});
