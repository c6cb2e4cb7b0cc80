import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { logFolder, projectFolder } from './project-paths.mjs';
import { SetupProblem } from './setup-problem.mjs';
import {
	findProgram,
	installHint,
	installSystemPackages,
	mayInstallSystemPackages,
	programVersion,
} from './system-packages.mjs';

const bytesForN8n = 3_000_000_000;

/**
 * Checks what must be on the machine before anything is installed.
 *
 * @throws {SetupProblem} that names what is missing and where to get it
 */
export function checkNodeAndNpm() {
	if (process.platform === 'win32') {
		throw new SetupProblem('Windows itself is not supported.', 'Use WSL 2 (https://aka.ms/wsl) and clone there.');
	}
	if (Number(process.versions.node.split('.')[0]) < 20) {
		throw new SetupProblem(
			`Node ${process.versions.node} is too old: Node 20 or later is needed.`,
			'Install it from https://nodejs.org/en/download, then run the same command again.',
		);
	}
	if (!programVersion('npm')) {
		throw new SetupProblem(
			'npm does not run.',
			`It comes with Node from https://nodejs.org/en/download, or:\n${installHint({ debian: 'npm', fedora: 'npm', mac: 'brew install node' })}`,
		);
	}
}

function missingBuildTools() {
	const compiler = [process.env.CXX, 'c++', 'g++', 'clang++'].find((name) => name && programVersion(name));
	return [
		{ name: 'a C++ compiler', debian: 'g++', fedora: 'gcc-c++', there: Boolean(compiler) },
		{ name: 'make', debian: 'make', fedora: 'make', there: Boolean(findProgram('make')) },
		{ name: 'python3', debian: 'python3', fedora: 'python3', there: Boolean(programVersion('python3')) },
	].filter(({ there }) => !there);
}

/**
 * Checks what building n8n's sqlite3 takes.
 *
 * @param {{ install: boolean }} options `install`: may install what is missing
 * @throws {SetupProblem} that names what is missing, with the command that installs it
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
		throw new SetupProblem(
			`Missing on this machine: ${names}. n8n's sqlite3 is built with it, once.`,
			`${command}\nThen run the same command again.`,
		);
	}
}

/**
 * Checks that n8n fits on the disk.
 *
 * @throws {SetupProblem} with the room there is
 */
export function checkRoomForN8n() {
	const { bavail, bsize } = statfsSync(projectFolder);
	if (bavail * bsize < bytesForN8n) {
		throw new SetupProblem(
			`n8n needs 2.2 GB on the disk of ${projectFolder}; ${(bavail * bsize * 1e-9).toFixed(1)} GB are free.`,
			'Make room (3 GB to be comfortable), then run the same command again.',
		);
	}
}
