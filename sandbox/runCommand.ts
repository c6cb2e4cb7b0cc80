import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { toErrorInfo } from './errorInfo';

/** The codes of a shell for a command that is missing, and for one that may not be run. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

/**
 * Runs a command in this terminal until it ends. It gets all signals of this process.
 * @param variables added to the environment
 * @returns its exit code as a shell reports it: 128 and the signal's number after a signal, 127 for an unknown command
 */
export async function runCommand(
	[program, ...args]: readonly [string, ...string[]],
	variables: Readonly<Record<string, string>>,
): Promise<number> {
	const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...variables } });
	const forward = (signal: NodeJS.Signals) => {
		// Ctrl-C in a terminal reaches the command by itself. A second one would make many commands give up their cleanup.
		if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
	};
	const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
	for (const signal of signals) process.on(signal, forward);
	try {
		await once(child, 'exit');
	} catch (error) {
		const { code, message } = toErrorInfo(error);
		const reason = code === 'ENOENT' ? 'There is no such command.' : message;
		process.stderr.write(`${program} cannot be run. ${reason}\n`);
		return code === 'ENOENT' ? NOT_FOUND : NOT_EXECUTABLE;
	} finally {
		for (const signal of signals) process.off(signal, forward);
	}
	return child.exitCode ?? 128 + constants.signals[child.signalCode ?? 'SIGKILL'];
}
