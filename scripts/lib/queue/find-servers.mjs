import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { logFolder } from '../paths.mjs';
import { SetupError } from '../setup-error.mjs';
import { findProgram, installHint } from '../bootstrap/programs.mjs';
import { installSystemPackages, mayInstallSystemPackages } from '../install/system-packages.mjs';

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

/** @typedef {{ initdb: string, postgres: string }} PostgresPrograms full paths of the programs */
/** @typedef {PostgresPrograms & { redis: string }} QueueServers full paths of the programs */

const postgresPrograms = ['initdb', 'postgres'];

/** @returns {PostgresPrograms | undefined} */
function findPostgres() {
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
	const folder = [...(inPath ? [dirname(realpathSync(inPath))] : []), ...folders].find((found) =>
		postgresPrograms.every((name) => existsSync(join(found, name))),
	);
	return folder === undefined ? undefined : { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
}

function findRedis() {
	const redis = findProgram('redis-server') ?? findProgram('valkey-server');
	return redis === undefined ? undefined : { redis };
}

/**
 * @template Programs
 * @typedef {object} Server
 * @property {string} name
 * @property {{ debian: string, fedora: string, mac: string }} packages the package on each system
 * @property {() => Programs | undefined} find
 */

/** @type {Server<PostgresPrograms>} */
const postgresServer = {
	name: 'PostgreSQL',
	packages: { debian: 'postgresql', fedora: 'postgresql-server', mac: 'postgresql@17' },
	find: findPostgres,
};

/** @type {Server<{ redis: string }>} */
const redisServer = {
	name: 'Redis',
	packages: { debian: 'redis-server', fedora: 'redis', mac: 'redis' },
	find: findRedis,
};

/**
 * Installs those servers that are missing, if that is allowed.
 *
 * @param {Server<unknown>[]} servers
 * @param {{ install: boolean, command: string, purpose: string }} options `install`: may install them; `command`: the
 * command to run again; `purpose`: a sentence that says what needs them
 * @throws {SetupError} with the command that installs the missing servers
 */
async function ensureServers(servers, { install, command, purpose }) {
	const findMissing = () => servers.filter(({ find }) => !find());
	let missing = findMissing();
	if (missing.length > 0 && mayInstallSystemPackages(install)) {
		await installSystemPackages(
			missing.map(({ packages }) => packages.debian),
			join(logFolder, 'apt-servers.log'),
		);
		missing = findMissing();
	}
	if (missing.length === 0) return;
	/** @param {'debian' | 'fedora' | 'mac'} system */
	const packages = (system) => missing.map((server) => server.packages[system]).join(' ');
	throw new SetupError(
		`Missing on this machine: ${missing.map(({ name }) => name).join(', ')}. ${purpose}`,
		`${installHint({ debian: packages('debian'), fedora: packages('fedora'), mac: `brew install ${packages('mac')}` })}\nThen run the same command again: ${command}`,
	);
}

/**
 * Finds PostgreSQL, or installs it if that is allowed.
 *
 * @param {{ install: boolean, command: string }} options `install`: may install it; `command`: the command to run again
 * @returns {Promise<PostgresPrograms>}
 * @throws {SetupError} with the command that installs it
 */
export async function ensurePostgres({ install, command }) {
	const purpose = 'The relay’s tests need PostgreSQL.';
	await ensureServers([postgresServer], { install, command, purpose });
	return found(postgresServer);
}

/**
 * Finds Redis and PostgreSQL, which n8n's queue mode needs, or installs them if that is allowed.
 *
 * @param {{ install: boolean }} options `install`: may install them
 * @returns {Promise<QueueServers>}
 * @throws {SetupError} with the command that installs the missing servers
 */
export async function ensureQueueServers({ install }) {
	const purpose = 'n8n’s queue mode needs Redis and PostgreSQL.';
	await ensureServers([redisServer, postgresServer], { install, command: 'npm run test:queue', purpose });
	return { ...found(redisServer), ...found(postgresServer) };
}

/**
 * @template Programs
 * @param {Server<Programs>} server
 * @returns {Programs}
 */
function found({ name, find }) {
	const programs = find();
	if (programs === undefined) throw new SetupError(`${name} is missing on this machine.`);
	return programs;
}
