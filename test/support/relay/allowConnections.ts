import { openPostgres } from '../../../relay/database/postgres';

/**
 * Closes a database for all users and ends its connections, or opens it again.
 * @param url of the database
 */
export async function allowConnections(url: string, allowed: boolean): Promise<void> {
	const name = new URL(url).pathname.slice(1);
	const other = new URL(url);
	other.pathname = '/postgres';
	const admin = openPostgres(other.href);
	try {
		await admin.query(`alter database ${name} with allow_connections ${allowed}`);
		if (!allowed)
			await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
	} finally {
		await admin.close();
	}
}
