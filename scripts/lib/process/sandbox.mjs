import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { lastLines, startProcess } from './processes.mjs';
import { nodeProgram, projectFolder, toolEnvironment } from '../paths.mjs';
import { SetupError } from '../setup-error.mjs';

/** The API key that every sandbox accepts. */
export const sandboxApiKey = 'sk_sandbox_demo';

const readyWithinMs = 60_000;

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
 * @throws {SetupError} if it ends before that line
 * @throws {Error} if it takes more than a minute
 */
export async function startSandbox({ port, dataFile, logFile }) {
	const { program, args, cwd, env } = sandboxCommand(['--port', String(port), '--data', dataFile]);
	const started = await startProcess('The sandbox', program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
	const { stdout, stderr } = /** @type {import('node:child_process').ChildProcessWithoutNullStreams} */ (started.child);
	const log = createWriteStream(logFile, { mode: 0o600 });
	stdout.pipe(log, { end: false });
	stderr.pipe(log, { end: false });
	const url = await new Promise((resolve, reject) => {
		const timer = setTimeout(() => reject(new Error('The sandbox was not ready after 60 seconds')), readyWithinMs);
		const lines = createInterface({ input: stdout });
		lines.on('line', (line) => {
			const address = /^ready (http:\/\/\S+)$/.exec(line)?.[1];
			if (!address) return;
			clearTimeout(timer);
			resolve(address.replace(/\/$/, ''));
		});
		started.ended.then((reason) => {
			clearTimeout(timer);
			const log = lastLines(logFile, 25);
			reject(
				new SetupError(`The sandbox ended with ${reason} before it was ready. The last lines of ${logFile}:\n\n${log}`),
			);
		}, reject);
	});
	return { url, started };
}
