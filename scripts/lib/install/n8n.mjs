import { execa } from 'execa';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installFolder } from '../bootstrap/install.mjs';
import { isInstalled } from '../bootstrap/marker.mjs';
import { checkBuildTools, checkRoomForN8n } from './build-tools.mjs';
import { runProgram } from '../process/processes.mjs';
import { logFolder, n8nManifestFolder, n8nServerFolder, nodeProgram, toolEnvironment } from '../paths.mjs';
import { SetupError } from '../setup-error.mjs';

/**
 * The n8n version in the committed manifest.
 *
 * @type {string}
 */
const n8nVersion = JSON.parse(readFileSync(join(n8nManifestFolder, 'package.json'), 'utf8')).dependencies.n8n;

const sqliteFolder = join(n8nServerFolder, 'node_modules', 'sqlite3');

/** A binary built for another Node version or machine exists, but does not load. */
async function sqliteLoads() {
	if (!existsSync(sqliteFolder)) return false;
	const load = ['-e', `require(${JSON.stringify(sqliteFolder)})`];
	const { failed } = await execa(nodeProgram, load, { timeout: 30_000, reject: false });
	return !failed;
}

/**
 * Checks whether the n8n server is installed from the committed lock file and its database binary loads.
 *
 * @returns {Promise<boolean>}
 */
async function isN8nInstalled() {
	return isInstalled(n8nServerFolder, join(n8nManifestFolder, 'package-lock.json')) && (await sqliteLoads());
}

async function buildSqlite() {
	if (await sqliteLoads()) return;
	const hint = `In ${n8nServerFolder}, with Node 24 first in the PATH, run:\nnpm rebuild sqlite3 --ignore-scripts=false`;
	await runProgram('npm rebuild sqlite3', 'npm', ['rebuild', 'sqlite3', '--ignore-scripts=false'], {
		cwd: n8nServerFolder,
		env: toolEnvironment(),
		logFile: join(logFolder, 'rebuild-sqlite3.log'),
		hint,
	});
	if (!(await sqliteLoads())) throw new SetupError('sqlite3 was built, but it does not load.', hint);
}

/**
 * Installs the n8n server if it is missing, as one step.
 *
 * @param {import('../bootstrap/progress.mjs').Progress} progress
 * @param {{ install: boolean }} options `install`: may install missing build tools
 * @throws {SetupError} names the missing program or the failed installation, with the next steps
 */
export async function installN8n({ step, note }, { install }) {
	const installed = await isN8nInstalled();
	const title = installed ? `n8n ${n8nVersion} is installed` : `Installing n8n ${n8nVersion} (about 5 minutes, 2.2 GB)`;
	await step(title, async () => {
		if (installed) return;
		await checkBuildTools({ install });
		if (!existsSync(sqliteFolder)) checkRoomForN8n();
		mkdirSync(n8nServerFolder, { recursive: true });
		for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
			copyFileSync(join(n8nManifestFolder, file), join(n8nServerFolder, file));
		}
		await installFolder('n8n', n8nServerFolder, { run: runProgram, note, afterwards: buildSqlite });
	});
}
