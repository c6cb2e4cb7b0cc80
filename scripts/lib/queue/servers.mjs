import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { runProgram, startProcess } from '../process/processes.mjs';
import { SetupError } from '../setup-error.mjs';
import { waitUntilReady } from '../process/wait-until.mjs';

const readyWithin = { withinMs: 60_000 };

/** PostgreSQL does not run as root. */
function unprivilegedUser() {
	if (process.getuid?.() !== 0) return undefined;
	for (const name of ['postgres', 'nobody']) {
		try {
			/** @param {string} flag */
			const id = (flag) =>
				Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
			return { uid: id('-u'), gid: id('-g') };
		} catch {
			continue;
		}
	}
	throw new SetupError(
		'PostgreSQL does not run as root, and this machine has no other user for it. Run the command as another user.',
	);
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
async function isRedisReady(port) {
	return await new Promise((resolve) => {
		const socket = connect({ port, host: '127.0.0.1' });
		/** @param {boolean} ready */
		const end = (ready) => {
			socket.destroy();
			resolve(ready);
		};
		socket.setTimeout(1_000, () => end(false));
		socket.once('error', () => end(false));
		socket.once('connect', () => socket.write('PING\r\n'));
		socket.once('data', (data) => end(data.toString('latin1').startsWith('+PONG')));
	});
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
	await waitUntilReady(started, logFile, () => isRedisReady(port), readyWithin);
}

/**
 * Creates a PostgreSQL database for n8n and starts its server for this machine only. A power failure may corrupt it.
 *
 * @param {{ programs: import('./find-servers.mjs').QueueServers, port: number, folder: string, logFile: string }} options
 * `folder` must not exist yet; other users must be able to enter the folders above it
 * @returns {Promise<{ user: string, password: string, database: string }>} after PostgreSQL is ready
 * @throws {SetupError} if the database cannot be created, or PostgreSQL ends
 */
export async function startPostgres({ programs, port, folder, logFile }) {
	const { initdb, postgres, isReady } = programs;
	const user = unprivilegedUser();
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
		fsync: 'off',
		full_page_writes: 'off',
		synchronous_commit: 'off',
	};
	const started = await startProcess(
		'PostgreSQL',
		postgres,
		['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
		{ cwd: folder, env, logFile, ...user },
	);
	const isPostgresReady = () => spawnSync(isReady, ['-h', '127.0.0.1', '-p', String(port)], { env }).status === 0;
	await waitUntilReady(started, logFile, () => Promise.resolve(isPostgresReady()), readyWithin);
	return { user: 'n8n', password, database: 'postgres' };
}
