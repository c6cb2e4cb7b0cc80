import type { PGlite } from '@electric-sql/pglite';

/** Runs statements, either on their own or in a transaction. */
export interface Sql {
	/** Runs one statement. */
	query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
	/**
	 * Runs one statement that many requests need, with the same text each time. The embedded database parses it once for
	 * many runs.
	 */
	prepared<Row extends object>(text: string, values: ReadonlyArray<string | number>): Promise<Row[]>;
	/** Runs one statement with parameters, or several without. pg-boss expects this method of a connection. */
	executeSql(text: string, values?: readonly unknown[]): Promise<{ rows: object[] }>;
}

/** The order of work that waits for each other: a request that waits for its response goes before all others. */
export type Priority = 'urgent' | 'normal';

/** A PostgreSQL server, or PGlite in a folder. Everything above this interface is the same for both. */
export interface Database extends Sql {
	/** Runs one statement, which is a transaction of its own. If it writes, it is on disk when this resolves. */
	query<Row extends object>(text: string, values?: readonly unknown[], priority?: Priority): Promise<Row[]>;
	/** As {@link Sql.prepared}, and on disk like {@link Database.query}. */
	prepared<Row extends object>(
		text: string,
		values: ReadonlyArray<string | number>,
		priority?: Priority,
	): Promise<Row[]>;
	/**
	 * Runs `work` in a transaction. All statements of `work` must use its argument.
	 * @returns its result, after the transaction is on disk
	 * @throws the error of `work` or of the database; then nothing is written
	 */
	transaction<Result>(work: (sql: Sql) => Promise<Result>, priority?: Priority): Promise<Result>;
	/** The connection for the queue engine. */
	readonly connection:
		| {
				readonly url: string;
				/** How long a statement may take, in milliseconds; 0 for no limit. */
				readonly statementMs: number;
		  }
		| { readonly pglite: PGlite };
	/** Whether this process is the only one that can use the database. */
	readonly exclusive: boolean;
	/** Closes all connections, and releases the folder. */
	close(): Promise<void>;
}

/** The database cannot be used. The message says why and what to do. */
export class DatabaseError extends Error {
	override readonly name: string = 'DatabaseError';
}

/** Another process uses the folder of the embedded database. */
export class FolderInUse extends DatabaseError {
	override readonly name = 'FolderInUse';
}
