import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { localFolder, logFolder, nodeProgram, projectFolder, toolEnvironment } from '../paths.mjs';
import { SetupError } from '../setup-error.mjs';
import { withLock } from './lock.mjs';
import { isInstalled, markInstalled } from './marker.mjs';
import { programVersion } from './programs.mjs';
import { runInstaller } from './run-installer.mjs';

const retryHint = [
	'Check the connection to the npm registry: npm ping',
	'Then run the same command again. npm keeps finished downloads in its cache.',
].join('\n');

/**
 * Runs `npm ci`. It asks the registry only if npm's cache lacks a package. Without this, npm asks again about each of n8n's 2,000
 * packages. A list of versions in the cache may be older than the lock file. Then it asks again about all.
 *
 * @param {string} name the name in messages and log files
 * @param {string} folder the folder with `package.json` and lock file
 * @param {import('./run-installer.mjs').RunInstaller} run runs npm
 */
async function runNpmCi(name, folder, run) {
	const logFile = join(logFolder, `install-${name}.log`);
	/** @param {string[]} options */
	const ci = (...options) =>
		// Some packages' install scripts fail outside their own repository. `ensureTool` runs the few that are needed.
		run(`npm ci (${name})`, 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', ...options], {
			cwd: folder,
			env: toolEnvironment(),
			logFile,
			hint: retryHint,
		});
	try {
		await ci('--prefer-offline');
	} catch (error) {
		// npm's error if the list has no such version.
		if (!existsSync(logFile) || !readFileSync(logFile, 'utf8').includes('code ETARGET')) throw error;
		await ci();
	}
}

/**
 * Installs a folder's packages with `npm ci`. A lock keeps two programs from installing at the same time.
 *
 * @param {string} name the name in messages and log files
 * @param {string} folder the folder with `package.json` and lock file
 * @param {{ run: import('./run-installer.mjs').RunInstaller, note: (text: string) => void,
 * afterwards?: () => Promise<void> }} options `run` runs npm; `note` prints a line; `afterwards` must succeed before the folder
 * counts as installed
 * @throws {SetupError} with the end of npm's output
 */
export async function installFolder(name, folder, { run, note, afterwards }) {
	await withLock(
		join(localFolder, 'install.lock'),
		async () => {
			if (!isInstalled(folder)) await runNpmCi(name, folder, run);
			await afterwards?.();
			markInstalled(folder);
		},
		(pid) => note(`Another installation is running (process ${pid}). Waiting for it …`),
	);
}

/**
 * Makes sure that a package's program runs. Some do not before the package's install script.
 *
 * @param {{ name: string, folder: string, program: string }} tool the package, the folder that has it, the program's path
 * @param {import('./run-installer.mjs').RunInstaller} run runs npm
 * @throws {SetupError} if it does not run, with the next steps
 */
export async function ensureTool({ name, folder, program }, run) {
	if (existsSync(program) && programVersion(program)) return;
	const hint = [
		`Its install script failed. In ${folder}, run:`,
		`npm rebuild ${name} --ignore-scripts=false`,
		'Then run the same command again.',
	].join('\n');
	await run(`npm rebuild ${name}`, 'npm', ['rebuild', name, '--ignore-scripts=false'], {
		cwd: folder,
		env: toolEnvironment(),
		logFile: join(logFolder, `rebuild-${name}.log`),
		hint,
	});
	if (!programVersion(program))
		throw new SetupError(`The npm package ${name} is installed, but it does not run.`, hint);
}

const tools = [
	{ name: 'node', folder: projectFolder, program: nodeProgram },
	{ name: 'esbuild', folder: projectFolder, program: join(projectFolder, 'node_modules', '.bin', 'esbuild') },
];

/**
 * Checks whether the project's packages are installed from the present lock file.
 *
 * @returns {boolean}
 */
export function isProjectInstalled() {
	return isInstalled(projectFolder) && tools.every(({ program }) => existsSync(program));
}

/**
 * Installs the project's packages. Checks that Node 24 and esbuild run.
 *
 * @param {(text: string) => void} note prints a line
 * @throws {SetupError} names the failed installation, with the next steps
 */
export async function installProject(note) {
	await installFolder('project', projectFolder, {
		run: runInstaller,
		note,
		async afterwards() {
			for (const tool of tools) await ensureTool(tool, runInstaller);
		},
	});
}
