import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgres } from '../../../relay/database/postgres';

/**
 * Finds the process of a PostgreSQL server on this machine. The command that runs the tests starts it again after it ended.
 * @param url of a database on the server
 * @returns its process ID
 */
export async function postgresProcess(url: string): Promise<number> {
	const server = openPostgres(url);
	try {
		const [row] = await server.query<{ data_directory: string }>('show data_directory');
		return Number(readFileSync(join(row?.data_directory ?? '', 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
	} finally {
		await server.close();
	}
}
