import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { groupMembers, processIdentity } from './process-table.mjs';
import { hasCode, SetupError } from '../setup-error.mjs';

/** @typedef {{ name: string, child: import('node:child_process').ChildProcess, group: number, ended: Promise<string> }} Started */

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

/**
 * Starts a program as the leader of a new process group. Its children then end with it, and Ctrl-C in the terminal reaches
 * only this process.
 *
 * @param {string} name the name in messages
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, logFile?: string, stdio?: import('node:child_process').StdioOptions, uid?: number, gid?: number }} [options]
 * `logFile` is overwritten with the output; without it, `stdio` applies; `uid` and `gid`: the user to run as, only for root
 * @returns {Promise<Started>} `ended` resolves to `exit code N` or `signal NAME` when the process ends
 * @throws {SetupError} if the program cannot be started
 */
export async function startProcess(name, program, args, options = {}) {
	if (ending) throw new SetupError(`${name} was not started, because everything is stopping.`);
	const { cwd, env, logFile, stdio = 'inherit', uid, gid } = options;
	if (logFile) mkdirSync(dirname(logFile), { recursive: true });
	const log = logFile ? openSync(logFile, 'w', 0o600) : undefined;
	try {
		const child = spawn(program, args, {
			cwd,
			env,
			uid,
			gid,
			detached: true,
			stdio: log === undefined ? stdio : ['ignore', log, log],
		});
		const ended = once(child, 'exit').then(([code, signal]) => (signal ? `signal ${signal}` : `exit code ${code}`));
		// Without a listener, a missing program would end this process.
		ended.catch(() => {});
		await once(child, 'spawn').catch((error) => {
			throw new SetupError(`${name} cannot be started: ${error.message}`);
		});
		// A process that has spawned has an ID.
		const started = { name, child, group: /** @type {number} */ (child.pid), ended };
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
export async function runProgram(name, program, args, options = {}) {
	const started = await startProcess(name, program, args, options);
	const reason = await started.ended;
	running.delete(started);
	groupsChanged();
	if (reason === 'exit code 0') return;
	const log = options.logFile ? `:\n\n${relevantLines(options.logFile)}\n\n(full log: ${options.logFile})` : '.';
	throw new SetupError(`${name} failed with ${reason}${log}`, options.hint);
}

/**
 * Reads the end of a log.
 *
 * @param {string} file
 * @param {number} count the most lines to read
 * @returns {string} the lines, indented; empty if the file is missing
 */
export function lastLines(file, count) {
	try {
		return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n').replace(/^/gm, '    ');
	} catch {
		return '';
	}
}

/**
 * npm names the cause first, before long explanations. Other programs end with the cause.
 *
 * @param {string} file
 */
function relevantLines(file) {
	const npmErrors = readFileSync(file, 'utf8')
		.split('\n')
		.filter((line) => /^npm (error|ERR!) ./.test(line))
		.slice(0, 12);
	return npmErrors.length > 0 ? npmErrors.join('\n').replace(/^/gm, '    ') : lastLines(file, 25);
}

/**
 * @param {number} group
 * @param {NodeJS.Signals} signal
 */
function signalGroup(group, signal) {
	try {
		process.kill(-group, signal);
	} catch (error) {
		if (!hasCode(error, 'ESRCH')) throw error;
	}
}

/**
 * Ends a process group with SIGTERM, then with SIGKILL.
 *
 * @param {number} group process group id
 * @param {number} [graceMs] milliseconds between SIGTERM and SIGKILL
 * @returns {Promise<number[]>} IDs of processes that are still running; empty if all ended
 */
export async function endGroup(group, graceMs = 15_000) {
	signalGroup(group, 'SIGTERM');
	const forceAt = performance.now() + graceMs;
	let forced = false;
	for (;;) {
		const members = groupMembers(group);
		if (members.length === 0) return [];
		if (!forced && performance.now() > forceAt) {
			signalGroup(group, 'SIGKILL');
			forced = true;
		} else if (forced && performance.now() > forceAt + 5_000) {
			return members;
		}
		await sleep(50);
	}
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
