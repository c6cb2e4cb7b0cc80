import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isInstalled, markInstalled } from './install-marker.mjs';
import { withLock } from './lock.mjs';
import { runProgram } from './processes.mjs';
import { localFolder, logFolder, nodeProgram, projectFolder, toolEnvironment, zapierFolder } from './project-paths.mjs';
import { SetupProblem } from './setup-problem.mjs';
import { programVersion } from './system-packages.mjs';

const retryHint = [
	'Is the npm registry within reach? Try: npm ping',
	'Then run the same command again; what is already downloaded is kept in npm’s cache.',
].join('\n');

/**
 * Installs a folder's packages with `npm ci`. Two programs never install at the same time.
 *
 * @param {string} name what to call it in messages and log names
 * @param {string} folder the folder with `package.json` and lock file
 * @param {{ note: (text: string) => void, afterwards?: () => Promise<void> }} options `note` tells a person something;
 * `afterwards` must succeed before the folder counts as installed
 * @throws {SetupProblem} with the end of npm's output
 */
export async function installFolder(name, folder, { note, afterwards }) {
	await withLock(
		join(localFolder, 'install.lock'),
		async () => {
			if (!isInstalled(folder)) {
				// Some packages' scripts fail outside their own repository; the few that are needed are run by name.
				await runProgram(`npm ci (${name})`, 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
					cwd: folder,
					env: toolEnvironment(),
					logFile: join(logFolder, `install-${name}.log`),
					cure: retryHint,
				});
			}
			await afterwards?.();
			markInstalled(folder);
		},
		(pid) => note(`Another install is running (process ${pid}); waiting for it.`),
	);
}

/** Programs that only their package's install script makes run. */
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

async function ensureTool({ name, folder, program }) {
	if (existsSync(program) && programVersion(program)) return;
	const cure = [
		`Its install script did not do its work. In ${folder}:`,
		`npm rebuild ${name} --ignore-scripts=false`,
		'Then run the same command again.',
	].join('\n');
	await runProgram(`npm rebuild ${name}`, 'npm', ['rebuild', name, '--ignore-scripts=false'], {
		cwd: folder,
		env: toolEnvironment(),
		logFile: join(logFolder, `rebuild-${name}.log`),
		cure,
	});
	if (!programVersion(program)) throw new SetupProblem(`The npm package ${name} is installed but does not run.`, cure);
}

/**
 * Tells whether the project's packages are installed from the lock file as it is now.
 *
 * @returns {boolean}
 */
export function isProjectInstalled() {
	return isInstalled(projectFolder) && toolsWithInstallScript.every(({ program }) => existsSync(program));
}

/**
 * Installs the project's packages where missing, and makes sure that Node 24 and esbuild run.
 *
 * @param {(text: string) => void} note tells a person something
 * @throws {SetupProblem} what cannot be installed, and how to go on
 */
export async function installProject(note) {
	if (isProjectInstalled()) return;
	await installFolder('project', projectFolder, {
		note,
		async afterwards() {
			for (const tool of toolsWithInstallScript) await ensureTool(tool);
		},
	});
}

/**
 * Installs the Zapier app's packages where missing, and makes sure that the Node 22 in them runs.
 *
 * @param {(text: string) => void} note tells a person something
 * @throws {SetupProblem} what cannot be installed, and how to go on
 */
export async function installZapier(note) {
	if (isInstalled(zapierFolder)) return;
	await installFolder('zapier', zapierFolder, { note, afterwards: () => ensureTool(zapierNode) });
}
