import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { groupMembers, processIdentity } from './process-table.mjs';
import { SetupProblem } from './setup-problem.mjs';

/** @typedef {{ name: string, child: import('node:child_process').ChildProcess, group: number, ended: Promise<string> }} Started */

/** @type {Set<Started>} */
const running = new Set();

let ending = false;

/** @type {(groups: { name: string, group: number, identity: string | undefined }[]) => void} */
let tellGroups = () => {};

/**
 * Lets somebody write down which process groups we started, so that a later run can end what a killed one left.
 *
 * @param {typeof tellGroups} listener told at every change
 */
export function watchGroups(listener) {
	tellGroups = listener;
}

function groupsChanged() {
	tellGroups([...running].map(({ name, group }) => ({ name, group, identity: processIdentity(group) })));
}

/**
 * Starts a program as the head of a process group of its own, so that its children end with it and a Ctrl-C in the
 * terminal reaches only us.
 *
 * @param {string} name what to call it in messages
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, logFile?: string, stdio?: import('node:child_process').StdioOptions, uid?: number, gid?: number }} [options]
 * `logFile` takes its output, overwriting what was there; else `stdio` says where output goes; `uid` and `gid`: as whom
 * it runs, for root to say
 * @returns {Promise<Started>} `ended` resolves to how it ended, in words, when the process is gone
 * @throws {SetupProblem} when the program cannot be started
 */
export async function startProcess(name, program, args, options = {}) {
	if (ending) throw new SetupProblem(`${name} is not started: everything is being stopped.`);
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
		// Without a listener a program that is not there would end this process.
		ended.catch(() => {});
		await once(child, 'spawn').catch((error) => {
			throw new SetupProblem(`${name} cannot be started: ${error.message}`);
		});
		const started = { name, child, group: child.pid, ended };
		running.add(started);
		groupsChanged();
		return started;
	} finally {
		if (log !== undefined) closeSync(log);
	}
}

/**
 * Runs a program to its end.
 *
 * @param {string} name what to call it in messages
 * @param {string} program
 * @param {string[]} args
 * @param {Parameters<typeof startProcess>[3] & { cure?: string }} [options] as for `startProcess`; `cure` is added to the failure
 * @throws {SetupProblem} when it fails, with what its log says
 */
export async function runProgram(name, program, args, options = {}) {
	const started = await startProcess(name, program, args, options);
	const how = await started.ended;
	running.delete(started);
	groupsChanged();
	if (how === 'exit code 0') return;
	const log = options.logFile ? `:\n\n${tellingLines(options.logFile)}\n\n(all of it: ${options.logFile})` : '.';
	throw new SetupProblem(`${name} failed with ${how}${log}`, options.cure);
}

/**
 * Reads the end of a log.
 *
 * @param {string} file
 * @param {number} count how many lines at most
 * @returns {string} the lines, indented; empty when there is no such file
 */
export function lastLines(file, count) {
	try {
		return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n').replace(/^/gm, '    ');
	} catch {
		return '';
	}
}

/** npm names the cause first and explains itself at length after; other programs end with the cause. */
function tellingLines(file) {
	const npmErrors = readFileSync(file, 'utf8')
		.split('\n')
		.filter((line) => /^npm (error|ERR!) ./.test(line))
		.slice(0, 12);
	return npmErrors.length > 0 ? npmErrors.join('\n').replace(/^/gm, '    ') : lastLines(file, 25);
}

function signalGroup(group, signal) {
	try {
		process.kill(-group, signal);
	} catch (error) {
		if (error.code !== 'ESRCH') throw error;
	}
}

/**
 * Ends a process group: asks first, then forces.
 *
 * @param {number} group process group id
 * @param {number} [graceMs] how long it may take to end by itself, in milliseconds
 * @returns {Promise<number[]>} ids of processes that are still there; empty when all ended
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
 * Ends everything that `startProcess` started, all groups at once; nothing is started from here on.
 *
 * @param {number} [graceMs] how long each may take to end by itself, in milliseconds
 * @returns {Promise<number[]>} ids of processes that are still there; empty when all ended
 */
export async function endAllProcesses(graceMs) {
	ending = true;
	const remaining = await Promise.all([...running].map(({ group }) => endGroup(group, graceMs)));
	return remaining.flat();
}

/** Forces everything that `startProcess` started to end, without waiting. */
export function killAllProcesses() {
	for (const { group } of running) signalGroup(group, 'SIGKILL');
}
