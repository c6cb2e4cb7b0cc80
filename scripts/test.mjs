import { clearReports, endOnSignals, printSummary, runCheck, runJest, writeCheckReport } from './lib/checks.mjs';
import { isInstalled } from './lib/install/marker.mjs';
import { installFolder, installProject, installZapier, isProjectInstalled } from './lib/install/project.mjs';
import { buildPackage } from './lib/n8n/package.mjs';
import { checkNodeAndNpm } from './lib/install/prerequisites.mjs';
import { createProgress } from './lib/progress.mjs';
import { n8nScanFolder } from './lib/paths.mjs';
import { printError } from './lib/setup-error.mjs';

/** `npm test`: installs missing packages, then runs every check, even after one fails. Arguments go to jest. */
async function main() {
	endOnSignals();
	clearReports(['checks.json', 'test.json']);
	checkNodeAndNpm();
	const { step, note } = createProgress({ total: 4 });
	await step(isProjectInstalled() ? 'Packages are installed' : 'Installing packages (about 2 minutes)', () =>
		installProject(note),
	);
	await step('Installing n8n’s package check', async () => {
		if (!isInstalled(n8nScanFolder)) await installFolder('n8n-scan', n8nScanFolder, { note });
	});
	await step('Installing Zapier’s packages', () => installZapier(note));
	await step('Building the n8n package', () => buildPackage());

	const results = [
		await runCheck('Types', 'npm', ['run', '--silent', 'check:types']),
		await runCheck('Format', 'npm', ['run', '--silent', 'check:format']),
		await runCheck('Lint', 'npm', ['run', '--silent', 'check:lint']),
		await runCheck('Import rules', 'npm', ['run', '--silent', 'check:imports']),
		await runCheck('Prose', 'npm', ['run', '--silent', 'check:prose']),
		await runCheck('Commit messages', 'npm', ['run', '--silent', 'check:commits']),
	];
	writeCheckReport('checks.json', results);
	const jest = await runJest({
		title: 'Tests: unit, n8n engine, Zapier handler, sandbox, package',
		config: 'jest.config.js',
		report: 'test.json',
		args: process.argv.slice(2),
	});
	process.exitCode = printSummary([...results, jest]) ? 0 : 1;
}

main().catch((error) => {
	printError(error);
	process.exitCode = 1;
});
