import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { localFolder, nodeProgram, projectFolder, toolEnvironment } from '../paths.mjs';
import { startProcess } from './processes.mjs';
import { waitUntilReady } from './wait-until.mjs';

/** Restarts the relay when one of its files changes. */
const watcher = join(projectFolder, 'node_modules', 'tsx', 'dist', 'cli.mjs');

/**
 * Options of Node for less memory. Nearly all objects of a request live for milliseconds, and by default Node lets them
 * pile up. A relay on PostgreSQL needs 224 instead of 400 MB under load, for the same processor time.
 */
const lessMemory = ['--max-semi-space-size=8', '--heap-growing-percent=100'];

/**
 * Makes the command that starts the relay with the project's Node 24, which its packages need. Its data is in
 * `.local/relay` unless the arguments or RELAY_FOLDER name another folder.
 *
 * @param {string[]} args the relay's command and options
 * @param {{ watch?: boolean, env?: NodeJS.ProcessEnv }} [options] `watch`: restart it when one of its source files
 * changes; `env`: the environment to start from, by default this process's own
 * @returns {{ program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv }}
 */
export function relayCommand(args, { watch = false, env = process.env } = {}) {
	const run = watch ? [watcher, 'watch', '--clear-screen=false'] : ['--import', 'tsx'];
	const main = join(projectFolder, 'relay', 'main.ts');
	return {
		program: nodeProgram,
		args: [...lessMemory, '--disable-warning=ExperimentalWarning', ...run, main, ...args],
		cwd: projectFolder,
		env: toolEnvironment({ RELAY_FOLDER: join(localFolder, 'relay'), ...env }),
	};
}

/**
 * Starts the relay. It listens at once, and is ready after its database is open.
 *
 * @param {{ port: number, folder: string, logFile: string, watch?: boolean, settings: Record<string, string> }} options
 * `settings` are RELAY_ variables. Those of the user's environment do not apply
 * @returns {Promise<{ url: string, started: import('./processes.mjs').Started, ready: () => Promise<void> }>} `url`
 * without a slash at the end; `ready` waits for the `ready` line
 * @throws {import('../setup-error.mjs').SetupError} if it ends before that line
 */
export async function startRelay({ port, folder, logFile, watch, settings }) {
	const inherited = Object.entries(process.env).filter(
		([name]) => !name.startsWith('RELAY_') && name !== 'DATABASE_URL',
	);
	const options = ['--port', String(port), '--folder', folder];
	const { program, args, cwd, env } = relayCommand(options, {
		watch,
		env: { ...Object.fromEntries(inherited), ...settings },
	});
	const started = await startProcess('The relay', program, args, { cwd, env, logFile });
	const url = `http://127.0.0.1:${port}`;
	return {
		url,
		started,
		async ready() {
			const isReady = () => readFileSync(logFile, 'utf8').includes(`\nready ${url}\n`);
			await waitUntilReady(started, logFile, isReady, { withinMs: 60_000, everyMs: 20 });
		},
	};
}
