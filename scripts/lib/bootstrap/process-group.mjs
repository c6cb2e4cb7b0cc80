import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../setup-error.mjs';

/**
 * Reads one entry of Linux's process table. Zombies count as ended, because their parent may never collect them.
 *
 * @param {number | string} pid
 * @returns {{ group: number, started: string } | undefined}
 */
function readLinuxProcess(pid) {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		// The program's name is in parentheses and may contain spaces and parentheses.
		const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
		return fields[0] === 'Z' || fields[0] === 'X' ? undefined : { group: Number(fields[2]), started: fields[19] ?? '' };
	} catch {
		return undefined;
	}
}

/** @param {string[]} args */
function ps(args) {
	try {
		return execFileSync('ps', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
	} catch {
		return '';
	}
}

/**
 * Identifies a process, because the system may give its ID to a later one.
 *
 * @param {number} pid process id
 * @returns {string | undefined} a value that stays the same for the life of the process; undefined if it is not running
 */
export function processIdentity(pid) {
	if (process.platform === 'linux') return readLinuxProcess(pid)?.started;
	const line = ps(['-o', 'stat=,lstart=', '-p', String(pid)]).trim();
	return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
}

/**
 * @param {number} group process group id
 * @returns {number[]} IDs of its running processes
 */
function groupMembers(group) {
	if (process.platform === 'linux') {
		return readdirSync('/proc')
			.filter((name) => /^\d+$/.test(name) && readLinuxProcess(name)?.group === group)
			.map(Number);
	}
	return ps(['-A', '-o', 'pid=,pgid=,stat='])
		.split('\n')
		.map((line) => line.trim().split(/\s+/))
		.filter(([, pgid, stat]) => Number(pgid) === group && !stat?.startsWith('Z'))
		.map(([pid]) => Number(pid));
}

/**
 * Sends a signal to all processes of a group.
 *
 * @param {number} group process group id
 * @param {NodeJS.Signals} signal
 */
export function signalGroup(group, signal) {
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
