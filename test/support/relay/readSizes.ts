import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { eventually } from '../eventually';
import type { TestDatabase } from './databases';
import { type RelayProcess } from './relayProcess';
import { temporaryFolder } from '../temporaryFolder';

const sizes = z.record(z.string(), z.object({ rows: z.number(), bytes: z.number() }));

/** Rows and bytes of each table that grows with events, with its indexes. */
export type TableSizes = z.output<typeof sizes>;

const TABLES = ['relay.event', 'relay.delivery', 'relay.progress', 'relay.seen', 'pgboss.job_common'];

/** Reads the sizes of the tables of a running relay with an embedded database. */
export async function readSizes(database: TestDatabase, relay: RelayProcess): Promise<TableSizes> {
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
