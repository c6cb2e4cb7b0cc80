import { execa } from 'execa';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runProgram, startProcess } from '../process/processes.mjs';
import { SetupError } from '../setup-error.mjs';
import { waitUntilReady } from '../process/wait-until.mjs';

const readyWithin = { withinMs: 60_000 };

/** How long a supervised PostgreSQL stays away after it ended, in milliseconds. */
const postgresAwayMs = 3_000;

/** PostgreSQL does not run as root. */
async function unprivilegedUser() {
	if (process.getuid?.() !== 0) return undefined;
	for (const name of ['postgres', 'nobody']) {
		/** @param {string} flag */
		const id = (flag) => execa('id', [flag, name], { reject: false });
		const [user, group] = await Promise.all([id('-u'), id('-g')]);
		if (!user.failed && !group.failed) return { uid: Number(user.stdout), gid: Number(group.stdout) };
	}
	throw new SetupError(
		'PostgreSQL does not run as root, and this machine has no other user for it. Run the command as another user.',
	);
}

/**
 * Waits until a server writes a line to its log.
 *
 * @param {import('../process/processes.mjs').Started} started
 * @param {string} logFile
 * @param {string} line part of the line
 */
async function waitForLine(started, logFile, line) {
	await waitUntilReady(started, logFile, () => readFileSync(logFile, 'utf8').includes(line), readyWithin);
}

/**
 * Starts Redis for this machine only, without writing to disk.
 *
 * @param {{ program: string, port: number, folder: string, logFile: string }} options `folder` is for Redis alone
 * @returns {Promise<void>} after Redis is ready
 * @throws {SetupError} if Redis ends
 */
export async function startRedis({ program, port, folder, logFile }) {
	mkdirSync(folder, { recursive: true });
	const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
	const started = await startProcess('Redis', program, args, { cwd: folder, logFile });
	await waitForLine(started, logFile, 'Ready to accept connections');
}

/**
 * Creates a PostgreSQL database and starts its server for this machine only. Unless `durable`, a power failure may corrupt it.
 *
 * @param {{ programs: import('./find-servers.mjs').PostgresPrograms, port: number, folder: string, logFile: string,
 * durable?: boolean }} options `folder` must not exist yet; other users must be able to enter the folders above it
 * @returns {Promise<{ user: string, password: string, database: string, started: import('../process/processes.mjs').Started,
 * restart: () => Promise<import('../process/processes.mjs').Started> }>} after PostgreSQL is ready; `restart` starts the
 * server again after it ended
 * @throws {SetupError} if the database cannot be created, or PostgreSQL ends
 */
export async function startPostgres({ programs, port, folder, logFile, durable = false }) {
	const { initdb, postgres } = programs;
	const user = await unprivilegedUser();
	const password = randomBytes(16).toString('hex');
	mkdirSync(folder, { mode: 0o700 });
	const passwordFile = join(folder, 'password');
	const data = join(folder, 'data');
	writeFileSync(passwordFile, password, { mode: 0o600 });
	mkdirSync(data, { mode: 0o700 });
	if (user) for (const path of [folder, passwordFile, data]) chownSync(path, user.uid, user.gid);
	const args = ['-D', data, '-U', 'n8n', `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--no-sync'];
	const env = { PATH: process.env.PATH, LANG: 'C' };
	await runProgram('initdb', initdb, [...args, '--encoding=UTF8', '--locale=C'], {
		cwd: folder,
		env,
		logFile,
		...user,
	});
	rmSync(passwordFile);
	const settings = {
		port,
		listen_addresses: '127.0.0.1',
		unix_socket_directories: '',
		max_connections: 200,
		...(!durable && { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
	};
	async function start() {
		const started = await startProcess(
			'PostgreSQL',
			postgres,
			['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
			{ cwd: folder, env, logFile, ...user },
		);
		await waitForLine(started, logFile, 'database system is ready to accept connections');
		return started;
	}
	return { user: 'n8n', password, database: 'postgres', started: await start(), restart: start };
}

/**
 * Starts PostgreSQL as `startPostgres` does, and starts it again each time it ends, because a test ends it.
 *
 * @param {Parameters<typeof startPostgres>[0]} options
 * @returns {Promise<string>} its URL, as an administrator
 * @throws {SetupError} as `startPostgres` does
 */
export async function startSupervisedPostgres(options) {
	const { user, password, database, started, restart } = await startPostgres(options);
	/** @param {Promise<string>} ended */
	async function supervise(ended) {
		await ended;
		await sleep(postgresAwayMs);
		await supervise((await restart()).ended);
	}
	// Fails while all processes are being ended.
	void supervise(started.ended).catch(() => {});
	return `postgres://${user}:${password}@127.0.0.1:${options.port}/${database}`;
}
