import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { installProject, isProjectInstalled } from './lib/install/project.mjs';
import { checkNodeAndNpm } from './lib/install/prerequisites.mjs';
import { endAllProcesses } from './lib/process/processes.mjs';
import { createProgress } from './lib/progress.mjs';
import { sandboxCommand } from './lib/process/sandbox.mjs';
import { printError } from './lib/setup-error.mjs';

/** @type {NodeJS.Signals[]} */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Ctrl-C in a terminal also reaches the sandbox. If it did not, this process forwards it after this time. */
const forwardAfterMs = 500;

async function main() {
	/** @param {NodeJS.Signals} signal */
	const endInstall = (signal) => void endAllProcesses().then(() => process.exit(128 + constants.signals[signal]));
	for (const signal of signals) process.on(signal, endInstall);
	checkNodeAndNpm();
	if (!isProjectInstalled()) {
		// Callers read one line from stdout, so progress goes to stderr.
		await installProject(createProgress({ total: 1, output: process.stderr }));
	}
	for (const signal of signals) process.off(signal, endInstall);

	const { program, args, cwd, env } = sandboxCommand(process.argv.slice(2));
	const child = spawn(program, args, { cwd, env, stdio: 'inherit' });
	for (const signal of signals) {
		process.on(signal, () => setTimeout(() => child.kill(signal), signal === 'SIGINT' ? forwardAfterMs : 0));
	}
	child.once('error', (error) => {
		printError(error);
		process.exit(1);
	});
	child.once('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
}

main().catch((error) => {
	printError(error);
	process.exit(1);
});
