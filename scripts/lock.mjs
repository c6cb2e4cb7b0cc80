import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIdentity } from './process-table.mjs';

/** @typedef {{ pid: number, identity: string | undefined, [key: string]: unknown }} LockContent */

/**
 * Reads a lock.
 *
 * @param {string} file
 * @returns {LockContent | undefined} undefined when there is none, or none that can be read
 */
function readLock(file) {
	try {
		return JSON.parse(readFileSync(file, 'utf8'));
	} catch {
		return undefined;
	}
}

/**
 * Takes a lock for this process. A lock whose process is gone is taken over.
 *
 * @param {string} file where the lock lives
 * @returns {{ holder: LockContent } | { stale: LockContent | undefined, update: (more: object) => void, release: () => void }}
 * `holder` when a running process has it; else the lock is ours: `stale` is what a dead process left, `update` adds to
 * what others see, `release` gives it back
 */
export function takeLock(file) {
	mkdirSync(dirname(file), { recursive: true });
	const content = { pid: process.pid, identity: processIdentity(process.pid) };
	const draft = `${file}.${process.pid}`;
	let stale;
	for (;;) {
		writeFileSync(draft, JSON.stringify(content), { mode: 0o600 });
		try {
			// Linking, unlike creating and then writing, never shows others a lock without content.
			linkSync(draft, file);
			break;
		} catch (error) {
			if (error.code !== 'EEXIST') throw error;
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
 * Does some work while no other process holds the same lock, waiting for it if need be.
 *
 * @template T
 * @param {string} file where the lock lives
 * @param {() => Promise<T>} work
 * @param {(pid: number) => void} onWait told once when another process has the lock
 * @returns {Promise<T>} what `work` gives
 */
export async function withLock(file, work, onWait) {
	let told = false;
	for (;;) {
		const lock = takeLock(file);
		if (!('holder' in lock)) {
			try {
				return await work();
			} finally {
				lock.release();
			}
		}
		if (!told) onWait(lock.holder.pid);
		told = true;
		await sleep(500);
	}
}
