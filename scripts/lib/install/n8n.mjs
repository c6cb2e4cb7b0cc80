import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkRoomForN8n } from '../bootstrap/build-tools.mjs';
import { installFolder } from '../bootstrap/install.mjs';
import { copyManifest } from '../bootstrap/manifest.mjs';
import { isInstalled } from '../bootstrap/marker.mjs';
import { sqliteLoads, sqlitePackage } from '../bootstrap/sqlite.mjs';
import { n8nManifestFolder, n8nServerFolder, oldestN8nFolder, oldestN8nManifestFolder } from '../paths.mjs';
import { runProgram } from '../process/processes.mjs';
import { copySqlite, getSqlite } from './sqlite.mjs';

/** @typedef {{ name: string, folder: string, manifest: string }} N8nCopy an n8n with its name in log files, the folder of its
 * installation, and the folder of its committed manifest and lock file */

/** @type {N8nCopy} The n8n of `npm start` and of most tests. */
export const currentN8n = { name: 'n8n', folder: n8nServerFolder, manifest: n8nManifestFolder };

/** @type {N8nCopy} The oldest n8n that the package supports. */
export const oldestN8n = { name: 'n8n-oldest', folder: oldestN8nFolder, manifest: oldestN8nManifestFolder };

/**
 * Reads the version of an n8n.
 *
 * @param {N8nCopy} copy
 * @returns {string} such as `2.41.1`
 */
export function n8nVersion({ manifest }) {
	return JSON.parse(readFileSync(join(manifest, 'package.json'), 'utf8')).dependencies.n8n;
}

/**
 * Checks whether an n8n server is installed from the committed lock file and its database driver loads.
 *
 * @param {N8nCopy} copy
 */
async function isN8nInstalled({ folder, manifest }) {
	return isInstalled(folder, join(manifest, 'package-lock.json')) && (await sqliteLoads(folder));
}

/**
 * Installs an n8n server if it is missing, as one step. Checks first whether everything that it needs is there.
 *
 * @param {import('../bootstrap/progress.mjs').Progress} progress
 * @param {{ install: boolean }} options `install`: may install missing build tools
 * @param {N8nCopy} [copy] the n8n of `npm start` by default
 * @throws {import('../setup-error.mjs').SetupError} names the missing program or the failed installation, with the next steps
 */
export async function installN8n({ step, note }, { install }, copy = currentN8n) {
	const version = n8nVersion(copy);
	const installed = await isN8nInstalled(copy);
	const title = installed ? `n8n ${version} is installed` : `Installing n8n ${version} (about 2 minutes, 2.2 GB)`;
	await step(title, async () => {
		if (installed) return;
		const { name, folder, manifest } = copy;
		if (!existsSync(sqlitePackage(folder))) checkRoomForN8n();
		const { ready } = await getSqlite({ install, note });
		copyManifest(manifest, folder);
		await Promise.all([ready, installFolder(name, folder, { run: runProgram, note })]);
		copySqlite(folder);
	});
}
