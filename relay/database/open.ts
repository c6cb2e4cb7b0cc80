import type { Database } from './database';
import { openFolder } from './folder';
import { migrate, MIGRATIONS } from './migrate';
import { openPostgres } from './postgres';

/**
 * Opens the database.
 * @param target `postgres://...` for a server, else the path of a folder, which is created if it is missing
 * @throws DatabaseError if another process uses the folder, or its data cannot be written to disk
 */
export async function openDatabase(target: string): Promise<Database> {
	return isPostgresUrl(target) ? openPostgres(target) : await openFolder(target);
}

/**
 * Opens the database for a running relay, after its tables are created or updated.
 * @param target as for {@link openDatabase}
 * @param statementMs how long a statement to a server may take after the migrations, in milliseconds
 * @throws DatabaseError as {@link openDatabase}
 */
export async function openMigrated(target: string, statementMs: number): Promise<Database> {
	const database = await openDatabase(target);
	try {
		await migrate(database, MIGRATIONS);
	} catch (error) {
		await database.close();
		throw error;
	}
	if (!isPostgresUrl(target)) return database;
	// A migration may take long. After it, a statement that takes long has lost its server.
	await database.close();
	return openPostgres(target, statementMs);
}

/** Whether a database is named by a PostgreSQL URL. */
export function isPostgresUrl(target: string): boolean {
	return /^postgres(ql)?:\/\//i.test(target);
}
