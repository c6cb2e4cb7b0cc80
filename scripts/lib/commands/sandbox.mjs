import { sandboxCommand } from '../process/sandbox.mjs';
import { runInTerminal } from '../process/terminal.mjs';

/**
 * Runs the sandbox in this terminal until it ends, and exits as it did.
 *
 * @param {string[]} args the sandbox's options
 * @throws {import('../setup-error.mjs').SetupError} if it cannot be started
 */
export async function runSandbox(args) {
	await runInTerminal('The sandbox', sandboxCommand(args));
}
