import { delimiter } from 'node:path';
import { runJest, runTestCommand } from '../checks.mjs';
import { currentN8n, installN8n, oldestN8n } from '../install/n8n.mjs';
import { buildPackage } from '../n8n/package.mjs';
import { toolEnvironment } from '../paths.mjs';

const copies = process.env.UPDATE_COMPATIBILITY === '1' ? [oldestN8n, currentN8n] : [oldestN8n];

/**
 * Installs the oldest n8n that the package supports, if it is missing, and tests the package in it. The end-to-end tests use the
 * one of `npm start`. With UPDATE_COMPATIBILITY=1, both are tested, and the results become those in the documentation. TEST_N8N
 * names the folders of other installed n8n versions instead. Arguments go to jest.
 */
export const testCompatibility = async () =>
	await runTestCommand({ steps: 2 + copies.length }, async ({ progress, install, jestArgs }) => {
		for (const copy of copies) await installN8n(progress, { install }, copy);
		await progress.step('Building the n8n package', () => buildPackage());
		const { TEST_N8N = copies.map(({ folder }) => folder).join(delimiter) } = process.env;
		const result = await runJest({
			title: 'Compatibility: the oldest supported n8n',
			config: 'test/compatibility/jest.config.js',
			report: 'compatibility.json',
			args: ['--runInBand', ...jestArgs],
			env: { ...toolEnvironment(), TEST_N8N },
		});
		return [result];
	});
