import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bootstrap } from './lib/bootstrap/bootstrap.mjs';
import { createProgress } from './lib/bootstrap/progress.mjs';
import { logFolder } from './lib/paths.mjs';
import { SetupError } from './lib/setup-error.mjs';

const usage = `npm run install:n8n -- [--user-folder DIR]

DIR is n8n's user folder: N8N_USER_FOLDER, or else your home folder. n8n keeps its data there, in .n8n.
`;

/**
 * Reads the command's options.
 *
 * @returns {string} n8n's user folder, which has `.n8n`. Users also give the path of `.n8n` itself
 * @throws {SetupError} with the usage
 */
function readUserFolder() {
	try {
		const { values } = parseArgs({ options: { 'user-folder': { type: 'string' }, help: { type: 'boolean' } } });
		if (values.help) {
			process.stdout.write(usage);
			process.exit(0);
		}
		const folder = resolve(values['user-folder'] || process.env.N8N_USER_FOLDER || homedir());
		return basename(folder) === '.n8n' ? dirname(folder) : folder;
	} catch (error) {
		throw new SetupError(error instanceof Error ? error.message : String(error), usage);
	}
}

/** `npm run install:n8n`: installs missing packages, builds the n8n package, and installs it in n8n's user folder. */
await bootstrap({ steps: 2, readOptions: readUserFolder }, async (userFolder) => {
	const { buildPackage, installPackageInN8n, packageName } = await import('./lib/n8n/package.mjs');
	const { step } = createProgress({ total: 2, finished: 1 });
	const logFile = join(logFolder, 'install-in-n8n.log');
	const folder = await step('Building and installing the n8n package', async () => {
		await buildPackage(logFile);
		return await installPackageInN8n(userFolder, logFile);
	});
	process.stdout.write(`\nInstalled ${packageName} in ${folder}\nRestart n8n. Then add the node Messaging Service.\n`);
});
