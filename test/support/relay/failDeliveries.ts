import { openDatabase } from '../../../relay/database/open';

/** Run with a folder: ends all pending deliveries of the stopped relay as failed, as three days of retries would. */
async function main([folder = '']: readonly string[]): Promise<void> {
	const database = await openDatabase(folder);
	await database.query(`update relay.delivery set state = 'failed', settled_at = now() where state = 'pending'`);
	await database.close();
}

void main(process.argv.slice(2));
