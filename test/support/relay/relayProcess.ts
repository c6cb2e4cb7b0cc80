import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { atFileEnd } from '../atFileEnd';
import { temporaryFolder } from '../temporaryFolder';
import { builtRelay, copyEmptyDatabase } from './builtRelay';

const root = join(__dirname, '..', '..', '..');

/** Options of {@link startRelayProcess}. */
export interface RelayProcessOptions {
	/** `postgres://...`. Default: an embedded database in `folder`. */
	readonly database?: string;
	/** Default: a new temporary folder. */
	readonly folder?: string;
	/** Default: any free port. */
	readonly port?: number;
	readonly role?: 'web' | 'worker' | 'all';
	/** More settings, such as `RELAY_ALLOW`. Receivers on 127.0.0.1 are allowed by default. */
	readonly env?: Readonly<Record<string, string>>;
}

/** A relay in a process of its own. */
export interface RelayProcess {
	/** Without a slash at the end. */
	readonly url: string;
	readonly folder: string;
	/** All lines of its output so far. */
	readonly output: () => readonly string[];
	/** Posts an event to the ingest URL. */
	readonly post: (
		body: string | object,
		options?: { readonly type?: string; readonly path?: string },
	) => Promise<Response>;
	/** Calls the API with the admin token, or another one. */
	readonly api: (method: string, path: string, body?: object, token?: string) => Promise<Response>;
	/** Kills the process at once. */
	readonly kill: () => Promise<void>;
	/** Stops it in an orderly way. */
	readonly stop: () => Promise<void>;
	readonly pid: number;
}

/** The admin token and the ingest secret of all relays in tests. */
export const RELAY_TOKEN = 'rly_admin_token_for_tests_only_0001';
export const INGEST_SECRET = 'ingest-secret-for-tests-only-0001';
const KEY = 'encryption-key-for-tests-only-00000001';

const children = new Set<ChildProcess>();

// Relays of a test that failed or was interrupted must not stay.
atFileEnd(() => {
	for (const child of children) child.kill('SIGKILL');
});

/** Starts a relay, and waits until it is ready. */
export async function startRelayProcess(options: RelayProcessOptions = {}): Promise<RelayProcess> {
	const { database, port = 0, role = 'all', env = {} } = options;
	const folder = options.folder ?? temporaryFolder();
	if (options.folder === undefined && database === undefined) copyEmptyDatabase(folder);
	const { program } = builtRelay();
	const args = [
		'--port',
		String(port),
		'--folder',
		folder,
		'--role',
		role,
		...(database ? ['--database', database] : []),
	];
	const child = spawn(process.execPath, [program, ...args], {
		cwd: root,
		env: {
			PATH: process.env.PATH,
			RELAY_ALLOW: '127.0.0.1',
			RELAY_TOKEN,
			RELAY_INGEST_SECRET: INGEST_SECRET,
			RELAY_KEY: KEY,
			...env,
		},
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	children.add(child);
	child.once('exit', () => children.delete(child));
	const lines: string[] = [];
	for (const stream of [child.stdout, child.stderr]) {
		createInterface({ input: stream }).on('line', (line) => lines.push(line));
	}
	const url = await readyUrl(child, lines);
	return {
		url,
		folder,
		pid: child.pid ?? 0,
		output: () => [...lines],
		post: async (body, { type = 'application/json', path = '' } = {}) =>
			await fetch(`${url}/in/${INGEST_SECRET}${path}`, {
				method: 'POST',
				headers: { 'content-type': type },
				body: typeof body === 'string' ? body : JSON.stringify(body),
			}),
		api: async (method, path, body, token = RELAY_TOKEN) =>
			await fetch(`${url}${path}`, {
				method,
				headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
				...(body && { body: JSON.stringify(body) }),
			}),
		kill: async () => await end(child, 'SIGKILL'),
		stop: async () => await end(child, 'SIGTERM'),
	};
}

async function readyUrl(child: ChildProcess, lines: readonly string[]): Promise<string> {
	return await new Promise((resolve, reject) => {
		const check = () => {
			const url = lines.map((line) => /^ready (\S+)$/.exec(line)?.[1]).find((found) => found !== undefined);
			if (url !== undefined) resolve(url);
		};
		child.stdout?.on('data', () => setImmediate(check));
		child.once('exit', (code) => reject(new Error(`The relay ended with ${code}: ${lines.join('\n')}`)));
	});
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const exited = once(child, 'exit');
	child.kill(signal);
	await exited;
}
