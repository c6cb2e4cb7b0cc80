import type { Settings } from '../../../relay/settings';
import { atFileEnd, requireOutside } from '../atFileEnd';
import { temporaryFolder } from '../temporaryFolder';
import { builtRelay, copyEmptyDatabase } from './builtRelay';
import type { InProcess } from './inProcess';

/** Options of {@link startRelay}. */
export interface RelayOptions {
	/** `postgres://...`. Default: an embedded database in `folder`. */
	readonly database?: string;
	/** Default: a {@link relayFolder}. */
	readonly folder?: string;
	/** Default: any free port. */
	readonly port?: number;
	readonly role?: 'web' | 'worker' | 'all';
	/** More settings, such as `RELAY_ALLOW`. Receivers on 127.0.0.1 are allowed by default. */
	readonly env?: Readonly<Record<string, string>>;
}

/** Options of a relay in the process of the tests. */
export interface InProcessOptions extends RelayOptions {
	/** More settings, such as those that have no variable. */
	readonly settings?: Partial<Settings>;
}

/** A running relay. */
export interface Relay {
	/** Without a slash at the end. */
	readonly url: string;
	readonly folder: string;
	/** Posts an event to the ingest URL. */
	readonly post: (
		body: string | object,
		options?: { readonly type?: string; readonly path?: string },
	) => Promise<Response>;
	/** Calls the API with the admin token, or another one. */
	readonly api: (method: string, path: string, body?: object, token?: string) => Promise<Response>;
	/** Stops it in an orderly way. */
	readonly stop: () => Promise<void>;
}

/** The admin token and the ingest secret of all relays in tests. */
export const RELAY_TOKEN = 'rly_admin_token_for_tests_only_0001';
export const INGEST_SECRET = 'ingest-secret-for-tests-only-0001';
const KEY = 'encryption-key-for-tests-only-00000001';

const running = new Set<() => Promise<void>>();

// Relays of a test that failed must not stay.
atFileEnd(async () => void (await Promise.all([...running].map(async (stop) => await stop()))));

/**
 * Starts a relay in the process of the tests, which takes a tenth of the time of a new process. It is outside of jest's
 * modules, so all test files share its code. A test that kills the relay, reads its output or moves its clock needs
 * `startRelayProcess`.
 */
export async function startRelay(options: InProcessOptions = {}): Promise<Relay> {
	const { args, env, folder } = startOf(options);
	const { startInProcess } = builtModule();
	const { url, stop } = await startInProcess(args, env, options.settings ?? {});
	const end = async () => {
		await stop();
		running.delete(end);
	};
	running.add(end);
	return { ...clientOf(url), folder, stop: end };
}

/**
 * Runs `relay token` in the process of the tests, which takes a fifth of the time of a new process.
 * @param args the arguments after `token`
 * @returns its exit code and output, as of the program
 */
export const runTokenCommand: InProcess['tokenInProcess'] = async (args, env) =>
	await builtModule().tokenInProcess(args, env);

function builtModule(): InProcess {
	return requireOutside(builtRelay().inProcess) as InProcess;
}

/** Makes a folder with a database in which nothing happened. A relay starts there in a tenth of the time. */
export function relayFolder(): string {
	const folder = temporaryFolder();
	copyEmptyDatabase(folder);
	return folder;
}

/** The command line and the environment of a relay. */
export function startOf({ database, folder, port = 0, role = 'all', env }: RelayOptions): {
	readonly args: readonly string[];
	readonly env: Readonly<Record<string, string>>;
	readonly folder: string;
} {
	const used = folder ?? (database === undefined ? relayFolder() : temporaryFolder());
	const args = ['--port', String(port), '--folder', used, '--role', role];
	return {
		args: database === undefined ? args : [...args, '--database', database],
		env: { RELAY_ALLOW: '127.0.0.1', RELAY_TOKEN, RELAY_INGEST_SECRET: INGEST_SECRET, RELAY_KEY: KEY, ...env },
		folder: used,
	};
}

/** Calls a relay. */
export function clientOf(url: string): Pick<Relay, 'url' | 'post' | 'api'> {
	return {
		url,
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
	};
}
