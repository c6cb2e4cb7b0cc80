import { startEngine } from '../../../relay/database/engine';
import { openMigrated } from '../../../relay/database/open';

/** Makes a database with the tables of the relay and of its queue, in the folder of the first argument. */
async function main(): Promise<void> {
	const database = await openMigrated(process.argv[2] ?? '');
	const engine = await startEngine(database, (error) => {
		throw error;
	});
	await engine.stop(0);
	await database.close();
}

void main();
