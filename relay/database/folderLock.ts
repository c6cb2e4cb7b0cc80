import { DatabaseSync } from 'node:sqlite';
import { FolderInUse } from './database';

/**
 * Locks a folder for this process. PGlite has no lock, and two processes on one folder lose acknowledged events. A file
 * with a process ID does not work, because IDs repeat in containers. SQLite's exclusive lock ends with the process.
 * @param file the lock file, which is created if it is missing
 * @returns releases the lock
 * @throws FolderInUse if another process has it
 */
export function lockFolder(file: string): () => void {
	const held = new DatabaseSync(file);
	try {
		held.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
	} catch {
		held.close();
		throw new FolderInUse(
			`Another process uses the folder of ${file}. Stop it, or choose another folder with --folder.`,
		);
	}
	return () => held.close();
}
