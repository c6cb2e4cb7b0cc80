import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteFolder, sqliteManifestFolder, toolEnvironment } from '../paths.mjs';
import { installFolder } from './install.mjs';
import { copyManifest } from './manifest.mjs';

/** The time for the download of the prebuilt driver. A network that drops packets would delay the check of the compiler. */
const downloadMs = 60_000;

/**
 * Finds the package of n8n's database driver.
 *
 * @param {string} folder a folder with `node_modules`
 * @returns {string} its path
 */
export function sqlitePackage(folder) {
	return join(folder, 'node_modules', 'sqlite3');
}

/**
 * Runs a program of Node without output.
 *
 * @param {string[]} args
 * @param {{ cwd?: string, timeout: number }} options `timeout`: time in milliseconds after which it is ended
 * @returns {Promise<boolean>} whether it succeeded
 */
async function succeeds(args, options) {
	const child = spawn('node', args, { ...options, env: toolEnvironment(), stdio: 'ignore' });
	const [code] = await once(child, 'exit').catch(() => [1]);
	return code === 0;
}

/**
 * Checks whether the driver in a folder loads. A binary for another machine exists, but does not load.
 *
 * @param {string} folder a folder with `node_modules`
 * @returns {Promise<boolean>}
 */
export async function sqliteLoads(folder) {
	const path = sqlitePackage(folder);
	return existsSync(path) && (await succeeds(['-e', `require(${JSON.stringify(path)})`], { timeout: 30_000 }));
}

/**
 * Installs the driver's package and downloads its binary, as its own install script does. This takes seconds.
 *
 * @param {{ run: import('./run-installer.mjs').RunInstaller, note: (text: string) => void }} options as for `installFolder`
 * @returns {Promise<boolean>} whether the driver loads; otherwise it has to be built
 * @throws {import('../setup-error.mjs').SetupError} if npm fails
 */
export async function downloadSqlite({ run, note }) {
	copyManifest(sqliteManifestFolder, sqliteFolder);
	await installFolder('n8n-sqlite', sqliteFolder, { run, note });
	if (await sqliteLoads(sqliteFolder)) return true;
	const program = join(sqliteFolder, 'node_modules', 'prebuild-install', 'bin.js');
	await succeeds([program, '-r', 'napi'], { cwd: sqlitePackage(sqliteFolder), timeout: downloadMs });
	return await sqliteLoads(sqliteFolder);
}
