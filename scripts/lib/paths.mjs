import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the repository. */
export const projectFolder = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** The ignored folder for all generated files: the n8n server, the demo's state, logs and reports. */
export const localFolder = join(projectFolder, '.local');

/** The folder for the logs of installations. */
export const logFolder = join(localFolder, 'logs');

/** The folder for the test runners' results, which `.ci/run` adds up. */
export const reportFolder = join(localFolder, 'reports');

/** The installed n8n server. `--fresh` keeps it. */
export const n8nServerFolder = join(localFolder, 'n8n-server');

/** The committed manifest and lock file of the n8n server. */
export const n8nManifestFolder = join(projectFolder, 'scripts', 'n8n-server');

/** The installed oldest n8n that the package supports. */
export const oldestN8nFolder = join(localFolder, 'n8n-oldest');

/** The committed manifest and lock file of the oldest n8n. */
export const oldestN8nManifestFolder = join(projectFolder, 'scripts', 'n8n-oldest');

/** The installed database driver of all n8n versions. */
export const sqliteFolder = join(localFolder, 'n8n-sqlite');

/** The committed manifest and lock file of the database driver. */
export const sqliteManifestFolder = join(projectFolder, 'scripts', 'n8n-sqlite');

/** The folder of n8n's package check, with its own manifest. */
export const n8nScanFolder = join(projectFolder, 'scripts', 'n8n-scan');

/** The Zapier app, with its own manifest and lock file. */
export const zapierFolder = join(projectFolder, 'zapier');

/** The relay, with its own manifest and lock file. */
export const relayFolder = join(projectFolder, 'relay');

/** The documentation site, with its own manifest and lock file. */
export const siteFolder = join(projectFolder, 'site');

/** Node 24 from the npm package `node`, which runs everything except these scripts. */
export const nodeProgram = join(projectFolder, 'node_modules', 'node', 'bin', 'node');

/**
 * The environment for the project's tools.
 *
 * @param {NodeJS.ProcessEnv} [base] the environment to copy
 * @returns {NodeJS.ProcessEnv} a copy with `node` and the project's programs first in the PATH
 */
export function toolEnvironment(base = process.env) {
	// npm sets variables about the package whose script it runs. An npm for another folder must not inherit them.
	const own = Object.entries(base).filter(
		([name]) => !/^npm_(package_|lifecycle_|config_local_prefix$|config_prefix$)/.test(name),
	);
	const path = [
		join(projectFolder, 'node_modules', 'node', 'bin'),
		join(projectFolder, 'node_modules', '.bin'),
		base.PATH ?? '',
	].join(delimiter);
	return { ...Object.fromEntries(own), PATH: path };
}
