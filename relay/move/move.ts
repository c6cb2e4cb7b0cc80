import { existsSync } from 'node:fs';
import { createCipher, type Cipher } from '../cipher';
import { DatabaseError, type Database, type Sql } from '../database/database';
import { startEngine } from '../database/engine';
import { dataFolder, markMoved, openFolder } from '../database/folder';
import { migrate, MIGRATIONS } from '../database/migrate';
import { isPostgresUrl } from '../database/open';
import { openPostgres } from '../database/postgres';
import { queueOf } from '../delivery/queues';
import { keyFile, readKey } from '../key';
import { logProblem } from '../log';
import { WAITS } from '../waits';
import { copyTable, type Reseal } from './copy';
import { makeJobs } from './jobs';
import { MOVED_TABLES } from './tables';

/** The data of {@link move}. */
export interface Move {
	/** The folder of the embedded database. */
	readonly folder: string;
	/** The URL of an empty PostgreSQL database. */
	readonly database: string;
	/** RELAY_KEY, which encrypts secrets in the new database. Empty: the key file of the folder. */
	readonly key: string;
}

/** How long the engine may take to end, in milliseconds. It has no work. */
const STOP_MS = 1_000;

/**
 * Moves everything from the embedded database to PostgreSQL: settings, tokens, subscriptions, events, deliveries, and the
 * memory of duplicates. One transaction writes all of it, so an interrupted move can be repeated. The folder keeps its
 * data under another name, and no relay starts on it again.
 * @returns a text for the user
 * @throws DatabaseError if one of the databases cannot be used, or the new one has data
 */
export async function move({ folder, database, key }: Move): Promise<string> {
	if (!isPostgresUrl(database)) {
		throw new DatabaseError('Name the new database with --database postgres://... The folder is named with --folder.');
	}
	if (!existsSync(dataFolder(folder))) {
		throw new DatabaseError(`${folder} has no embedded database. Name the folder of the relay with --folder.`);
	}
	const from = await openFolder(folder);
	const to = openPostgres(database);
	let counts: Counts;
	try {
		await migrate(from, MIGRATIONS);
		await migrate(to, MIGRATIONS);
		await requireEmpty(to);
		const old = await findCipher(from, [readKey(folder), key]);
		counts = await copy(from, to, resealed(old, key === '' ? old : createCipher(key)));
	} finally {
		await from.close();
		await to.close();
	}
	return report(folder, key, counts, markMoved(folder));
}

interface Counts {
	readonly rows: Readonly<Record<string, number>>;
	readonly jobs: number;
}

async function copy(from: Database, to: Database, reseal: Reseal): Promise<Counts> {
	const engine = await startEngine(to, WAITS, (error) => logProblem('The queue had a problem and continues', error));
	try {
		const subscriptions = await from.query<{ id: string }>(
			`select id from relay.subscription where state <> 'removed'`,
		);
		for (const { id } of subscriptions) await engine.createQueue(queueOf(id));
		return await from.transaction(
			async (reading) =>
				await to.transaction(async (writing) => {
					const rows: Record<string, number> = {};
					for (const table of MOVED_TABLES) rows[table.name] = await copyTable(reading, writing, table, reseal);
					await continueSequence(writing);
					return { rows, jobs: await makeJobs(engine, writing) };
				}),
		);
	} finally {
		await engine.stop(STOP_MS);
	}
}

/** The next event follows the last one that was moved. */
async function continueSequence(sql: Sql): Promise<void> {
	await sql.query(
		`select setval(pg_get_serial_sequence('relay.event', 'sequence'), max(sequence)) from relay.event having count(*) > 0`,
	);
}

async function requireEmpty(to: Database): Promise<void> {
	for (const { name } of MOVED_TABLES) {
		const rows = await to.query(`select 1 as one from relay.${name} limit 1`);
		if (rows.length === 0) continue;
		throw new DatabaseError(
			'The new database already has data of a relay. Use an empty one. If it is the result of an earlier move, start the relay with it.',
		);
	}
}

/** The key file or RELAY_KEY, whichever the folder was used with. */
async function findCipher(from: Database, keys: ReadonlyArray<string | undefined>): Promise<Cipher> {
	const [row] = await from.query<{ value: string }>(`select value from relay.setting where name = 'ingest_secret'`);
	const ciphers = keys.flatMap((key) => (key === undefined || key === '' ? [] : [createCipher(key)]));
	const found = ciphers.find((cipher) => row !== undefined && opens(cipher, row.value));
	if (found) return found;
	throw new DatabaseError(
		'No key opens the secrets of the folder. Restore its key file, or set RELAY_KEY to the key that the relay used.',
	);
}

function opens(cipher: Cipher, sealed: string): boolean {
	try {
		cipher.open(sealed);
		return true;
	} catch {
		return false;
	}
}

/** Some values are not sealed, such as the marker of the first token. They stay as they are. */
function resealed(old: Cipher, fresh: Cipher): Reseal {
	return (value) => (opens(old, value) ? fresh.seal(old.open(value)) : value);
}

function report(folder: string, key: string, { rows, jobs }: Counts, kept: string): string {
	const keyNote = key === '' ? `  Its key is in ${keyFile(folder)}. Other machines need it as RELAY_KEY.\n` : '';
	return `Moved to PostgreSQL:

  ${rows.subscription ?? 0} subscriptions, ${rows.token ?? 0} tokens
  ${rows.event ?? 0} events, ${rows.delivery ?? 0} deliveries, ${jobs} of them pending

Start the relay with the new database:
  npm run relay -- --folder ${folder} --database postgres://...
${keyNote}
The old data is in ${kept}. Delete it when you no longer need it.
`;
}
