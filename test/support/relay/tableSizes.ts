import { openDatabase } from '../../../relay/database/open';
import { readTableSizes } from './readSizes';

/** Run with the folder of an embedded database that no relay uses: prints rows and bytes of its tables as JSON. */
async function main([folder = '']: readonly string[]): Promise<void> {
	const database = await openDatabase(folder);
	const sizes = await readTableSizes(async (text) => await database.query(text));
	await database.close();
	process.stdout.write(`${JSON.stringify(sizes)}\n`);
}

void main(process.argv.slice(2));
