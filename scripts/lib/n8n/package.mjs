import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../process/processes.mjs';
import { nodeProgram, projectFolder, toolEnvironment } from '../paths.mjs';

/**
 * The name of our package in n8n: the prefix of its node types.
 *
 * @type {string}
 */
export const packageName = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')).name;

/**
 * Builds the n8n package into `dist/`.
 *
 * @param {string} [logFile] gets the output; without it, the output is shown
 * @throws {import('../setup-error.mjs').SetupError} if the build fails
 */
export async function buildPackage(logFile) {
	await runProgram('The build', nodeProgram, [join(projectFolder, 'scripts', 'build.mjs')], {
		cwd: projectFolder,
		env: toolEnvironment(),
		logFile,
	});
}

/**
 * Packs the built package as npm would publish it and unpacks it in n8n's folder of installed packages.
 *
 * @param {string} userFolder n8n's user folder
 * @param {string} logFile gets the output of npm and tar
 * @throws {import('../setup-error.mjs').SetupError} if the package cannot be packed
 */
export async function installPackageInN8n(userFolder, logFile) {
	const nodes = join(userFolder, '.n8n', 'nodes');
	const target = join(nodes, 'node_modules', packageName);
	const packed = join(nodes, 'packed');
	for (const folder of [target, packed]) {
		rmSync(folder, { recursive: true, force: true });
		mkdirSync(folder, { recursive: true });
	}
	await runProgram('npm pack', 'npm', ['pack', '--ignore-scripts', '--pack-destination', packed], {
		cwd: projectFolder,
		env: toolEnvironment(),
		logFile,
	});
	const [tarball = ''] = readdirSync(packed);
	await runProgram('tar', 'tar', ['-xzf', join(packed, tarball), '--strip-components=1', '-C', target], { logFile });
	rmSync(packed, { recursive: true });
}
