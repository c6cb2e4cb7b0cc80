import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './processes.mjs';
import { nodeProgram, projectFolder, toolEnvironment } from './project-paths.mjs';

/** The name n8n knows our package by; its node types begin with it. */
export const packageName = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')).name;

/**
 * Builds the n8n package into `dist/`.
 *
 * @param {string} [logFile] takes its output; else it is shown
 * @throws {import('./setup-problem.mjs').SetupProblem} when the build fails
 */
export async function buildPackage(logFile) {
	await runProgram('The build', nodeProgram, [join(projectFolder, 'scripts', 'build.mjs')], {
		cwd: projectFolder,
		env: toolEnvironment(),
		logFile,
	});
}

/**
 * Packs the built package as npm would publish it and unpacks it where n8n looks for installed packages.
 *
 * @param {string} userFolder n8n's user folder
 * @param {string} logFile takes what npm and tar say
 * @throws {import('./setup-problem.mjs').SetupProblem} when it cannot be packed
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
	const [tarball] = readdirSync(packed);
	await runProgram('tar', 'tar', ['-xzf', join(packed, tarball), '--strip-components=1', '-C', target], { logFile });
	rmSync(packed, { recursive: true });
}
