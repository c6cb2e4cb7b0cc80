import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProcess } from '../process/processes.mjs';
import { n8nServerFolder, nodeProgram, toolEnvironment } from '../paths.mjs';
import { waitUntilReady } from '../process/wait-until.mjs';

/** The first start creates n8n's database, which takes minutes on a slow disk. */
const readyWithinMs = 300_000;

/** The only variables that n8n inherits from the user's environment: no N8N_*, database or proxy settings. */
const inherited = ['HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'USER'];

/** Turns off telemetry, banners and surveys. */
const quiet = {
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	N8N_LICENSE_DETACH_FLOATING_ON_SHUTDOWN: 'false',
	N8N_HIDE_USAGE_PAGE: 'true',
	N8N_AI_ENABLED: 'false',
};

/** Modules that the package does not need. Some of them call n8n's servers. */
const unneeded = [
	'mcp-registry',
	'instance-ai',
	'agents',
	'chat-hub',
	'insights',
	'workflow-builder',
	'dynamic-credentials',
];

/**
 * Lists the unneeded modules that an n8n has. It does not start with a name that it does not know.
 *
 * @param {string} installed the folder of the installed n8n
 */
function unneededModules(installed) {
	const file = join(installed, 'node_modules', '@n8n', 'backend-common', 'dist', 'modules', 'modules.config.js');
	const list = readFileSync(file, 'utf8');
	return unneeded.filter((name) => list.includes(`'${name}'`)).join(',');
}

/**
 * Makes the complete environment of n8n.
 *
 * @param {{ userFolder: string, port: number, brokerPort: number, encryptionKey: string }} options `userFolder` gets a
 * `.n8n` folder; `brokerPort` is for n8n's task runner
 * @returns {NodeJS.ProcessEnv}
 */
export function n8nEnvironment({ userFolder, port, brokerPort, encryptionKey }) {
	const url = `http://127.0.0.1:${port}/`;
	return {
		...Object.fromEntries(inherited.filter((name) => process.env[name]).map((name) => [name, process.env[name]])),
		PATH: toolEnvironment().PATH,
		NODE_ENV: 'production',
		GENERIC_TIMEZONE: Intl.DateTimeFormat().resolvedOptions().timeZone,
		N8N_USER_FOLDER: userFolder,
		N8N_ENCRYPTION_KEY: encryptionKey,
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_HOST: '127.0.0.1',
		N8N_PORT: String(port),
		N8N_WEBHOOK_URL: url,
		N8N_EDITOR_BASE_URL: url,
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		N8N_SECURE_COOKIE: 'false',
		N8N_COMMUNITY_PACKAGES_ENABLED: 'true',
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
		// n8n would fetch the list of verified packages from its servers.
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '10',
		...quiet,
	};
}

/**
 * Starts n8n, or another of its programs, and waits until it is ready.
 *
 * @param {Parameters<typeof n8nEnvironment>[0] & { logFile: string, name?: string, args?: string[], env?: object,
 * installed?: string }} options `logFile` gets n8n's output; `name` is its name in messages; `args` are n8n's arguments, `start`
 * by default; `env` overrides variables of the environment; `installed` is the folder of another installed n8n
 * @returns {Promise<{ url: string, started: Awaited<ReturnType<typeof startProcess>> }>} `url` without a slash at the end
 * @throws {import('../setup-error.mjs').SetupError} if n8n ends
 * @throws {Error} if it takes more than 5 minutes
 */
export async function startN8n(options) {
	const { name = 'n8n', args = ['start'], env = {}, installed = n8nServerFolder, userFolder, logFile } = options;
	mkdirSync(userFolder, { recursive: true, mode: 0o700 });
	const program = join(installed, 'node_modules', 'n8n', 'bin', 'n8n');
	const started = await startProcess(name, nodeProgram, [program, ...args], {
		// n8n reads a .env file from its working directory.
		cwd: userFolder,
		env: { ...n8nEnvironment(options), N8N_DISABLED_MODULES: unneededModules(installed), ...env },
		logFile,
	});
	const url = `http://127.0.0.1:${options.port}`;
	/** @param {string} path */
	const serves = async (path) =>
		await fetch(url + path)
			.then(({ ok }) => ok)
			.catch(() => false);
	// n8n 1 reports that it is ready before its editor's routes work. Workers and webhook processors have none.
	const paths = ['/healthz/readiness', ...(args[0] === 'start' ? ['/rest/settings'] : [])];
	await waitUntilReady(started, logFile, async () => (await Promise.all(paths.map(serves))).every(Boolean), {
		withinMs: readyWithinMs,
	});
	return { url, started };
}
