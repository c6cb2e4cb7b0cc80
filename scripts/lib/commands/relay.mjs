import { constants } from 'node:os';
import { isInstalled } from '../bootstrap/marker.mjs';
import { createProgress } from '../bootstrap/progress.mjs';
import { installRelay } from '../install/packages.mjs';
import { relayFolder } from '../paths.mjs';
import { endAllProcesses } from '../process/processes.mjs';
import { relayCommand } from '../process/relay.mjs';
import { runInTerminal } from '../process/terminal.mjs';

/** @type {NodeJS.Signals[]} */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Installs the relay's packages if they are missing. Ctrl-C ends the installation with its children. */
async function install() {
	if (isInstalled(relayFolder)) return;
	/** @param {NodeJS.Signals} signal */
	function end(signal) {
		void endAllProcesses().then(() => process.exit(128 + constants.signals[signal]));
	}
	for (const signal of signals) process.on(signal, end);
	await installRelay(createProgress({ total: 2, finished: 1, output: process.stderr }));
	for (const signal of signals) process.off(signal, end);
}

/**
 * Runs the relay in this terminal until it ends, and exits as it did.
 *
 * @param {string[]} args the relay's command and options
 * @throws {import('../setup-error.mjs').SetupError} if its packages cannot be installed, or it cannot be started
 */
export async function runRelay(args) {
	await install();
	await runInTerminal('The relay', relayCommand(args));
}
