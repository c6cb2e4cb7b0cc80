import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

/**
 * Reads one line of Linux's process table; zombies count as gone, because nobody may be there to collect them.
 *
 * @param {number | string} pid
 * @returns {{ group: number, started: string } | undefined}
 */
function readLinuxProcess(pid) {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		// The program's name stands in brackets and may itself hold spaces and brackets.
		const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
		return fields[0] === 'Z' || fields[0] === 'X' ? undefined : { group: Number(fields[2]), started: fields[19] };
	} catch {
		return undefined;
	}
}

function ps(args) {
	try {
		return execFileSync('ps', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
	} catch {
		return '';
	}
}

/**
 * Tells a process from a later one that was given the same number.
 *
 * @param {number} pid process id
 * @returns {string | undefined} a text that stays the same for the life of the process; undefined when it is not running
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
		.filter(([, pgid, stat]) => Number(pgid) === group && !stat.startsWith('Z'))
		.map(([pid]) => Number(pid));
}
