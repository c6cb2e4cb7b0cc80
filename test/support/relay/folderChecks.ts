import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Sql } from '../../../relay/database/database';
import { DurableFs } from '../../../relay/database/durableFs';
import { openFolder } from '../../../relay/database/folder';

/** The result of each check on an embedded database, as text. */
export interface FolderChecks {
	/** Statements of timers that a transaction started, after its end. */
	readonly lateStatements: readonly string[];
	/** A table that was made within a transaction that failed, by a caller that was not given the transaction. */
	readonly tableOfFailedTransaction: string;
	/** Runs of a prepared statement: at first, in trouble, and afterwards. The trouble is an error, or a new column. */
	readonly preparedRuns: readonly string[];
	/** How often the connection ran a prepared statement, after it was parsed a second time. */
	readonly runsAfterParsing: number;
	/** How many of ten prepared writes waited for the disk, each right after a write of the queue engine, which need not. */
	readonly preparedWritesOnDisk: number;
	/** A prepared statement of a transaction that has ended. */
	readonly preparedTooLate: string;
	/** A start whose commits do not reach the disk. */
	readonly startWithoutSync: string;
	/** The start on the same folder after it. */
	readonly startAfterwards: string;
}

/** Run with two folders and `countSyncs.mjs`, because PGlite does not start within jest: prints {@link FolderChecks} as JSON. */
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
	const { preparedRuns, preparedTooLate } = await prepareInTrouble(database);
	const preparedWritesOnDisk = await countWritesOnDisk(database);
	const runsAfterParsing = await runUntilParsedAgain(database);
	await database.close();

	const counter = Object.getOwnPropertyDescriptor(DurableFs.prototype, 'syncs');
	// As with a version of PGlite that no longer calls our fsync.
	Object.defineProperty(DurableFs.prototype, 'syncs', { configurable: true, get: () => 0 });
	const startWithoutSync = await outcomeOf(async () => await openFolder(other));
	Object.defineProperty(DurableFs.prototype, 'syncs', { ...counter });
	const startAfterwards = await outcomeOf(async () => await (await openFolder(other)).close());
	const checks: FolderChecks = {
		...{ lateStatements, tableOfFailedTransaction, startWithoutSync, startAfterwards },
		...{ preparedRuns, preparedTooLate, preparedWritesOnDisk, runsAfterParsing },
	};
	process.stdout.write(JSON.stringify(checks));
}

async function prepareInTrouble(database: Database): Promise<Pick<FolderChecks, 'preparedRuns' | 'preparedTooLate'>> {
	const insert = 'insert into prepared (place, words) values ($1, $2) returning place, words';
	const run = async (sql: Pick<Sql, 'prepared'>, place: number | string, words: string) =>
		await sql.prepared(insert, [place, words]).then(
			(rows) => JSON.stringify(rows),
			(error: unknown) => (error instanceof Error && 'code' in error ? `error ${String(error.code)}` : 'failed'),
		);
	const preparedRuns = [await run(database, 0, 'no table')];
	await database.query('create table prepared (place int, words text)');
	preparedRuns.push(await run(database, 1, `it's "one" \\ $1`));
	let ended: Sql | undefined;
	await outcomeOf(
		async () =>
			await database.transaction(async (sql) => {
				ended = sql;
				preparedRuns.push(
					await run(sql, 2, 'rolled back'),
					await run(sql, 'no number', ''),
					await run(sql, 3, 'failed'),
				);
				throw new Error('The work failed');
			}),
	);
	const preparedTooLate = await outcomeOf(async () => await ended?.prepared(insert, [4, 'too late']));
	await database.query('alter table prepared add column more text');
	preparedRuns.push(await run(database, 5, 'afterwards'));
	preparedRuns.push(JSON.stringify(await database.query('select place from prepared order by place')));
	return { preparedRuns, preparedTooLate };
}

async function countWritesOnDisk(database: Database): Promise<number> {
	const syncs = () => statSync(process.env.SYNC_COUNTER ?? '').size;
	let onDisk = 0;
	for (let place = 11; place <= 20; place += 1) {
		await database.executeSql(`insert into prepared (place) values (0)`);
		const before = syncs();
		await database.prepared('with added as (insert into prepared (place) values ($1)) select 1', [place]);
		if (syncs() > before) onDisk += 1;
	}
	return onDisk;
}

async function runUntilParsedAgain(database: Database): Promise<number> {
	const text = 'select words from prepared where place = $1';
	let runs = 0;
	for (let before = -1; runs > before;) {
		before = runs;
		await database.prepared(text, [1]);
		const [row] = await database.query<{ runs: number }>(
			`select (generic_plans + custom_plans)::int as runs from pg_prepared_statements where statement = $1`,
			[text],
		);
		runs = row?.runs ?? 0;
	}
	return runs;
}

async function outcomeOf(work: () => Promise<unknown>): Promise<string> {
	return await work().then(
		() => 'succeeded',
		(error: unknown) => (error instanceof Error ? error.message : 'failed'),
	);
}

void main(process.argv.slice(2));
