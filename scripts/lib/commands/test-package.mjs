import { runJest, runTestCommand } from '../checks.mjs';
import { installN8nScan, installRelay, installSite, installZapier } from '../install/packages.mjs';
import { buildPackage } from '../n8n/package.mjs';

/** Tests the products as users get them: packages, images, the zip for Zapier, the site, and the commands of a fresh clone. */
export const testPackage = async () =>
	await runTestCommand({ steps: 6 }, async ({ progress, jestArgs }) => {
		await installN8nScan(progress);
		await installZapier(progress);
		await installRelay(progress);
		await installSite(progress);
		await progress.step('Building the n8n package', () => buildPackage());
		const result = await runJest({
			title: 'Packages, images, zip, site and a fresh clone',
			config: 'test/package/jest.config.js',
			report: 'package.json',
			args: jestArgs,
		});
		return [result];
	});
