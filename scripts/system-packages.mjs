import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runProgram } from './processes.mjs';

/**
 * Finds a program in the PATH.
 *
 * @param {string} name
 * @returns {string | undefined} its full path
 */
export function findProgram(name) {
	for (const folder of (process.env.PATH ?? '').split(delimiter)) {
		const file = join(folder, name);
		try {
			accessSync(file, constants.X_OK);
			return file;
		} catch {
			continue;
		}
	}
	return undefined;
}

/**
 * Says how to install something, for the systems people have.
 *
 * @param {{ debian: string, fedora: string, mac: string }} commands what follows `apt-get install -y`, `dnf install -y`,
 * and the whole command for macOS
 * @returns {string} one line a system; only the one that fits where that is known
 */
export function installHint({ debian, fedora, mac }) {
	const apt = `sudo apt-get install -y ${debian}`;
	const dnf = `sudo dnf install -y ${fedora}`;
	if (process.platform === 'darwin') return mac;
	if (findProgram('apt-get')) return apt;
	if (findProgram('dnf')) return dnf;
	return `Debian, Ubuntu: ${apt}\nFedora: ${dnf}\nmacOS: ${mac}`;
}

/**
 * Tells whether we may and can install system packages: only asked to, as root, where there is apt.
 *
 * @param {boolean} asked `--install` was given
 * @returns {boolean}
 */
export function mayInstallSystemPackages(asked) {
	return (asked || process.env.CI === 'true') && process.getuid?.() === 0 && Boolean(findProgram('apt-get'));
}

/**
 * Installs Debian packages.
 *
 * @param {string[]} packages
 * @param {string} logFile takes apt's output
 * @throws {import('./setup-problem.mjs').SetupProblem} with the end of apt's output
 */
export async function installSystemPackages(packages, logFile) {
	const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
	await runProgram('apt-get update', 'apt-get', ['update'], { logFile: `${logFile}.update`, env });
	const args = ['install', '-y', '--no-install-recommends', ...packages];
	await runProgram(`apt-get install ${packages.join(' ')}`, 'apt-get', args, { logFile, env });
}

/**
 * Asks a program for its version.
 *
 * @param {string} program
 * @returns {string | undefined} what it prints for `--version`; undefined when it does not run
 */
export function programVersion(program) {
	const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 20_000 });
	return status === 0 ? stdout.trim() : undefined;
}
