import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupProblem } from './setup-problem.mjs';

/**
 * What a demo remembers between starts. Everything secret in it is generated.
 *
 * @typedef {object} DemoState
 * @property {string} email login of the editor
 * @property {string} password
 * @property {string} encryptionKey n8n encrypts credentials with it
 * @property {string} webhookSecret the part of the webhook's path that only the sender of texts knows
 * @property {string} [apiKey] key of n8n's public API
 * @property {string} [workflowId]
 * @property {Record<string, { id: string, data: object }>} credentials by credential type: the one we made, as last written
 */

const stateFile = 'demo.json';

/** The lock of a state folder; also what tells a demo's folder from any other. */
export const lockFile = 'start.lock';

/**
 * Lists the files a demo keeps in its state folder.
 *
 * @param {string} folder
 * @returns {{ lock: string, n8n: string, n8nLog: string, sandboxData: string, sandboxLog: string, buildLog: string }}
 */
export function demoFiles(folder) {
	return {
		lock: join(folder, lockFile),
		n8n: join(folder, 'n8n'),
		n8nLog: join(folder, 'n8n.log'),
		sandboxData: join(folder, 'sandbox.sqlite'),
		sandboxLog: join(folder, 'sandbox.log'),
		buildLog: join(folder, 'build.log'),
	};
}

function freshState() {
	return {
		email: 'demo@example.com',
		// n8n asks for a capital letter and a digit.
		password: `Demo-${randomBytes(6).toString('hex')}-1`,
		encryptionKey: randomBytes(32).toString('hex'),
		webhookSecret: randomBytes(32).toString('hex'),
		credentials: {},
	};
}

/**
 * Opens a demo's memory, making up a login and secrets the first time.
 *
 * @param {string} folder the state folder
 * @returns {{ state: DemoState, save: () => void }} `save` writes `state` back, readable by its owner only
 */
export function openDemoState(folder) {
	const file = join(folder, stateFile);
	const state = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : freshState();
	function save() {
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		writeFileSync(`${file}.new`, `${JSON.stringify(state, null, '\t')}\n`, { mode: 0o600 });
		renameSync(`${file}.new`, file);
	}
	save();
	return { state, save };
}

/**
 * Deletes everything a demo remembers except its lock.
 *
 * @param {string} folder the state folder
 * @throws {SetupProblem} when the folder holds something that no demo made
 */
export function deleteDemoState(folder) {
	if (!existsSync(folder)) return;
	const entries = readdirSync(folder).filter((name) => name !== lockFile);
	if (entries.length > 0 && !entries.includes(stateFile)) {
		throw new SetupProblem(
			`${folder} does not look like a demo's folder, so --fresh does not delete what is in it.`,
			'Give --state an empty folder, or one that an earlier start made.',
		);
	}
	// The mark goes last, so that a deletion that was cut short can be repeated.
	for (const name of [...entries.filter((entry) => entry !== stateFile), stateFile]) {
		rmSync(join(folder, name), { recursive: true, force: true });
	}
}
