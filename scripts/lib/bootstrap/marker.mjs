import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param {string} folder */
function markerFile(folder) {
	return join(folder, 'node_modules', '.installed-from');
}

/** @param {string} file */
function read(file) {
	try {
		return readFileSync(file, 'utf8');
	} catch {
		return undefined;
	}
}

/** @param {string} text */
function hash(text) {
	return createHash('sha256').update(text).digest('hex');
}

/**
 * As its last step, npm writes the list of installed packages, in the form of the lock file.
 *
 * @param {string} folder
 * @param {string} lock text of the lock file
 */
function npmInstalledExactly(folder, lock) {
	const text = read(join(folder, 'node_modules', '.package-lock.json'));
	if (text === undefined) return false;
	const installed = JSON.parse(text).packages;
	return Object.entries(JSON.parse(lock).packages).every(
		([path, wanted]) =>
			path === '' ||
			wanted.link ||
			(installed[path] ? installed[path].version === wanted.version : Boolean(wanted.optional || wanted.peer)),
	);
}

/**
 * Checks whether a folder's packages are installed from the present lock file.
 *
 * @param {string} folder the folder that has `node_modules`
 * @param {string} [lockFile] its lock file
 * @returns {boolean} true also if the user ran npm and got the same versions
 */
export function isInstalled(folder, lockFile = join(folder, 'package-lock.json')) {
	const lock = readFileSync(lockFile, 'utf8');
	if (read(markerFile(folder))?.trim() === hash(lock)) return true;
	if (!npmInstalledExactly(folder, lock)) return false;
	markInstalled(folder, lockFile);
	return true;
}

/**
 * Marks a folder's packages as installed. The mark is in `node_modules` and is deleted with it.
 *
 * @param {string} folder the folder that has `node_modules`
 * @param {string} [lockFile] its lock file
 */
export function markInstalled(folder, lockFile = join(folder, 'package-lock.json')) {
	writeFileSync(markerFile(folder), `${hash(readFileSync(lockFile, 'utf8'))}\n`);
}
