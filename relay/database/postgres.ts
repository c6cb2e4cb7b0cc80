import { Pool, type PoolClient } from 'pg';
import type { Database, Sql } from './database';

/** Connections of one process. PostgreSQL allows 100 in all by default. */
const CONNECTIONS = 10;

/** How long a statement waits for a connection, in milliseconds. */
const CONNECT_MS = 5_000;

/**
 * Uses a PostgreSQL server. Several processes can use the same one.
 * @param statementMs how long a statement may take before its connection is given up, in milliseconds; 0 for no limit
 */
export function openPostgres(url: string, statementMs = 0): Database {
	const pool = new Pool({
		connectionString: url,
		max: CONNECTIONS,
		connectionTimeoutMillis: CONNECT_MS,
		query_timeout: statementMs,
		keepAlive: true,
	});
	// A lost idle connection is replaced at the next statement, which reports the error if that fails.
	pool.on('error', () => undefined);
	return {
		...sqlOn(pool),
		async transaction(work) {
			const client = await pool.connect();
			// The pool listens to idle connections only. Without a listener, a connection lost here would end the process.
			const ignore = () => undefined;
			client.on('error', ignore);
			let broken: Error | undefined;
			try {
				await client.query('BEGIN');
				const result = await work(sqlOn(client));
				await client.query('COMMIT');
				return result;
			} catch (error) {
				if (isTimeout(error)) broken = error;
				else {
					await client.query('ROLLBACK').catch((failure: unknown) => {
						broken = failure instanceof Error ? failure : new Error(String(failure));
					});
				}
				throw error;
			} finally {
				client.off('error', ignore);
				client.release(broken);
			}
		},
		connection: { url, statementMs },
		exclusive: false,
		close: async () => await pool.end(),
	};
}

/** Whether the server did not respond to a statement in time. Nothing can be sent on that connection any more. */
function isTimeout(error: unknown): error is Error {
	return error instanceof Error && error.message === 'Query read timeout';
}

function sqlOn(on: Pool | PoolClient): Sql {
	const query = async <Row extends object>(text: string, values?: readonly unknown[]) =>
		(await on.query<Row>(text, values && [...values])).rows;
	return {
		query,
		// A named statement would not survive a pooler between the relay and the server.
		prepared: query,
		executeSql: async (text, values) => await on.query<object>(text, values && [...values]),
	};
}
