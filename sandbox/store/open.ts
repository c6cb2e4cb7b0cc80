import { DatabaseSync } from 'node:sqlite';
import { toErrorInfo } from '../errorInfo';
import { migrate } from './migrate';
import { addSearch } from './search';

/** The data file cannot be used. The message names the file and the reason. */
export class DataFileError extends Error {
	override readonly name = 'DataFileError';
}

/**
 * Opens the database, and creates or upgrades its tables.
 * @param data file path, created if missing, or `:memory:`
 * @throws DataFileError
 */
export function openDatabase(data: string): DatabaseSync {
	let database: DatabaseSync | undefined;
	try {
		database = new DatabaseSync(data);
		// A second sandbox on the same file would apply status changes twice, so it must fail at once.
		database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA foreign_keys = ON; BEGIN EXCLUSIVE; COMMIT');
		// Survives a killed process, without a wait for the disk in each small transaction.
		database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY');
		// Small checkpoints: four times the size waits much longer for the disk.
		database.exec('PRAGMA wal_autocheckpoint = 250');
		migrate(database);
		addSearch(database);
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
