import { accessSync, constants, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';

const MEGABYTE = 1_000_000;

/**
 * Chooses the folder for the temporary files of tests that write much. The tests wait for the disk for minutes, and no
 * test can lose the power, so a disk in memory proves the same.
 *
 * @param {number} megabytes the most that the files need
 * @param {string} [memory] the disk in memory of Linux
 * @returns {string} the disk in memory if it has room, and the machine has twice as much free memory; else the system's folder
 */
export function memoryDisk(megabytes, memory = '/dev/shm') {
	try {
		accessSync(memory, constants.W_OK);
		const { bavail, bsize } = statfsSync(memory);
		if (bavail * bsize >= megabytes * MEGABYTE && freemem() >= 2 * megabytes * MEGABYTE) return memory;
	} catch {
		// Other systems and some containers have none.
	}
	return tmpdir();
}
