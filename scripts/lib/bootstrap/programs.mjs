import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

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
 * Returns the command that installs system packages.
 *
 * @param {{ debian: string, fedora: string, mac: string }} commands packages for `apt-get install -y` and `dnf install -y`,
 * and the whole command for macOS
 * @returns {string} the command for this system, or, if the system is unknown, one line per system
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
 * Reads a program's version.
 *
 * @param {string} program
 * @returns {string | undefined} its output for `--version`; undefined if it does not run
 */
export function programVersion(program) {
	const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 20_000 });
	return status === 0 ? stdout.trim() : undefined;
}
