import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { logFolder } from './project-paths.mjs';
import { SetupProblem } from './setup-problem.mjs';
import { findProgram, installHint, installSystemPackages, mayInstallSystemPackages } from './system-packages.mjs';

/** Debian and Homebrew keep PostgreSQL's servers out of the PATH, one folder a version. */
const postgresRoots = [
	{ root: '/usr/lib/postgresql', of: (version) => join(version, 'bin') },
	{ root: '/opt/homebrew/opt', of: (formula) => (formula.startsWith('postgresql') ? join(formula, 'bin') : undefined) },
	{ root: '/usr/local/opt', of: (formula) => (formula.startsWith('postgresql') ? join(formula, 'bin') : undefined) },
];

/** @typedef {{ redis: string, initdb: string, postgres: string, isReady: string }} QueueServers full paths of the programs */

const postgresPrograms = ['initdb', 'postgres', 'pg_isready'];

function findPostgresFolder() {
	const inPath = findProgram('initdb');
	const folders = postgresRoots
		.filter(({ root }) => existsSync(root))
		.flatMap(({ root, of }) =>
			readdirSync(root)
				.flatMap((name) => of(name) ?? [])
				.map((folder) => join(root, folder)),
		)
		.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
	// What stands in the PATH may be a link to one program of many.
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
	const of = (name) => join(folder, name);
	return { servers: { redis, initdb: of('initdb'), postgres: of('postgres'), isReady: of('pg_isready') }, missing };
}

/**
 * Makes sure that there are Redis and PostgreSQL, which n8n's queue mode runs on.
 *
 * @param {{ install: boolean }} options `install`: may install them
 * @returns {Promise<QueueServers>}
 * @throws {SetupProblem} with the command that installs what is missing
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
	const named = (system) => missing.map((one) => one[system]).join(' ');
	throw new SetupProblem(
		`Missing on this machine: ${missing.map(({ name }) => name).join(', ')}. n8n’s queue mode runs on Redis and PostgreSQL.`,
		`${installHint({ debian: named('debian'), fedora: named('fedora'), mac: `brew install ${named('mac')}` })}\nThen run the same command again: npm run test:queue`,
	);
}
