import { execa } from 'execa';
import { constants } from 'node:os';
import { SetupError } from '../setup-error.mjs';

/** @type {NodeJS.Signals[]} */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Ctrl-C in a terminal also reaches the program. If it did not, this process forwards it after this time. */
const forwardAfterMs = 500;

/**
 * Runs a program in this terminal until it ends, and exits as it did.
 *
 * @param {string} name the name in messages, with a capital letter
 * @param {{ program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv }} command
 * @throws {SetupError} if it cannot be started
 */
export async function runInTerminal(name, { program, args, cwd, env }) {
	// This process ends after the program, which first saves its data. execa would end both at the same time.
	const options = /** @type {const} */ ({ stdio: 'inherit', reject: false, cleanup: false, extendEnv: false });
	const child = execa(program, args, { ...options, cwd, env });
	for (const signal of signals) {
		process.on(signal, () => setTimeout(() => child.kill(signal), signal === 'SIGINT' ? forwardAfterMs : 0));
	}
	const { signal, exitCode, originalMessage } = await child;
	if (!signal && exitCode === undefined) throw new SetupError(`${name} cannot be started: ${originalMessage}`);
	process.exit(signal ? 128 + constants.signals[signal] : exitCode);
}
