import { openFolder } from '../../../relay/database/folder';

/** Run with a folder and a private value: makes the embedded database reject the value, and prints how it went. */
async function main([folder = '', value = '']: readonly string[]): Promise<void> {
	const database = await openFolder(folder);
	const outcome = async (work: () => Promise<unknown>) =>
		await work().then(
			() => 'accepted',
			() => 'rejected',
		);
	const outcomes = [
		await outcome(async () => await database.query('select $1::jsonb', [`{"from": ${value}`])),
		await outcome(async () => await database.prepared('select $1::text::jsonb', [`{"from": ${value}`])),
		await outcome(async () => await database.executeSql(`select 'from ${value}'::int`)),
		await outcome(async () => await database.transaction(async (sql) => await sql.query('select $1::uuid', [value]))),
	];
	await database.close();
	process.stdout.write(outcomes.join(' '));
}

void main(process.argv.slice(2));
