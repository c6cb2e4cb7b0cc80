import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from './database';

/** The folder of the migrations. */
export const MIGRATIONS = join(__dirname, 'migrations');

/** Any number, the same in all versions: the lock of the migrations. */
const LOCK = 7_264_113;

/**
 * Creates or updates the tables, forward only. Each migration runs once, also if several processes start at the same
 * time.
 * @param folder of the files, named `0001-start.sql` and so on
 */
export async function migrate(database: Database, folder: string): Promise<void> {
	const files = readdirSync(folder).filter((name) => /^\d{4}-.+\.sql$/.test(name));
	await database.transaction(async (sql) => {
		await sql.query('select pg_advisory_xact_lock($1)', [LOCK]);
		await sql.query('create schema if not exists relay');
		await sql.query('create table if not exists relay.migration (name text primary key, at timestamptz not null)');
		const done = new Set(
			(await sql.query<{ name: string }>('select name from relay.migration')).map(({ name }) => name),
		);
		for (const file of files.sort().filter((name) => !done.has(name))) {
			await sql.executeSql(readFileSync(join(folder, file), 'utf8'));
			await sql.query('insert into relay.migration (name, at) values ($1, now())', [file]);
		}
	});
}
