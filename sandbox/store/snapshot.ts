import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { z } from 'zod/v4';
import { transaction, writeCaches } from '../performance';

const tableRow = z.object({ name: z.string() });

/** Content of all tables at one time. */
export type Snapshot = ReadonlyMap<string, readonly Readonly<Record<string, SQLInputValue>>[]>;

function tablesOf(database: DatabaseSync): string[] {
	const rows = database
		.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
		.all();
	return z
		.array(tableRow)
		.parse(rows)
		.map(({ name }) => name);
}

/** Copies all tables. */
export function takeSnapshot(database: DatabaseSync): Snapshot {
	writeCaches(database);
	return new Map(tablesOf(database).map((name) => [name, database.prepare(`SELECT * FROM "${name}"`).all()]));
}

/** Replaces the content of all tables with a snapshot, or with nothing. One transaction. */
export function restoreSnapshot(database: DatabaseSync, snapshot: Snapshot = new Map()): void {
	transaction(database, () => {
		// Tables refer to each other. Checking at the commit allows any order.
		database.exec('PRAGMA defer_foreign_keys = ON');
		for (const name of tablesOf(database)) {
			database.exec(`DELETE FROM "${name}"`);
			for (const row of snapshot.get(name) ?? []) insertRow(database, name, row);
		}
	});
}

function insertRow(database: DatabaseSync, table: string, row: Readonly<Record<string, SQLInputValue>>): void {
	const columns = Object.keys(row);
	const places = columns.map(() => '?').join(', ');
	const names = columns.map((column) => `"${column}"`).join(', ');
	database.prepare(`INSERT INTO "${table}" (${names}) VALUES (${places})`).run(...Object.values(row));
}
