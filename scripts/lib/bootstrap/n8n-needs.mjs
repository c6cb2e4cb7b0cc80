import { existsSync } from 'node:fs';
import { n8nServerFolder } from '../paths.mjs';
import { checkRoomForN8n, missingBuildTools, missingToolsError } from './build-tools.mjs';
import { runInstaller } from './run-installer.mjs';
import { downloadSqlite, sqlitePackage } from './sqlite.mjs';

/**
 * Checks what the installation of n8n needs, before any long installation: room on the disk, and a compiler if the database
 * driver cannot be downloaded. Does nothing if n8n is installed.
 *
 * @param {{ install: boolean }} options `install`: missing tools may be installed later
 * @param {(text: string) => void} note prints a line
 * @throws {import('../setup-error.mjs').SetupError} names the missing thing, with the command that installs it
 */
export async function checkN8nNeeds({ install }, note) {
	if (existsSync(sqlitePackage(n8nServerFolder))) return;
	checkRoomForN8n();
	if (await downloadSqlite({ run: runInstaller, note })) return;
	const missing = missingBuildTools();
	if (missing.length > 0 && !install) throw missingToolsError(missing);
}
