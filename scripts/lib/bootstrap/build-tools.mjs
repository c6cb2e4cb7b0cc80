import { statfsSync } from 'node:fs';
import { projectFolder } from '../paths.mjs';
import { SetupError } from '../setup-error.mjs';
import { findProgram, installHint, programVersion } from './programs.mjs';

const bytesForN8n = 3_000_000_000;

/**
 * Lists the missing tools that build n8n's database driver.
 *
 * @returns {{ name: string, debian: string, fedora: string }[]} the name in messages, and the system packages
 */
export function missingBuildTools() {
	const compiler = [process.env.CXX, 'c++', 'g++', 'clang++'].find((name) => name && programVersion(name));
	return [
		{ name: 'a C++ compiler', debian: 'g++', fedora: 'gcc-c++', found: Boolean(compiler) },
		{ name: 'make', debian: 'make', fedora: 'make', found: Boolean(findProgram('make')) },
		{ name: 'python3', debian: 'python3', fedora: 'python3', found: Boolean(programVersion('python3')) },
	].filter(({ found }) => !found);
}

/**
 * Describes missing build tools, with the command that installs them.
 *
 * @param {ReturnType<typeof missingBuildTools>} missing
 * @returns {SetupError}
 */
export function missingToolsError(missing) {
	const command = installHint({
		debian: missing.map(({ debian }) => debian).join(' '),
		fedora: missing.map(({ fedora }) => fedora).join(' '),
		mac: 'xcode-select --install',
	});
	return new SetupError(
		`Missing on this machine: ${missing.map(({ name }) => name).join(', ')}. Needed once, to build n8n's database driver, because its download from github.com failed.`,
		`${command}\nThen run the same command again.`,
	);
}

/**
 * Checks that n8n fits on the disk.
 *
 * @throws {SetupError} with the free disk space
 */
export function checkRoomForN8n() {
	const { bavail, bsize } = statfsSync(projectFolder);
	if (bavail * bsize < bytesForN8n) {
		throw new SetupError(
			`n8n takes 2.2 GB. It needs 3 GB free on the disk of ${projectFolder}, which has ${(bavail * bsize * 1e-9).toFixed(1)} GB.`,
			'Free some disk space, then run the same command again.',
		);
	}
}
