import { execa } from 'execa';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { describeFailure } from '../bootstrap/log-lines.mjs';
import { endGroup, processIdentity, signalGroup } from '../bootstrap/process-group.mjs';
import { SetupError } from '../setup-error.mjs';

/** @typedef {{ name: string, group: number, ended: Promise<string> }} Started a running program, the leader of a process group */

/** @type {Set<Started>} */
const running = new Set();

let ending = false;

/** @typedef {{ name: string, group: number, identity: string | undefined }} ProcessGroup */

/** @type {(groups: ProcessGroup[]) => void} */
let reportGroups = () => {};

/**
 * Reports the started process groups, so a later run can end those that a killed run left.
 *
 * @param {typeof reportGroups} listener called at every change
 */
export function watchGroups(listener) {
	reportGroups = listener;
}

function groupsChanged() {
	reportGroups([...running].map(({ name, group }) => ({ name, group, identity: processIdentity(group) })));
}

/** @param {string | undefined} file */
function openLog(file) {
	if (!file) return undefined;
	mkdirSync(dirname(file), { recursive: true });
	// execa accepts any file descriptor, but its types list only 1 to 9.
	return /** @type {3} */ (openSync(file, 'w', 0o600));
}

/**
 * Starts a program as the leader of a new process group. Its children then end with it, and Ctrl-C in the terminal reaches
 * only this process.
 *
 * @param {string} name the name in messages
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, logFile?: string, uid?: number, gid?: number }} [options]
 * `env` is the complete environment, this process's by default; `logFile` is overwritten with the output, which is shown
 * without it; `uid` and `gid`: the user to run as, only for root
 * @returns {Promise<Started>} `ended` resolves to `exit code N` or `signal NAME` when the process ends
 * @throws {SetupError} if the program cannot be started
 */
export async function startProcess(name, program, args, { logFile, env, ...options } = {}) {
	if (ending) throw new SetupError(`${name} was not started, because everything is stopping.`);
	const log = openLog(logFile);
	const output = log ?? /** @type {const} */ ('inherit');
	try {
		// The output goes straight to the file, so programs that outlive this process can still write.
		const child = execa(program, args, {
			...options,
			...(env && { env, extendEnv: false }),
			detached: true,
			reject: false,
			stdio: ['ignore', output, output],
		});
		if (child.pid === undefined) {
			throw new SetupError(`${name} cannot be started: ${(await child).originalMessage}`);
		}
		const ended = child.then(({ signal, exitCode }) => (signal ? `signal ${signal}` : `exit code ${exitCode}`));
		const started = { name, group: child.pid, ended };
		running.add(started);
		groupsChanged();
		return started;
	} finally {
		if (log !== undefined) closeSync(log);
	}
}

/**
 * Runs a program and waits until it ends.
 *
 * @param {string} name the name in messages
 * @param {string} program
 * @param {string[]} args
 * @param {Parameters<typeof startProcess>[3] & { hint?: string }} [options] as for `startProcess`; `hint` is the error's hint
 * @throws {SetupError} if it fails, with the relevant lines of its log
 */
export async function runProgram(name, program, args, { hint, ...options } = {}) {
	const started = await startProcess(name, program, args, options);
	const reason = await started.ended;
	running.delete(started);
	groupsChanged();
	if (reason !== 'exit code 0') throw new SetupError(describeFailure(name, reason, options.logFile), hint);
}

/**
 * Ends all groups that `startProcess` started, at the same time. No process can be started after that.
 *
 * @param {number} [graceMs] milliseconds between SIGTERM and SIGKILL
 * @returns {Promise<number[]>} IDs of processes that are still running; empty if all ended
 */
export async function endAllProcesses(graceMs) {
	ending = true;
	const remaining = await Promise.all([...running].map(({ group }) => endGroup(group, graceMs)));
	return remaining.flat();
}

/** Sends SIGKILL to all groups that `startProcess` started, without waiting. */
export function killAllProcesses() {
	for (const { group } of running) signalGroup(group, 'SIGKILL');
}
