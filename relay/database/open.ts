import type { Database } from './database';
import { openFolder } from './folder';
import { openPostgres } from './postgres';

/**
 * Opens the database.
 * @param target `postgres://...` for a server, else the path of a folder, which is created if it is missing
 * @throws DatabaseError if another process uses the folder, or its data cannot be written to disk
 */
export async function openDatabase(target: string): Promise<Database> {
	return isPostgresUrl(target) ? openPostgres(target) : await openFolder(target);
}

/** Whether a database is named by a PostgreSQL URL. */
export function isPostgresUrl(target: string): boolean {
	return /^postgres(ql)?:\/\//i.test(target);
}
