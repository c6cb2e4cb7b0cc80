import { installInTerminal } from '../install/in-terminal.mjs';
import { installRelay } from '../install/packages.mjs';
import { relayFolder } from '../paths.mjs';
import { relayCommand } from '../process/relay.mjs';
import { runInTerminal } from '../process/terminal.mjs';

/**
 * Runs the relay in this terminal until it ends, and exits as it did.
 *
 * @param {string[]} args the relay's command and options
 * @throws {import('../setup-error.mjs').SetupError} if its packages cannot be installed, or it cannot be started
 */
export async function runRelay(args) {
	await installInTerminal(relayFolder, installRelay, process.stderr);
	await runInTerminal('The relay', relayCommand(args));
}
