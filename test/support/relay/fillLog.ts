import { openDatabase } from '../../../relay/database/open';

/**
 * Run with a folder and `write`: writes to its database until the process ends, and prints each row that is on disk. With
 * `count`: prints the number of the last row.
 */
async function main([folder = '', action]: readonly string[]): Promise<void> {
	const database = await openDatabase(folder);
	await database.query('create table if not exists relay.filled (n int, words text)');
	for (let n = 1; action === 'write'; n += 1) {
		// One transaction, so that a row is always there.
		await database.transaction(async (sql) => {
			await sql.query('truncate relay.filled');
			await sql.query(
				`insert into relay.filled select $1::int, repeat(md5(random()::text), 60) from generate_series(1, 300)`,
				[n],
			);
		});
		process.stdout.write(`${n}\n`);
	}
	const [row] = await database.query<{ n: number | null }>('select max(n) as n from relay.filled');
	process.stdout.write(`${row?.n ?? 0}\n`);
	await database.close();
}

void main(process.argv.slice(2));
