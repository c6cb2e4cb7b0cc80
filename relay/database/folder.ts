import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite, type Transaction } from '@electric-sql/pglite';
import { DatabaseError, type Database, type Priority, type Sql } from './database';
import { DurableFs } from './durableFs';
import { lockFolder } from './folderLock';
import { createGate } from './gate';
import { createPrepared } from './prepared';
import { logProblem } from '../log';

/**
 * With the default of 100, ANALYZE reads 30,000 rows of a large table. All requests wait for that, because there is one
 * connection. It then needs nine times as long as with 10.
 */
const STATISTICS = 'default_statistics_target=10';

/** PGlite's default parameters, but with fsync, less memory, and a small write-ahead log. */
const PARAMETERS = [
	...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
	...['wal_sync_method=fsync', 'shared_buffers=16MB', 'max_wal_size=64MB', STATISTICS].flatMap((setting) => [
		'-c',
		setting,
	]),
];

/** Where PGlite keeps its files. */
export function dataFolder(folder: string): string {
	return join(folder, 'pgdata');
}

function movedFolder(folder: string): string {
	return join(folder, 'pgdata.moved');
}

/**
 * Marks the data of a folder as moved, so that no relay delivers it a second time.
 * @returns where the data is now
 */
export function markMoved(folder: string): string {
	renameSync(dataFolder(folder), movedFolder(folder));
	return movedFolder(folder);
}

/**
 * Opens PGlite in a folder. One process can use it at a time.
 * @throws DatabaseError if another process uses the folder, its data was moved, or commits do not reach the disk
 */
export async function openFolder(folder: string): Promise<Database> {
	if (existsSync(movedFolder(folder)) && !existsSync(dataFolder(folder))) {
		throw new DatabaseError(
			`The data of ${folder} was moved to PostgreSQL. Start with --database postgres://..., or choose another folder.`,
		);
	}
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const unlock = lockFolder(join(folder, 'lock.sqlite'));
	try {
		const pglite = await openData(dataFolder(folder), join(folder, 'pgdata.new'));
		return database(pglite, unlock);
	} catch (error) {
		unlock();
		throw error;
	}
}

/** A first start that is killed would leave half a database behind, so the first start renames a complete one into place. */
async function openData(data: string, making: string): Promise<PGlite> {
	if (!existsSync(data)) {
		rmSync(making, { recursive: true, force: true });
		const { pglite } = await open(making);
		await pglite.close();
		renameSync(making, data);
	}
	const { pglite, fs } = await open(data);
	await checkDurability(pglite, fs);
	return pglite;
}

async function open(data: string): Promise<{ pglite: PGlite; fs: DurableFs }> {
	const fs = new DurableFs(data, endOnFullDisk);
	return { pglite: await PGlite.create({ fs, startParams: PARAMETERS }), fs };
}

/** Whatever was acknowledged is on disk, and the next start repairs the rest, as after a crash. */
function endOnFullDisk(): never {
	logProblem('The disk is full, and the embedded database cannot continue. Free space, then start the relay again');
	process.exit(1);
}

async function checkDurability(pglite: PGlite, fs: DurableFs): Promise<void> {
	const before = fs.syncs;
	await pglite.exec('create schema if not exists relay');
	await pglite.exec('create table if not exists relay.start_check (at timestamptz)');
	await pglite.exec('insert into relay.start_check values (now())');
	await pglite.exec('truncate relay.start_check');
	if (fs.syncs > before) return;
	await pglite.close();
	throw new DatabaseError(
		'The embedded database does not write to disk, so a power failure could lose events. Install the pinned versions with npm ci, or use --database postgres://...',
	);
}

function database(pglite: PGlite, unlock: () => void): Database {
	// There is one connection. Whatever pg-boss asks for inside our transaction has to go through that transaction, or
	// both wait for each other forever. Everything else waits at the gate.
	const inside = new AsyncLocalStorage<{ current: Sql | undefined }>();
	const gate = createGate();
	const prepared = createPrepared(pglite);
	const outside = cleared(pglite, sqlOn(pglite, prepared));
	const here = () => inside.getStore()?.current;
	let syncs = true;
	/**
	 * Decides whether the next commits wait for the disk. The queue engine's own writes may be lost: a job that was fetched
	 * or completed is fetched again, and its delivery is settled already. The next durable write takes them along.
	 */
	const waitForDisk = async (wanted: boolean): Promise<void> => {
		if (syncs === wanted) return;
		await pglite.exec(`set synchronous_commit = ${wanted ? 'on' : 'off'}`);
		syncs = wanted;
	};
	/** Runs one statement outside of transactions. */
	const statement = async <Result>(text: string, run: () => Promise<Result>, priority?: Priority): Promise<Result> =>
		await gate(async () => {
			if (mayWrite(text)) await waitForDisk(true);
			return await run();
		}, priority);
	const transact = async <Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> => {
		await waitForDisk(true);
		return await pglite.transaction(async (transaction) => {
			// Emptied at the end, because a timer that started inside must not use the ended transaction.
			const store = { current: sqlOn(transaction, prepared) as Sql | undefined };
			try {
				return await inside.run(store, async () => await work(sqlOn(transaction, prepared)));
			} finally {
				store.current = undefined;
			}
		});
	};
	return {
		query: async (text, values, priority) =>
			await (here()?.query(text, values) ?? statement(text, async () => await outside.query(text, values), priority)),
		prepared: async (text, values, priority) =>
			await (here()?.prepared(text, values) ??
				statement(text, async () => await outside.prepared(text, values), priority)),
		executeSql: async (text, values) =>
			await (here()?.executeSql(text, values) ??
				gate(async () => {
					await waitForDisk(false);
					return await outside.executeSql(text, values);
				})),
		transaction: async (work, priority) => await gate(async () => await transact(work), priority),
		connection: { pglite },
		exclusive: true,
		async close() {
			await gate(async () => await pglite.close());
			unlock();
		},
	};
}

/** Whether a statement has to reach the disk. VACUUM runs outside transactions, and can be repeated. */
function mayWrite(text: string): boolean {
	return !/^\s*(select|vacuum|analyze)\b/i.test(text);
}

/** pg-boss writes BEGIN itself. If its statement fails, the only connection must not stay in a failed transaction. */
function cleared(pglite: PGlite, sql: Sql): Sql {
	return {
		...sql,
		async executeSql(text, values) {
			try {
				return await sql.executeSql(text, values);
			} catch (error) {
				await pglite.exec('ROLLBACK');
				throw error;
			}
		},
	};
}

function sqlOn(on: PGlite | Transaction, prepared: Sql['prepared']): Sql {
	return {
		query: async <Row extends object>(text: string, values?: readonly unknown[]) =>
			(await on.query<Row>(text, values && [...values])).rows,
		async prepared(text, values) {
			if (on.closed) throw new Error('The transaction has ended');
			return await prepared(text, values);
		},
		async executeSql(text, values) {
			if (values !== undefined && values.length > 0) return await on.query<object>(text, [...values]);
			// Only `exec` runs several statements, and only without parameters.
			const results = await on.exec(text);
			return { rows: results.flatMap(({ rows }): object[] => rows) };
		},
	};
}
