import { runCheck, runJest, runTestCommand, writeCheckReport } from './lib/checks.mjs';
import { installN8nScan, installZapier } from './lib/install/project.mjs';
import { buildPackage } from './lib/n8n/package.mjs';

const checks = {
	Types: 'check:types',
	Format: 'check:format',
	Lint: 'check:lint',
	'Import rules': 'check:imports',
	Prose: 'check:prose',
	'Commit messages': 'check:commits',
};

/** `npm test`: installs missing packages, then runs every check, even after one fails. Arguments go to jest. */
await runTestCommand({ reports: ['checks.json', 'test.json'], steps: 4 }, async ({ progress, jestArgs }) => {
	await installN8nScan(progress);
	await installZapier(progress);
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
