import { findProgram } from '../bootstrap/programs.mjs';
import { runProgram } from '../process/processes.mjs';

/**
 * Checks whether to install system packages: only with `--install` or in CI, as root, and with apt-get.
 *
 * @param {boolean} asked whether the command has `--install`
 * @returns {boolean}
 */
export function mayInstallSystemPackages(asked) {
	return (asked || process.env.CI === 'true') && process.getuid?.() === 0 && Boolean(findProgram('apt-get'));
}

/**
 * Installs Debian packages.
 *
 * @param {string[]} packages
 * @param {string} logFile gets apt's output
 * @throws {import('../setup-error.mjs').SetupError} with the last lines of apt's output
 */
export async function installSystemPackages(packages, logFile) {
	const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
	await runProgram('apt-get update', 'apt-get', ['update'], { logFile: `${logFile}.update`, env });
	const args = ['install', '-y', '--no-install-recommends', ...packages];
	await runProgram(`apt-get install ${packages.join(' ')}`, 'apt-get', args, { logFile, env });
}
