import { setTimeout as sleep } from 'node:timers/promises';
import { DurableFs } from '../../../relay/database/durableFs';
import { openFolder } from '../../../relay/database/folder';

/** The result of each check on an embedded database, as text. */
export interface FolderChecks {
	/** Statements of timers that a transaction started, after its end. */
	readonly lateStatements: readonly string[];
	/** A table that was made within a transaction that failed, by a caller that was not given the transaction. */
	readonly tableOfFailedTransaction: string;
	/** A start whose commits do not reach the disk. */
	readonly startWithoutSync: string;
	/** The start on the same folder after it. */
	readonly startAfterwards: string;
}

/** Run with two folders, because PGlite does not start within jest: prints {@link FolderChecks} as JSON. */
async function main([folder = '', other = '']: readonly string[]): Promise<void> {
	const database = await openFolder(folder);
	const late: Array<Promise<string>> = [];
	await database.transaction(async (sql) => {
		await sql.query('create table late (id int)');
		for (const wait of [0, 50]) {
			late.push(sleep(wait).then(async () => await outcomeOf(async () => await database.query('select id from late'))));
		}
	});
	const lateStatements = await Promise.all(late);
	await outcomeOf(
		async () =>
			await database.transaction(async () => {
				await database.query('create table inside (id int)');
				await database.executeSql('insert into inside values (1)');
				throw new Error('The work failed');
			}),
	);
	const tableOfFailedTransaction = await outcomeOf(async () => await database.query('select id from inside'));
	await database.close();

	const counter = Object.getOwnPropertyDescriptor(DurableFs.prototype, 'syncs');
	// As with a version of PGlite that no longer calls our fsync.
	Object.defineProperty(DurableFs.prototype, 'syncs', { configurable: true, get: () => 0 });
	const startWithoutSync = await outcomeOf(async () => await openFolder(other));
	Object.defineProperty(DurableFs.prototype, 'syncs', { ...counter });
	const startAfterwards = await outcomeOf(async () => await (await openFolder(other)).close());
	const checks: FolderChecks = { lateStatements, tableOfFailedTransaction, startWithoutSync, startAfterwards };
	process.stdout.write(JSON.stringify(checks));
}

async function outcomeOf(work: () => Promise<unknown>): Promise<string> {
	return await work().then(
		() => 'succeeded',
		(error: unknown) => (error instanceof Error ? error.message : 'failed'),
	);
}

void main(process.argv.slice(2));
