import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { lastLines, startProcess } from './processes.mjs';
import { nodeProgram, projectFolder, toolEnvironment } from './project-paths.mjs';
import { SetupProblem } from './setup-problem.mjs';

/** The API key every sandbox takes. */
export const sandboxApiKey = 'sk_sandbox_demo';

const readyWithinMs = 60_000;

/**
 * How to start the sandbox; tsx is found only from the project's folder.
 *
 * @param {string[]} args its own options: `--port N`, `--data FILE|:memory:`
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
 * Starts the sandbox and waits for the line it prints when it answers.
 *
 * @param {{ port: number, dataFile: string, logFile: string }} options `dataFile` may be `:memory:`
 * @returns {Promise<{ url: string, started: Awaited<ReturnType<typeof startProcess>> }>} `url` without a slash at the end
 * @throws {SetupProblem} when it ends before that line
 * @throws {Error} when it takes more than a minute
 */
export async function startSandbox({ port, dataFile, logFile }) {
	const { program, args, cwd, env } = sandboxCommand(['--port', String(port), '--data', dataFile]);
	const started = await startProcess('The sandbox', program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
	const log = createWriteStream(logFile, { mode: 0o600 });
	started.child.stdout.pipe(log, { end: false });
	started.child.stderr.pipe(log, { end: false });
	const url = await new Promise((resolve, reject) => {
		const timer = setTimeout(() => reject(new Error('The sandbox took more than a minute')), readyWithinMs);
		const lines = createInterface({ input: started.child.stdout });
		lines.on('line', (line) => {
			const match = /^ready (http:\/\/\S+)$/.exec(line);
			if (!match) return;
			clearTimeout(timer);
			resolve(match[1].replace(/\/$/, ''));
		});
		started.ended.then((how) => {
			clearTimeout(timer);
			const log = lastLines(logFile, 25);
			reject(new SetupProblem(`The sandbox ended with ${how} before it was ready. The end of ${logFile}:\n\n${log}`));
		}, reject);
	});
	return { url, started };
}
