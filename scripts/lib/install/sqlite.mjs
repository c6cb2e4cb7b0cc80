import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { missingBuildTools, missingToolsError } from '../bootstrap/build-tools.mjs';
import { withLock } from '../bootstrap/lock.mjs';
import { downloadSqlite, sqliteLoads, sqlitePackage } from '../bootstrap/sqlite.mjs';
import { localFolder, logFolder, sqliteFolder, toolEnvironment } from '../paths.mjs';
import { runProgram } from '../process/processes.mjs';
import { SetupError } from '../setup-error.mjs';
import { installSystemPackages, mayInstallSystemPackages } from './system-packages.mjs';

/** @param {boolean} install whether missing tools may be installed */
async function ensureBuildTools(install) {
	const missing = missingBuildTools();
	if (missing.length === 0) return;
	if (!mayInstallSystemPackages(install)) throw missingToolsError(missing);
	await installSystemPackages(
		missing.map(({ debian }) => debian),
		join(logFolder, 'apt-build-tools.log'),
	);
}

async function build() {
	const hint = `In ${sqliteFolder}, run:\nnpm rebuild sqlite3 --ignore-scripts=false`;
	await runProgram('npm rebuild sqlite3', 'npm', ['rebuild', 'sqlite3', '--ignore-scripts=false'], {
		cwd: sqliteFolder,
		env: toolEnvironment(),
		logFile: join(logFolder, 'rebuild-sqlite3.log'),
		hint,
	});
	if (!(await sqliteLoads(sqliteFolder))) throw new SetupError('sqlite3 was built, but it does not load.', hint);
}

/**
 * Gets n8n's database driver: downloads it, or begins to build it. Checks the compiler before it returns, so that a long
 * installation does not end in a missing one.
 *
 * @param {{ install: boolean, note: (text: string) => void }} options `install`: may install missing build tools
 * @returns {Promise<{ ready: Promise<void> }>} `ready` resolves when the driver loads. A build takes about a minute
 * @throws {SetupError} names the missing tools, with the command that installs them
 */
export async function getSqlite({ install, note }) {
	if (await downloadSqlite({ run: runProgram, note })) return { ready: Promise.resolve() };
	await ensureBuildTools(install);
	note('Building n8n’s database driver at the same time.');
	const ready = withLock(
		join(localFolder, 'sqlite.lock'),
		async () => {
			if (!(await sqliteLoads(sqliteFolder))) await build();
		},
		(pid) => note(`Another build of the driver is running (process ${pid}). Waiting for it …`),
	);
	return { ready };
}

/** @param {string} folder a folder with `node_modules` */
function binaryIn(folder) {
	return join(sqlitePackage(folder), 'build', 'Release', 'node_sqlite3.node');
}

/**
 * Copies the driver into an installed n8n, which has the same version of it.
 *
 * @param {string} folder n8n's folder
 */
export function copySqlite(folder) {
	const target = binaryIn(folder);
	mkdirSync(dirname(target), { recursive: true });
	copyFileSync(binaryIn(sqliteFolder), target);
}
