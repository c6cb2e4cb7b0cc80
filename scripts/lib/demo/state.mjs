import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from '../setup-error.mjs';

/**
 * The data that a demo keeps between starts. All secrets in it are generated.
 *
 * @typedef {object} DemoState
 * @property {string} email login of the editor
 * @property {string} password
 * @property {string} encryptionKey the key that n8n encrypts credentials with
 * @property {string} [apiKey] key of n8n's public API
 * @property {string} [workflowId]
 * @property {{ token: string, ingestSecret: string, n8nToken?: string }} relay the admin token, the secret in the URL for
 * events, and the token for n8n
 * @property {Record<string, { id: string, data: object }>} credentials the credential created for each type, with the data last written
 */

const stateFile = 'demo.json';

/** The lock of a state folder. */
export const lockFile = 'start.lock';

/**
 * Lists the files that a demo keeps in its state folder.
 *
 * @param {string} folder
 * @returns {{ lock: string, n8n: string, n8nLog: string, sandboxData: string, sandboxLog: string, relay: string,
 * relayLog: string, buildLog: string }}
 */
export function demoFiles(folder) {
	return {
		lock: join(folder, lockFile),
		n8n: join(folder, 'n8n'),
		n8nLog: join(folder, 'n8n.log'),
		sandboxData: join(folder, 'sandbox.sqlite'),
		sandboxLog: join(folder, 'sandbox.log'),
		relay: join(folder, 'relay'),
		relayLog: join(folder, 'relay.log'),
		buildLog: join(folder, 'build.log'),
	};
}

function freshState() {
	return {
		email: 'demo@example.com',
		// n8n requires a capital letter and a digit.
		password: `Demo-${randomBytes(6).toString('hex')}-1`,
		encryptionKey: randomBytes(32).toString('hex'),
		credentials: {},
		relay: {
			token: `rly_${randomBytes(32).toString('base64url')}`,
			ingestSecret: randomBytes(24).toString('base64url'),
		},
	};
}

/**
 * Opens a demo's data. The first time, it generates a login and secrets.
 *
 * @param {string} folder the state folder
 * @returns {{ state: DemoState, save: () => void }} `save` writes `state`, readable by the current user only
 */
export function openDemoState(folder) {
	const file = join(folder, stateFile);
	// A state of an earlier version has no relay.
	const state = { ...freshState(), ...(existsSync(file) && JSON.parse(readFileSync(file, 'utf8'))) };
	function save() {
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		writeFileSync(`${file}.new`, `${JSON.stringify(state, null, '\t')}\n`, { mode: 0o600 });
		renameSync(`${file}.new`, file);
	}
	save();
	return { state, save };
}

/**
 * Deletes all data of a demo except its lock.
 *
 * @param {string} folder the state folder
 * @throws {SetupError} if the folder contains files but is not a demo's folder
 */
export function deleteDemoState(folder) {
	if (!existsSync(folder)) return;
	const entries = readdirSync(folder).filter((name) => name !== lockFile);
	if (entries.length > 0 && !entries.includes(stateFile)) {
		throw new SetupError(
			`${folder} is not a folder of npm start, so --fresh deleted nothing in it.`,
			'Use --state with an empty folder, or with one that an earlier npm start created.',
		);
	}
	// Delete the state file last: it marks a demo's folder, so an interrupted deletion can be repeated.
	for (const name of [...entries.filter((entry) => entry !== stateFile), stateFile]) {
		rmSync(join(folder, name), { recursive: true, force: true });
	}
}
