import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { eventually } from '../eventually';
import type { TestClock } from './clock';
import type { TestDatabase } from './databases';
import { type RelayProcess } from './relayProcess';
import { temporaryFolder } from '../temporaryFolder';

const sizes = z.record(z.string(), z.object({ rows: z.number(), bytes: z.number() }));

/** Rows and bytes of each table that grows with events, with its indexes. */
export type TableSizes = z.output<typeof sizes>;

const TABLES = ['relay.event', 'relay.delivery', 'relay.progress', 'relay.seen', 'pgboss.job_common'];

/** Whatever a relay plans, some milliseconds earlier. */
const PLANNED_EARLIER = [
	`update relay.delivery set next_at = next_at - $1::int * interval '1 millisecond'
	where state = 'pending' and next_at is not null`,
	`update pgboss.job set start_after = start_after - $1::int * interval '1 millisecond'
	where name like 'to\\_%' and state < 'active' and (data ->> 'version')::int > 0`,
	`update relay.subscription set next_probe_at = next_probe_at - $1::int * interval '1 millisecond',
		failing_since = failing_since - $1::int * interval '1 millisecond'`,
];

/**
 * Lets time pass for a relay, in milliseconds. The clock of a PostgreSQL server stays, so there the planned times come
 * nearer instead.
 */
export async function letTimePass(
	database: TestDatabase,
	clock: TestClock,
	relay: RelayProcess,
	ms: number,
): Promise<void> {
	if (database.kind === 'folder') {
		await clock.pass(relay, ms);
		return;
	}
	for (const statement of PLANNED_EARLIER) await database.query(statement, [ms]);
	await clock.passTimers(relay, ms);
}

/** Reads the sizes of the tables of a running relay. */
export async function readSizes(database: TestDatabase, relay: RelayProcess): Promise<TableSizes> {
	if (database.kind === 'postgres') return await readTableSizes(async (text) => await database.query(text));
	const copy = temporaryFolder();
	try {
		await copyFolder(database.folder, copy, relay);
		const program = join(__dirname, 'tableSizes.ts');
		const options = ['--disable-warning=ExperimentalWarning', '--import', 'tsx', program, copy];
		return sizes.parse(JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8' })));
	} finally {
		rmSync(copy, { recursive: true });
	}
}

/** Reads the sizes with the function that runs a statement. */
export async function readTableSizes(
	query: (text: string) => Promise<Array<{ rows: number; bytes: number }>>,
): Promise<TableSizes> {
	const found: TableSizes = {};
	for (const table of TABLES) {
		const [row] = await query(
			`select (select count(*)::int from ${table}) as rows, pg_total_relation_size('${table}')::int as bytes`,
		);
		if (row) found[table] = row;
	}
	return found;
}

/** The copy is as after a power failure, because the relay is stopped meanwhile. */
async function copyFolder(from: string, to: string, { pid }: RelayProcess): Promise<void> {
	process.kill(pid, 'SIGSTOP');
	try {
		await eventually('the relay to stand still', () => (isStopped(pid) ? true : undefined));
		cpSync(join(from, 'pgdata'), join(to, 'pgdata'), { recursive: true });
	} finally {
		process.kill(pid, 'SIGCONT');
	}
}

function isStopped(pid: number): boolean {
	const file = `/proc/${pid}/stat`;
	return !existsSync(file) || / T /.test(readFileSync(file, 'utf8'));
}
