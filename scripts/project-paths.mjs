import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the repository. */
export const projectFolder = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');

/** The one ignored folder everything generated lives in: the n8n server, the demo's state, logs and reports. */
export const localFolder = join(projectFolder, '.local');

/** Where the installers write what npm says. */
export const logFolder = join(localFolder, 'logs');

/** Where the test runners write their results for `.ci/run`. */
export const reportFolder = join(localFolder, 'reports');

/** The installed n8n server; survives `--fresh`. */
export const n8nServerFolder = join(localFolder, 'n8n-server');

/** The committed manifest and lock file the n8n server is installed from. */
export const n8nManifestFolder = join(projectFolder, 'scripts', 'n8n-server');

/** The folder of n8n's own package check, with a manifest of its own. */
export const n8nScanFolder = join(projectFolder, 'scripts', 'n8n-scan');

/** The Zapier app, with a manifest and lock file of its own. */
export const zapierFolder = join(projectFolder, 'zapier');

/** The Node 24 that the npm package `node` brings, used for everything but these scripts themselves. */
export const nodeProgram = join(projectFolder, 'node_modules', 'node', 'bin', 'node');

/**
 * The environment for the project's tools.
 *
 * @param {NodeJS.ProcessEnv} [base] the environment to start from
 * @returns {NodeJS.ProcessEnv} a copy in which `node` and the project's own programs are found first
 */
export function toolEnvironment(base = process.env) {
	// npm describes the package it runs a script of; an npm started for another folder must not inherit that.
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
