import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

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
 * Lists the processes of a group.
 *
 * @param {number} group process group id
 * @returns {number[]} ids of its running processes
 */
export function groupMembers(group) {
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
