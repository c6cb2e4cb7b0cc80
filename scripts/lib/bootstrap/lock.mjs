import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../setup-error.mjs';
import { processIdentity } from './process-group.mjs';

/**
 * @typedef {object} LockContent
 * @property {number} pid the process that has the lock
 * @property {string} [identity] see `processIdentity`
 * @property {import('../process/processes.mjs').ProcessGroup[]} [groups] the process groups that it started
 * @property {string} [command] the command of that process, as users type it
 * @property {string} [editor] n8n's address, as soon as the demo is ready
 * @property {string} [phone] the phone page's address
 */

/** @typedef {{ stale: LockContent | undefined, update: (more: Partial<LockContent>) => void, release: () => void }} Lock */

/**
 * Reads a lock.
 *
 * @param {string} file
 * @returns {LockContent | undefined} undefined if it is missing or cannot be read
 */
function readLock(file) {
	try {
		return JSON.parse(readFileSync(file, 'utf8'));
	} catch {
		return undefined;
	}
}

/**
 * Acquires a lock for this process. Replaces a lock whose process has ended.
 *
 * @param {string} file the lock file
 * @returns {{ holder: LockContent } | Lock}
 * `holder` if a running process has the lock. Otherwise this process has it: `stale` is the content that an ended process
 * left, `update` adds to the content, `release` deletes the lock
 */
export function acquireLock(file) {
	mkdirSync(dirname(file), { recursive: true });
	const content = { pid: process.pid, identity: processIdentity(process.pid) };
	const draft = `${file}.${process.pid}`;
	/** @type {LockContent | undefined} */
	let stale;
	for (;;) {
		writeFileSync(draft, JSON.stringify(content), { mode: 0o600 });
		try {
			// Unlike creating and then writing, linking never exposes a lock without content.
			linkSync(draft, file);
			break;
		} catch (error) {
			if (!hasCode(error, 'EEXIST')) throw error;
		} finally {
			rmSync(draft, { force: true });
		}
		const found = readLock(file);
		if (found && found.identity !== undefined && processIdentity(found.pid) === found.identity) {
			return { holder: found };
		}
		stale = found;
		rmSync(file, { force: true });
	}
	return {
		stale,
		update(more) {
			Object.assign(content, more);
			writeFileSync(draft, JSON.stringify(content), { mode: 0o600 });
			renameSync(draft, file);
		},
		release: () => rmSync(file, { force: true }),
	};
}

/**
 * Runs `work` with a lock, after waiting until no other process has it.
 *
 * @template T
 * @param {string} file the lock file
 * @param {() => Promise<T>} work
 * @param {(pid: number) => void} onWait called once if another process has the lock
 * @returns {Promise<T>} the result of `work`
 */
export async function withLock(file, work, onWait) {
	let waiting = false;
	for (;;) {
		const lock = acquireLock(file);
		if (!('holder' in lock)) {
			try {
				return await work();
			} finally {
				lock.release();
			}
		}
		if (!waiting) onWait(lock.holder.pid);
		waiting = true;
		await sleep(500);
	}
}
