import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../temporaryFolder';

/** A disk in memory, which a test can fill. */
export interface SmallDisk {
	readonly folder: string;
	/** Uses up the space that is left, except for these bytes. */
	readonly fill: (leave?: number) => void;
	/** Gives back the space that {@link fill} used. */
	readonly free: () => void;
	readonly unmount: () => void;
}

const BLOCK = Buffer.alloc(4_096);

/**
 * Mounts a disk of its own, as root or with sudo that asks for no password.
 * @param megabytes its size
 * @returns undefined if this user may not mount one
 */
export function mountSmallDisk(megabytes: number): SmallDisk | undefined {
	const folder = temporaryFolder();
	const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
	const run = (command: readonly string[]) => {
		const [program = '', ...args] = [...asRoot, ...command];
		execFileSync(program, args, { stdio: 'ignore' });
	};
	try {
		run(['mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0777`, 'relay-test', folder]);
	} catch {
		return undefined;
	}
	const filler = join(folder, 'filler');
	const left = () => {
		const { bavail, bsize } = statfsSync(folder);
		return bavail * bsize;
	};
	return {
		folder,
		fill(leave = 0) {
			const file = openSync(filler, 'a');
			try {
				while (left() > leave) writeSync(file, BLOCK);
			} catch (error) {
				// Errors of Node are no instances of Jest's own Error.
				if (!String(error).includes('ENOSPC')) throw error;
			} finally {
				closeSync(file);
			}
		},
		free: () => rmSync(filler, { force: true }),
		unmount: () => run(['umount', '--lazy', folder]),
	};
}
