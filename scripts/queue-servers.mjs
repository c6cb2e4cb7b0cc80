import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { lastLines, runProgram, startProcess } from './processes.mjs';
import { SetupProblem } from './setup-problem.mjs';
import { waitUntil } from './wait-until.mjs';

const readyWithinMs = 60_000;

/** PostgreSQL refuses to run as root. */
function unprivilegedUser() {
	if (process.getuid?.() !== 0) return undefined;
	for (const name of ['postgres', 'nobody']) {
		try {
			const id = (flag) =>
				Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
			return { uid: id('-u'), gid: id('-g') };
		} catch {
			continue;
		}
	}
	throw new SetupProblem('PostgreSQL does not run as root, and there is neither a user postgres nor nobody.');
}

async function redisAnswers(port) {
	return await new Promise((resolve) => {
		const socket = connect({ port, host: '127.0.0.1' });
		const end = (answer) => {
			socket.destroy();
			resolve(answer);
		};
		socket.setTimeout(1_000, () => end(false));
		socket.once('error', () => end(false));
		socket.once('connect', () => socket.write('PING\r\n'));
		socket.once('data', (data) => end(data.toString('latin1').startsWith('+PONG')));
	});
}

async function waitFor(name, started, logFile, ready) {
	const early = started.ended.then((how) => {
		throw new SetupProblem(`${name} ended with ${how}. The end of ${logFile}:\n\n${lastLines(logFile, 25)}`);
	});
	await Promise.race([waitUntil(name, ready, { withinMs: readyWithinMs }), early]);
	return started;
}

/**
 * Starts Redis on this machine only, with nothing written to disk.
 *
 * @param {{ program: string, port: number, folder: string, logFile: string }} options `folder` is its own
 * @returns {ReturnType<typeof startProcess>} when it answers
 * @throws {SetupProblem} when it ends
 */
export async function startRedis({ program, port, folder, logFile }) {
	mkdirSync(folder, { recursive: true });
	const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
	const started = await startProcess('Redis', program, args, { cwd: folder, logFile });
	return await waitFor('Redis', started, logFile, () => redisAnswers(port));
}

/**
 * Creates a PostgreSQL database for n8n and starts its server on this machine only. Nothing in it outlives a power cut.
 *
 * @param {{ programs: import('./find-queue-servers.mjs').QueueServers, port: number, folder: string, logFile: string }} options
 * `folder` is its own and must not exist yet; the folders above it must let other users pass
 * @returns {Promise<{ user: string, password: string, database: string }>} when it answers
 * @throws {SetupProblem} when it cannot be created, or ends
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
	const ready = async () => spawnSync(isReady, ['-h', '127.0.0.1', '-p', String(port)], { env }).status === 0;
	await waitFor('PostgreSQL', started, logFile, ready);
	return { user: 'n8n', password, database: 'postgres' };
}
