import { runCheck, runJest, runTestCommand, writeCheckReport } from '../checks.mjs';
import { installN8nScan, installRelay, installSite, installZapier } from '../install/packages.mjs';
import { buildPackage } from '../n8n/package.mjs';

const checks = {
	Types: 'check:types',
	Format: 'check:format',
	Lint: 'check:lint',
	'Import rules': 'check:imports',
	Prose: 'check:prose',
	'Commit messages': 'check:commits',
};

/** Runs every check, even after one fails, then jest with the arguments. */
export const test = async () =>
	await runTestCommand({ steps: 6 }, async ({ progress, jestArgs }) => {
		await installN8nScan(progress);
		await installZapier(progress);
		await installRelay(progress);
		await installSite(progress);
		await progress.step('Building the n8n package', () => buildPackage());

		const results = [];
		for (const [title, script] of Object.entries(checks)) {
			results.push(await runCheck(title, 'npm', ['run', '--silent', script]));
		}
		writeCheckReport('checks.json', results);
		const jest = await runJest({
			title: 'Tests: unit, n8n engine, Zapier handler, sandbox, package',
			config: 'jest.config.js',
			report: 'test.json',
			args: jestArgs,
		});
		return [...results, jest];
	});
