import { randomBytes } from 'node:crypto';
import { openPostgres } from '../../../relay/database/postgres';
import { relayFolder, startRelay, type InProcessOptions, type Relay } from './relay';
import { startRelayProcess, type ProcessOptions, type RelayProcess } from './relayProcess';
import { temporaryFolder } from '../temporaryFolder';

/** The relay's two databases: PGlite in a folder, and a PostgreSQL server. */
export type DatabaseKind = 'folder' | 'postgres';

/** A new database that the relays of a test share. */
export interface TestDatabase {
	readonly kind: DatabaseKind;
	/** Starts a relay on it in the process of the tests. It is stopped after the tests of the block. */
	readonly start: (options?: Omit<InProcessOptions, 'database' | 'folder'>) => Promise<Relay>;
	/** Starts a relay on it in a process of its own. It is killed after the tests of the block. */
	readonly startProcess: (options?: Omit<ProcessOptions, 'database' | 'folder'>) => Promise<RelayProcess>;
	/**
	 * Runs SQL beside the relay, such as to move the times of rows into the past. Only on PostgreSQL, because a folder
	 * belongs to one process.
	 */
	readonly query: <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;
	/**
	 * Lets all jobs in flight look as if their process was killed some time ago, so that the next look repeats them. An
	 * embedded database needs no look.
	 */
	readonly abandonJobs: () => Promise<void>;
	/** The URL of the PostgreSQL database. */
	readonly url?: string;
	readonly folder: string;
}

/**
 * Describes tests that run once on each database. `database` makes a new one for the block. Use it if the databases may
 * differ: in bytes, texts and JSON that their drivers read and write, in locks, clocks, order of rows or kills. All other
 * tests use one of them: `folder`, or `postgres` if they need several processes or `query`.
 */
export function describeOnEachDatabase(title: string, tests: (database: () => TestDatabase) => void): void {
	describe.each(['folder', 'postgres'] as const)(`${title} (%s)`, (kind) => tests(useDatabase(kind)));
}

/**
 * Makes a database for the tests of a `describe` block. It exists from `beforeAll` on.
 * @param options `mayKill`: uses a server that no other file uses, and that starts again after it ended
 */
export function useDatabase(kind: DatabaseKind, { mayKill = false } = {}): () => TestDatabase {
	let database: (TestDatabase & { end: () => Promise<void> }) | undefined;
	beforeAll(async () => {
		database = await createDatabase(kind, mayKill ? 'RELAY_TEST_POSTGRES_TO_KILL' : 'RELAY_TEST_POSTGRES');
	});
	afterAll(async () => await database?.end());
	return () => {
		if (database === undefined) throw new Error('The database exists from beforeAll on');
		return database;
	};
}

async function createDatabase(
	kind: DatabaseKind,
	server: string,
): Promise<TestDatabase & { end: () => Promise<void> }> {
	const folder = kind === 'folder' ? relayFolder() : temporaryFolder();
	const ends: Array<() => Promise<void>> = [];
	const url = kind === 'postgres' ? await createPostgresDatabase(server) : undefined;
	const beside = url === undefined ? undefined : openPostgres(url);
	const place = { folder, ...(url !== undefined && { database: url }) };
	return {
		kind,
		folder,
		...(url !== undefined && { url }),
		async start(options) {
			const relay = await startRelay({ ...options, ...place });
			ends.push(relay.stop);
			return relay;
		},
		async startProcess(options) {
			const relay = await startRelayProcess({ ...options, ...place });
			ends.push(relay.kill);
			return relay;
		},
		async query(text, values) {
			if (beside === undefined) throw new Error('A folder belongs to one process');
			return await beside.query(text, values);
		},
		async abandonJobs() {
			await beside?.query(
				`update pgboss.job set heartbeat_on = heartbeat_on - interval '1 hour' where state = 'active'`,
			);
		},
		async end() {
			await beside?.close();
			await Promise.all(ends.map(async (end) => await end()));
		},
	};
}

/**
 * Makes an empty database on a server of `npm run test:relay`.
 * @param variable of the environment, with the server's URL
 */
async function createPostgresDatabase(variable: string): Promise<string> {
	const server = process.env[variable];
	if (!server) throw new Error(`${variable} is not set: run this with npm run test:relay`);
	const name = `relay_${randomBytes(6).toString('hex')}`;
	const admin = openPostgres(server);
	try {
		await admin.query(`create database ${name}`);
	} finally {
		await admin.close();
	}
	const url = new URL(server);
	url.pathname = `/${name}`;
	return url.href;
}
