import { constants } from 'node:os';
import { isInstalled } from '../bootstrap/marker.mjs';
import { createProgress } from '../bootstrap/progress.mjs';
import { endAllProcesses } from '../process/processes.mjs';

/** @type {NodeJS.Signals[]} */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Installs the packages of a folder if they are missing, before its program takes over the terminal. Ctrl-C ends the
 * installation with its children.
 *
 * @param {string} folder the folder that has `node_modules`
 * @param {(progress: import('../bootstrap/progress.mjs').Progress) => Promise<void>} install installs them as one step
 * @param {NodeJS.WriteStream} output the stream for the step's lines
 * @throws {import('../setup-error.mjs').SetupError} names the failed installation, with the next steps
 */
export async function installInTerminal(folder, install, output) {
	if (isInstalled(folder)) return;
	/** @param {NodeJS.Signals} signal */
	function end(signal) {
		void endAllProcesses().then(() => process.exit(128 + constants.signals[signal]));
	}
	for (const signal of signals) process.on(signal, end);
	await install(createProgress({ total: 2, finished: 1, output }));
	for (const signal of signals) process.off(signal, end);
}
