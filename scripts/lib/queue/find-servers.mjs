import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { logFolder } from '../paths.mjs';
import { SetupError } from '../setup-error.mjs';
import {
	findProgram,
	installHint,
	installSystemPackages,
	mayInstallSystemPackages,
} from '../install/system-packages.mjs';

/**
 * Debian and Homebrew keep PostgreSQL's servers outside the PATH, in a folder for each version.
 *
 * @type {{ root: string, programFolder: (name: string) => string | undefined }[]}
 */
const postgresRoots = [
	{ root: '/usr/lib/postgresql', programFolder: (version) => join(version, 'bin') },
	{
		root: '/opt/homebrew/opt',
		programFolder: (formula) => (formula.startsWith('postgresql') ? join(formula, 'bin') : undefined),
	},
	{
		root: '/usr/local/opt',
		programFolder: (formula) => (formula.startsWith('postgresql') ? join(formula, 'bin') : undefined),
	},
];

/** @typedef {{ redis: string, initdb: string, postgres: string, isReady: string }} QueueServers full paths of the programs */

const postgresPrograms = ['initdb', 'postgres', 'pg_isready'];

function findPostgresFolder() {
	const inPath = findProgram('initdb');
	const folders = postgresRoots
		.filter(({ root }) => existsSync(root))
		.flatMap(({ root, programFolder }) =>
			readdirSync(root)
				.flatMap((name) => programFolder(name) ?? [])
				.map((folder) => join(root, folder)),
		)
		.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
	// The program in the PATH may be a link to one version of several.
	return [...(inPath ? [dirname(realpathSync(inPath))] : []), ...folders].find((folder) =>
		postgresPrograms.every((name) => existsSync(join(folder, name))),
	);
}

/** @returns {{ servers?: QueueServers, missing: { name: string, debian: string, fedora: string, mac: string }[] }} */
function findQueueServers() {
	const redis = findProgram('redis-server') ?? findProgram('valkey-server');
	const folder = findPostgresFolder();
	const missing = [
		...(redis ? [] : [{ name: 'Redis', debian: 'redis-server', fedora: 'redis', mac: 'redis' }]),
		...(folder
			? []
			: [{ name: 'PostgreSQL', debian: 'postgresql', fedora: 'postgresql-server', mac: 'postgresql@17' }]),
	];
	if (!redis || !folder) return { missing };
	/** @param {string} name */
	const program = (name) => join(folder, name);
	return {
		servers: { redis, initdb: program('initdb'), postgres: program('postgres'), isReady: program('pg_isready') },
		missing,
	};
}

/**
 * Finds Redis and PostgreSQL, which n8n's queue mode needs, or installs them if that is allowed.
 *
 * @param {{ install: boolean }} options `install`: may install them
 * @returns {Promise<QueueServers>}
 * @throws {SetupError} with the command that installs the missing servers
 */
export async function ensureQueueServers({ install }) {
	let { servers, missing } = findQueueServers();
	if (!servers && mayInstallSystemPackages(install)) {
		await installSystemPackages(
			missing.map(({ debian }) => debian),
			join(logFolder, 'apt-queue.log'),
		);
		({ servers, missing } = findQueueServers());
	}
	if (servers) return servers;
	/** @param {'debian' | 'fedora' | 'mac'} system */
	const packages = (system) => missing.map((server) => server[system]).join(' ');
	throw new SetupError(
		`Missing on this machine: ${missing.map(({ name }) => name).join(', ')}. n8n’s queue mode needs Redis and PostgreSQL.`,
		`${installHint({ debian: packages('debian'), fedora: packages('fedora'), mac: `brew install ${packages('mac')}` })}\nThen run the same command again: npm run test:queue`,
	);
}
