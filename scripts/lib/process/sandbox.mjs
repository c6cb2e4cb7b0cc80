import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProcess } from './processes.mjs';
import { waitUntilReady } from './wait-until.mjs';
import { nodeProgram, projectFolder, toolEnvironment } from '../paths.mjs';

/** The API key that every sandbox accepts. */
export const sandboxApiKey = 'sk_sandbox_demo';

/** Restarts the sandbox when one of its files changes. */
const watcher = join(projectFolder, 'node_modules', 'tsx', 'dist', 'cli.mjs');

/**
 * Makes the command that starts the sandbox. Node finds tsx only from the project's folder.
 *
 * @param {string[]} args the sandbox's options: `--port N`, `--data FILE|:memory:`
 * @param {{ watch?: boolean }} [options] `watch`: restart it when one of its source files changes
 * @returns {{ program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv }}
 */
export function sandboxCommand(args, { watch = false } = {}) {
	const run = watch ? [watcher, 'watch', '--clear-screen=false'] : ['--import', 'tsx'];
	const main = join(projectFolder, 'sandbox', 'main.ts');
	return {
		program: nodeProgram,
		args: ['--disable-warning=ExperimentalWarning', ...run, main, ...args],
		cwd: projectFolder,
		env: toolEnvironment(),
	};
}

/**
 * Starts the sandbox and waits for its `ready` line.
 *
 * @param {{ port: number, dataFile: string, logFile: string, watch?: boolean }} options `dataFile` may be `:memory:`;
 * `watch` as for `sandboxCommand`
 * @returns {Promise<{ url: string, started: import('./processes.mjs').Started }>} `url` without a slash at the end
 * @throws {import('../setup-error.mjs').SetupError} if it ends before that line
 * @throws {Error} if it takes more than a minute
 */
export async function startSandbox({ port, dataFile, logFile, watch }) {
	const { program, args, cwd, env } = sandboxCommand(['--port', String(port), '--data', dataFile], { watch });
	const started = await startProcess('The sandbox', program, args, { cwd, env, logFile });
	const readUrl = () => /^ready (http:\/\/\S+?)\/?$/m.exec(readFileSync(logFile, 'utf8'))?.[1];
	return { url: await waitUntilReady(started, logFile, readUrl, { withinMs: 60_000, everyMs: 20 }), started };
}
