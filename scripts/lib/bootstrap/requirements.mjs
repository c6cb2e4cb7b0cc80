import { SetupError } from '../setup-error.mjs';
import { installHint, programVersion } from './programs.mjs';

/**
 * Checks Node and npm before anything is installed.
 *
 * @throws {SetupError} names the missing program and where to get it
 */
export function checkNodeAndNpm() {
	if (process.platform === 'win32') {
		throw new SetupError(
			'Windows is not supported directly.',
			'Install WSL 2 (https://aka.ms/wsl) and clone the repository there.',
		);
	}
	if (Number(process.versions.node.split('.')[0]) < 20) {
		throw new SetupError(
			`Node ${process.versions.node} is too old. You need Node 20 or later.`,
			'Install it from https://nodejs.org/en/download, then run the same command again.',
		);
	}
	if (!programVersion('npm')) {
		throw new SetupError(
			'npm is missing or does not run.',
			`Install Node from https://nodejs.org/en/download, which includes npm, or run:\n${installHint({ debian: 'npm', fedora: 'npm', mac: 'brew install node' })}`,
		);
	}
}
