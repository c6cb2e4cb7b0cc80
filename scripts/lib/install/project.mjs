import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isInstalled, markInstalled } from './marker.mjs';
import { withLock } from '../process/lock.mjs';
import { runProgram } from '../process/processes.mjs';
import {
	localFolder,
	logFolder,
	n8nScanFolder,
	nodeProgram,
	projectFolder,
	toolEnvironment,
	zapierFolder,
} from '../paths.mjs';
import { SetupError } from '../setup-error.mjs';
import { programVersion } from './system-packages.mjs';

const retryHint = [
	'Check the connection to the npm registry: npm ping',
	'Then run the same command again. npm keeps finished downloads in its cache.',
].join('\n');

/**
 * Installs a folder's packages with `npm ci`. A lock keeps two programs from installing at the same time.
 *
 * @param {string} name the name in messages and log files
 * @param {string} folder the folder with `package.json` and lock file
 * @param {{ note: (text: string) => void, afterwards?: () => Promise<void> }} options `note` prints a line;
 * `afterwards` must succeed before the folder counts as installed
 * @throws {SetupError} with the end of npm's output
 */
export async function installFolder(name, folder, { note, afterwards }) {
	await withLock(
		join(localFolder, 'install.lock'),
		async () => {
			if (!isInstalled(folder)) {
				// Some packages' install scripts fail outside their own repository. `ensureTool` runs the few that are needed.
				await runProgram(`npm ci (${name})`, 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
					cwd: folder,
					env: toolEnvironment(),
					logFile: join(logFolder, `install-${name}.log`),
					hint: retryHint,
				});
			}
			await afterwards?.();
			markInstalled(folder);
		},
		(pid) => note(`Another installation is running (process ${pid}). Waiting for it …`),
	);
}

/** Programs that do not run before their package's install script. */
const toolsWithInstallScript = [
	{ name: 'node', folder: projectFolder, program: nodeProgram },
	{ name: 'esbuild', folder: projectFolder, program: join(projectFolder, 'node_modules', '.bin', 'esbuild') },
];

/** Node 22, which Zapier runs apps with. */
const zapierNode = {
	name: 'node',
	folder: zapierFolder,
	program: join(zapierFolder, 'node_modules', 'node', 'bin', 'node'),
};

/** @param {typeof zapierNode} tool */
async function ensureTool({ name, folder, program }) {
	if (existsSync(program) && programVersion(program)) return;
	const hint = [
		`Its install script failed. In ${folder}, run:`,
		`npm rebuild ${name} --ignore-scripts=false`,
		'Then run the same command again.',
	].join('\n');
	await runProgram(`npm rebuild ${name}`, 'npm', ['rebuild', name, '--ignore-scripts=false'], {
		cwd: folder,
		env: toolEnvironment(),
		logFile: join(logFolder, `rebuild-${name}.log`),
		hint,
	});
	if (!programVersion(program))
		throw new SetupError(`The npm package ${name} is installed, but it does not run.`, hint);
}

/**
 * Checks whether the project's packages are installed from the present lock file.
 *
 * @returns {boolean}
 */
export function isProjectInstalled() {
	return isInstalled(projectFolder) && toolsWithInstallScript.every(({ program }) => existsSync(program));
}

/**
 * Installs the project's packages if they are missing, as one step. Checks that Node 24 and esbuild run.
 *
 * @param {import('../progress.mjs').Progress} progress
 * @throws {SetupError} names the failed installation, with the next steps
 */
export async function installProject({ step, note }) {
	const installed = isProjectInstalled();
	await step(installed ? 'Packages are installed' : 'Installing packages (about 2 minutes)', async () => {
		if (installed) return;
		await installFolder('project', projectFolder, {
			note,
			async afterwards() {
				for (const tool of toolsWithInstallScript) await ensureTool(tool);
			},
		});
	});
}

/**
 * Installs n8n's package check if it is missing, as one step.
 *
 * @param {import('../progress.mjs').Progress} progress
 * @throws {SetupError} names the failed installation, with the next steps
 */
export async function installN8nScan({ step, note }) {
	await step('Installing n8n’s package check', async () => {
		if (!isInstalled(n8nScanFolder)) await installFolder('n8n-scan', n8nScanFolder, { note });
	});
}

/**
 * Installs the Zapier app's packages if they are missing, as one step. Checks that the Node 22 in them runs.
 *
 * @param {import('../progress.mjs').Progress} progress
 * @throws {SetupError} names the failed installation, with the next steps
 */
export async function installZapier({ step, note }) {
	await step('Installing Zapier’s packages', async () => {
		if (isInstalled(zapierFolder)) return;
		await installFolder('zapier', zapierFolder, { note, afterwards: () => ensureTool(zapierNode) });
	});
}
