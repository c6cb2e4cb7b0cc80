import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { SetupError } from '../setup-error.mjs';
import { describeFailure } from './log-lines.mjs';
import { endGroup } from './process-group.mjs';

/**
 * Runs a program of an installation and waits until it ends.
 *
 * @typedef {(name: string, program: string, args: string[],
 * options: { cwd: string, env: NodeJS.ProcessEnv, logFile: string, hint: string }) => Promise<void>} RunInstaller
 * `name` is the name in messages, `logFile` is overwritten with the output, and `hint` is the error's hint. Throws a
 * `SetupError` if the program fails
 */

/** @type {number | undefined} */
let runningGroup;

/**
 * Runs a program without packages. Other code uses `runProgram`.
 *
 * @type {RunInstaller}
 */
export async function runInstaller(name, program, args, { cwd, env, logFile, hint }) {
	mkdirSync(dirname(logFile), { recursive: true });
	const log = openSync(logFile, 'w', 0o600);
	try {
		// A group of its own, so its children end with it, and Ctrl-C in the terminal reaches only this process.
		const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', log, log] });
		runningGroup = child.pid;
		const [code, signal] = await once(child, 'exit').catch((error) => {
			throw new SetupError(`${name} cannot be started: ${error.message}`);
		});
		const reason = signal ? `signal ${signal}` : `exit code ${code}`;
		if (code !== 0) throw new SetupError(describeFailure(name, reason, logFile), hint);
	} finally {
		runningGroup = undefined;
		closeSync(log);
	}
}

/** npm may ignore SIGTERM while it unpacks. The next installation starts over, so it can be killed. */
const graceMs = 2_000;

/** Ends the program that `runInstaller` runs. */
export async function endInstaller() {
	if (runningGroup !== undefined) await endGroup(runningGroup, graceMs);
}
