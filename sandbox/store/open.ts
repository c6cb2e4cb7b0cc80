import { DatabaseSync } from 'node:sqlite';
import { toErrorInfo } from '../errorInfo';
import { migrate } from './migrate';

/** The data file cannot be used; the message names it and says why. */
export class DataFileError extends Error {
	override readonly name = 'DataFileError';
}

/**
 * Opens the database, making or upgrading its tables.
 * @param data a file's path, made where missing, or `:memory:`
 * @throws DataFileError
 */
export function openDatabase(data: string): DatabaseSync {
	let database: DatabaseSync | undefined;
	try {
		database = new DatabaseSync(data);
		// A second sandbox on the same file would move messages on twice: it is refused at once instead.
		database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA foreign_keys = ON; BEGIN EXCLUSIVE; COMMIT');
		// Kept over a killed process, and many small transactions do not each wait for the disk.
		database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY');
		// Little at a time: moving four times as much of the log into the file waits for the disk for much longer.
		database.exec('PRAGMA wal_autocheckpoint = 250');
		migrate(database);
		return database;
	} catch (error) {
		database?.close();
		throw new DataFileError(`cannot use ${data} as data file: ${reason(error)}`, { cause: error });
	}
}

function reason(error: unknown): string {
	const { message } = toErrorInfo(error);
	return message.includes('is locked') ? 'another program is using it' : message;
}
