import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { ensurePostgres } from '../../scripts/lib/queue/find-servers.mjs';
import { startPostgres } from '../../scripts/lib/queue/servers.mjs';
import { reservePort } from '../../scripts/lib/process/free-port.mjs';
import { endAllProcesses, runProgram } from '../../scripts/lib/process/processes.mjs';
import { relayCommand } from '../../scripts/lib/process/relay.mjs';

/** A server in a process of its own. */
export interface Started {
	readonly child: ChildProcess;
	/** The address that it printed. */
	readonly url: string;
	/** How long the start took, process included. */
	readonly milliseconds: number;
}

/** The database engine of a relay and of its peer. */
export interface Engine {
	readonly name: 'embedded' | 'postgres';
	/** Arguments of a relay with an empty database. */
	readonly fresh: () => Promise<readonly string[]>;
	/** The same, for the bare server. */
	readonly target: () => Promise<string>;
	/** The process of the PostgreSQL server. */
	readonly server?: number;
}

/** The admin token of the relays. */
export const TOKEN = 'rly_bench_token_0123456789abcdef';
/** The secret in the ingest URL of the relays. */
export const SECRET = 'bench-secret-0123456789abcdef';

const root = join(import.meta.dirname, '..', '..');
const relayMain = join(root, 'relay', 'main.ts');

/**
 * Starts the relay as `npm run relay` does.
 * @param settings `RELAY_` variables in addition to those of all benchmarks
 */
export async function startRelay(
	args: readonly string[],
	settings: Readonly<Record<string, string>> = {},
): Promise<Started> {
	const inherited = Object.entries(process.env).filter(
		([name]) => !name.startsWith('RELAY_') && name !== 'DATABASE_URL',
	);
	const all = {
		RELAY_ALLOW: '127.0.0.1',
		RELAY_TOKEN: TOKEN,
		RELAY_INGEST_SECRET: SECRET,
		RELAY_KEY: 'bench-key-0123456789abcdef0123456789',
		...settings,
	};
	const env = { ...Object.fromEntries(inherited), ...all };
	return await start(relayCommand(['--port', '0', ...args], { env }));
}

/** Starts the peer of the relay's ingest with the same options of Node. */
export async function startPeer(target: string): Promise<Started> {
	const command = relayCommand([target]);
	const file = join(root, 'test', 'bench', 'relayBare.ts');
	return await start({ ...command, args: command.args.map((arg) => (arg === relayMain ? file : arg)) });
}

async function start({ program, args, cwd, env }: ReturnType<typeof relayCommand>): Promise<Started> {
	const began = performance.now();
	const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
	for await (const line of createInterface(child.stdout)) {
		const url = /^ready (\S+)$/.exec(line)?.[1];
		if (url !== undefined) return { child, url, milliseconds: performance.now() - began };
	}
	throw new Error('The relay or its peer ended before it was ready');
}

/** Stops a server in an orderly way. */
export async function stop({ child }: Started): Promise<void> {
	const exited = once(child, 'exit');
	child.kill('SIGTERM');
	await exited;
}

/** Resident memory of a server, in MB. */
export function memoryMb({ child }: Started): number {
	return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? NaN) / 1024;
}

/** Milliseconds of processor time of some servers so far, and of PostgreSQL with all its connections. */
export function processorMs({ server }: Engine, servers: readonly Started[]): number {
	const pids = servers.flatMap(({ child }) => child.pid ?? []);
	const all = server === undefined ? pids : [...pids, server, ...childrenOf(server)];
	// Linux counts in hundredths of a second. The last two fields are those of children that ended.
	return all.reduce(
		(sum, pid) =>
			sum +
			fieldsOf(pid)
				.slice(11, pid === server ? 15 : 13)
				.reduce(add, 0) *
				10,
		0,
	);
}

const add = (sum: number, value: number) => sum + value;

/** The fields of `/proc/<pid>/stat` after the name: the second is the parent, the 12th and 13th the processor time. */
function fieldsOf(pid: number): number[] {
	try {
		return readFileSync(`/proc/${pid}/stat`, 'utf8')
			.replace(/^.*\) /s, '')
			.split(' ')
			.map(Number);
	} catch {
		return [];
	}
}

function childrenOf(parent: number): number[] {
	const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
	return all.map(Number).filter((pid) => fieldsOf(pid)[1] === parent);
}

/** Writes a row of a table with columns of the same width. */
export function row(cells: ReadonlyArray<string | number>): string {
	return cells.map((cell) => String(cell).padStart(13)).join('');
}

/**
 * Measures with the engine that the user asked for, or with both in turn. Then ends all processes and removes all data.
 * @param asked name of an engine; undefined for both
 * @param benchmark name of the benchmark, for messages
 */
export async function withEngines(
	asked: string | undefined,
	benchmark: string,
	measure: (engine: Engine) => Promise<void>,
): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), `bench-${benchmark}-`));
	let folders = 0;
	const newFolder = () => join(folder, String((folders += 1)));

	async function postgresEngine(programs: Awaited<ReturnType<typeof ensurePostgres>>): Promise<Engine> {
		const port = await reservePort(4970);
		// PostgreSQL may run as another user, who must be able to enter this folder.
		chmodSync(folder, 0o711);
		const server = await startPostgres({
			programs,
			port,
			folder: newFolder(),
			logFile: join(folder, 'postgres.log'),
			durable: true,
		});
		const url = (database: string) => `postgres://${server.user}:${server.password}@127.0.0.1:${port}/${database}`;
		const createdb = join(dirname(programs.initdb), 'createdb');
		const create = async () => {
			const name = `bench_${(folders += 1)}`;
			await runProgram('createdb', createdb, [`--maintenance-db=${url(server.database)}`, name], {
				cwd: folder,
				env: { PATH: process.env.PATH },
				logFile: join(folder, 'createdb.log'),
			});
			return url(name);
		};
		return {
			name: 'postgres',
			fresh: async () => ['--folder', newFolder(), '--database', await create()],
			target: create,
			server: server.started.group,
		};
	}

	const programs =
		asked === 'embedded' ? undefined : await ensurePostgres({ install: false, command: `npm run bench ${benchmark}` });
	if (asked !== 'postgres') {
		await measure({
			name: 'embedded',
			fresh: () => Promise.resolve(['--folder', newFolder()]),
			target: () => Promise.resolve(newFolder()),
		});
	}
	if (programs) await measure(await postgresEngine(programs));
	await endAllProcesses();
	rmSync(folder, { recursive: true, force: true });
}
