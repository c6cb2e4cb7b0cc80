import { delimiter } from 'node:path';
import { runJest, runTestCommand } from '../checks.mjs';
import { currentN8n, installN8n, oldestN8n } from '../install/n8n.mjs';
import { buildPackage } from '../n8n/package.mjs';
import { toolEnvironment } from '../paths.mjs';

/**
 * Installs the oldest n8n that the package supports and the one of `npm start`, if they are missing, and tests the package in
 * both. TEST_N8N names the folders of other installed n8n versions instead. Arguments go to jest.
 */
export const testCompatibility = async () =>
	await runTestCommand({ steps: 4 }, async ({ progress, install, jestArgs }) => {
		for (const copy of [oldestN8n, currentN8n]) await installN8n(progress, { install }, copy);
		await progress.step('Building the n8n package', () => buildPackage());
		const { TEST_N8N = [oldestN8n.folder, currentN8n.folder].join(delimiter) } = process.env;
		const result = await runJest({
			title: 'Compatibility: the oldest n8n and the current one',
			config: 'test/compatibility/jest.config.js',
			report: 'compatibility.json',
			args: ['--runInBand', ...jestArgs],
			env: { ...toolEnvironment(), TEST_N8N },
		});
		return [result];
	});
