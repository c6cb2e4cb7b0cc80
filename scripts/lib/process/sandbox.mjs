import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startProcess } from './processes.mjs';
import { waitUntilReady } from './wait-until.mjs';
import { nodeProgram, projectFolder, toolEnvironment } from '../paths.mjs';

/** The API key that every sandbox accepts. */
export const sandboxApiKey = 'sk_sandbox_demo';

/**
 * Makes the command that starts the sandbox. Node finds tsx only from the project's folder.
 *
 * @param {string[]} args the sandbox's options: `--port N`, `--data FILE|:memory:`
 * @returns {{ program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv }}
 */
export function sandboxCommand(args) {
	const main = join(projectFolder, 'sandbox', 'main.ts');
	return {
		program: nodeProgram,
		args: ['--disable-warning=ExperimentalWarning', '--import', 'tsx', main, ...args],
		cwd: projectFolder,
		env: toolEnvironment(),
	};
}

/**
 * Starts the sandbox and waits for its `ready` line.
 *
 * @param {{ port: number, dataFile: string, logFile: string }} options `dataFile` may be `:memory:`
 * @returns {Promise<{ url: string, started: Awaited<ReturnType<typeof startProcess>> }>} `url` without a slash at the end
 * @throws {import('../setup-error.mjs').SetupError} if it ends before that line
 * @throws {Error} if it takes more than a minute
 */
export async function startSandbox({ port, dataFile, logFile }) {
	const { program, args, cwd, env } = sandboxCommand(['--port', String(port), '--data', dataFile]);
	const started = await startProcess('The sandbox', program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
	const { stdout, stderr } = /** @type {import('node:child_process').ChildProcessWithoutNullStreams} */ (started.child);
	const log = createWriteStream(logFile, { mode: 0o600 });
	stdout.pipe(log, { end: false });
	stderr.pipe(log, { end: false });
	/** @type {string | undefined} */
	let url;
	createInterface({ input: stdout }).on('line', (line) => {
		url ??= /^ready (http:\/\/\S+?)\/?$/.exec(line)?.[1];
	});
	const wait = { withinMs: 60_000, everyMs: 20 };
	return { url: await waitUntilReady(started, logFile, () => Promise.resolve(url), wait), started };
}
