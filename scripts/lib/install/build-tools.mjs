import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { logFolder, projectFolder } from '../paths.mjs';
import { SetupError } from '../setup-error.mjs';
import { findProgram, installHint, programVersion } from '../bootstrap/programs.mjs';
import { installSystemPackages, mayInstallSystemPackages } from './system-packages.mjs';

const bytesForN8n = 3_000_000_000;

function missingBuildTools() {
	const compiler = [process.env.CXX, 'c++', 'g++', 'clang++'].find((name) => name && programVersion(name));
	return [
		{ name: 'a C++ compiler', debian: 'g++', fedora: 'gcc-c++', found: Boolean(compiler) },
		{ name: 'make', debian: 'make', fedora: 'make', found: Boolean(findProgram('make')) },
		{ name: 'python3', debian: 'python3', fedora: 'python3', found: Boolean(programVersion('python3')) },
	].filter(({ found }) => !found);
}

/**
 * Checks the tools that build n8n's sqlite3.
 *
 * @param {{ install: boolean }} options `install`: may install missing tools
 * @throws {SetupError} names the missing tools, with the command that installs them
 */
export async function checkBuildTools({ install }) {
	const missing = missingBuildTools();
	const names = missing.map(({ name }) => name).join(', ');
	if (missing.length > 0 && mayInstallSystemPackages(install)) {
		await installSystemPackages(
			missing.map(({ debian }) => debian),
			join(logFolder, 'apt-build-tools.log'),
		);
	} else if (missing.length > 0) {
		const command = installHint({
			debian: missing.map(({ debian }) => debian).join(' '),
			fedora: missing.map(({ fedora }) => fedora).join(' '),
			mac: 'xcode-select --install',
		});
		throw new SetupError(
			`Missing on this machine: ${names}. Needed once, to build n8n's sqlite3.`,
			`${command}\nThen run the same command again.`,
		);
	}
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
