import {
	existsSync,
	lstatSync,
	mkdirSync,
	readFileSync,
	readdirSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { runProgram, startProcess } from '../process/processes.mjs';
import { waitUntil } from '../process/wait-until.mjs';
import { nodeProgram, projectFolder, toolEnvironment } from '../paths.mjs';

const manifest = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8'));

/**
 * The name of our package in n8n: the prefix of its node types.
 *
 * @type {string}
 */
export const packageName = manifest.name;

const sources = ['nodes', 'credentials', 'shared', 'scripts/lib/n8n', 'package.json', 'package-lock.json'];

/**
 * When a file or anything in a folder last changed. A folder itself changes if a file is removed.
 *
 * @param {string} path
 * @returns {number} milliseconds since 1970
 */
function lastChange(path) {
	const stats = statSync(path);
	if (!stats.isDirectory()) return stats.mtimeMs;
	return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => lastChange(join(path, name))));
}

/** Whether `dist/` has the nodes and credentials, all newer than each of their sources. */
function isBuilt() {
	const built = [...manifest.n8n.nodes, ...manifest.n8n.credentials].map((file) => join(projectFolder, file));
	if (!built.every((file) => existsSync(file))) return false;
	const oldest = Math.min(...built.map((file) => statSync(file).mtimeMs));
	return sources.every((path) => lastChange(join(projectFolder, path)) < oldest);
}

/**
 * Builds the n8n package into `dist/`, unless nothing has changed since the last build.
 *
 * @param {string} [logFile] gets the output; without it, the output is shown
 * @throws {import('../setup-error.mjs').SetupError} if the build fails
 */
export async function buildPackage(logFile) {
	if (isBuilt()) return;
	await runProgram('The build', nodeProgram, [join(projectFolder, 'scripts', 'build.mjs')], {
		cwd: projectFolder,
		env: toolEnvironment(),
		logFile,
	});
}

/**
 * Finds the package in n8n's folder of installed packages.
 *
 * @param {string} userFolder n8n's user folder
 * @returns {string} its path
 */
function packageFolder(userFolder) {
	return join(userFolder, '.n8n', 'nodes', 'node_modules', packageName);
}

/**
 * Builds the installed package again after each change of a source file, until the command ends. Shows the errors of a build.
 *
 * @param {string} userFolder n8n's user folder, with the package
 * @returns {Promise<import('../process/processes.mjs').Started>}
 * @throws {import('../setup-error.mjs').SetupError} if it cannot be started
 */
export async function watchPackage(userFolder) {
	const build = join(projectFolder, 'scripts', 'build.mjs');
	const args = [build, '--watch', '--out', join(packageFolder(userFolder), 'dist')];
	return await startProcess('The build', nodeProgram, args, { cwd: projectFolder, env: toolEnvironment() });
}

/**
 * Waits until n8n reloads the package after a change. n8n is ready some seconds before, and would miss changes until then.
 *
 * @param {string} userFolder n8n's user folder, with the package
 * @param {string} logFile n8n's output
 * @throws {Error} after a minute
 */
export async function waitForReload(userFolder, logFile) {
	const change = join(packageFolder(userFolder), 'changed');
	await waitUntil(
		'n8n’s reload of the nodes',
		() => {
			writeFileSync(change, String(Date.now()));
			return readFileSync(logFile, 'utf8').includes(`Hot reload triggered for ${packageName}`);
		},
		{ withinMs: 60_000, everyMs: 500 },
	);
}

/**
 * Packs the built package as npm would publish it and unpacks it in n8n's folder of installed packages. If that fails, the
 * installed package stays.
 *
 * @param {string} userFolder n8n's user folder
 * @param {string} logFile gets the output of npm and tar
 * @returns {Promise<string>} the folder of the installed package
 * @throws {import('../setup-error.mjs').SetupError} if the package cannot be packed
 */
export async function installPackageInN8n(userFolder, logFile) {
	const target = packageFolder(userFolder);
	const packed = join(userFolder, '.n8n', 'nodes', 'packed');
	rmSync(packed, { recursive: true, force: true });
	mkdirSync(packed, { recursive: true });
	await runProgram('npm pack', 'npm', ['pack', '--ignore-scripts', '--pack-destination', packed], {
		cwd: projectFolder,
		env: toolEnvironment(),
		logFile,
	});
	const [tarball = ''] = readdirSync(packed);
	await runProgram('tar', 'tar', ['-xzf', join(packed, tarball), '-C', packed], { logFile });
	mkdirSync(dirname(target), { recursive: true });
	if (lstatSync(target, { throwIfNoEntry: false })) renameSync(target, join(packed, 'previous'));
	// The folder in a file of npm.
	renameSync(join(packed, 'package'), target);
	rmSync(packed, { recursive: true });
	return target;
}
