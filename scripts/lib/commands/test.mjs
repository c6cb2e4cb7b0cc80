import { runJest, runScripts, runTestCommand, writeCheckReport } from '../checks.mjs';
import { installN8nScan, installRelay, installSite, installZapier } from '../install/packages.mjs';
import { buildPackage } from '../n8n/package.mjs';

const checks = {
	'Types and rules': 'check:code',
	Format: 'check:format',
	"n8n's rules": 'check:n8n',
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

		const results = await runScripts(checks);
		writeCheckReport('checks.json', results);
		const jest = await runJest({
			title: 'Tests: unit, n8n engine, Zapier handler, sandbox',
			config: 'jest.config.js',
			report: 'test.json',
			args: jestArgs,
		});
		return [...results, jest];
	});
