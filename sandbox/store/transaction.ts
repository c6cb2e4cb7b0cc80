import type { DatabaseSync } from 'node:sqlite';

/**
 * Runs work as one change of the database: all of it is kept, or none where it throws. Within another one it is a part
 * of that.
 * @returns what the work returns
 */
export function transaction<Result>(database: DatabaseSync, work: () => Result): Result {
	if (isUnderWay(database)) return work();
	// Taking the write lock at the start: a read that later turns into a write could otherwise be refused midway.
	database.exec('BEGIN IMMEDIATE');
	try {
		const result = work();
		database.exec('COMMIT');
		return result;
	} catch (error) {
		// SQLite has already rolled back by itself after some failures; a second rollback would hide the first error.
		if (isUnderWay(database)) database.exec('ROLLBACK');
		throw error;
	}
}

function isUnderWay(database: DatabaseSync): boolean {
	return database.isTransaction;
}
