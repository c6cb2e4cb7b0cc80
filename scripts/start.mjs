import { join, relative, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { deleteDemoState, demoFiles, openDemoState } from './lib/n8n/demo-state.mjs';
import { findFreePort } from './lib/process/free-port.mjs';
import { installN8n } from './lib/install/n8n.mjs';
import { installProject } from './lib/install/project.mjs';
import { acquireLock } from './lib/process/lock.mjs';
import { startN8n } from './lib/n8n/server.mjs';
import { buildPackage, installPackageInN8n } from './lib/n8n/package.mjs';
import { checkNodeAndNpm } from './lib/install/prerequisites.mjs';
import { endAllProcesses, endGroup, killAllProcesses, lastLines, watchGroups } from './lib/process/processes.mjs';
import { processIdentity } from './lib/process/process-table.mjs';
import { createProgress, formatElapsed } from './lib/progress.mjs';
import { localFolder, projectFolder } from './lib/paths.mjs';
import { connectPhones, ensureCredentials, ensureWorkflow, openAccount, waitForWebhook } from './lib/n8n/provision.mjs';
import { startSandbox } from './lib/process/sandbox.mjs';
import { printError, SetupError } from './lib/setup-error.mjs';

const usage = `npm start -- [options]

  --fresh            start over: delete the account, workflows and messages. n8n stays installed
  --port N           port of the n8n editor, 5678 by default. If it is in use, the next free port
  --sandbox-port N   port of the sandbox, 4010 by default. If it is in use, the next free port
  --state DIR        folder for the data of this demo, .local/state by default
  --install          install missing system packages with apt-get (needs root)
  --help             show these options
`;

const phoneNumber = '+233201234567';
const senderId = 'KOFISHOP';

function readOptions() {
	try {
		const { values } = parseArgs({
			options: {
				fresh: { type: 'boolean', default: false },
				install: { type: 'boolean', default: false },
				help: { type: 'boolean', default: false },
				port: { type: 'string', default: '5678' },
				'sandbox-port': { type: 'string', default: '4010' },
				state: { type: 'string', default: join(localFolder, 'state') },
			},
		});
		for (const name of /** @type {const} */ (['port', 'sandbox-port'])) {
			const port = Number(values[name]);
			if (!Number.isInteger(port) || port < 1 || port > 65_535)
				throw new Error(`--${name} must be a port number from 1 to 65535, such as 5678.`);
		}
		return values;
	} catch (error) {
		throw new SetupError(error instanceof Error ? error.message : String(error), usage);
	}
}

/**
 * Allows one start at a time in a state folder, and ends the processes that a killed start left running.
 *
 * @param {string} file the lock file
 */
async function lockState(file) {
	const lock = acquireLock(file);
	if ('holder' in lock) {
		const { pid, editor, phone } = lock.holder;
		throw new SetupError(
			`npm start is already running here (process ${pid})${editor ? `:\n\n  Editor  ${editor}\n  Phone   ${phone}` : ', but it is not ready yet.'}`,
			[
				`Use it, or stop it: press Ctrl-C in its terminal, or run kill ${pid}`,
				'To run a second one: npm start -- --state .local/another',
			].join('\n'),
		);
	}
	for (const { group, identity } of lock.stale?.groups ?? []) {
		if (processIdentity(group) === identity) await endGroup(group);
	}
	return lock;
}

/**
 * @param {string} name the program that uses the port, for the note
 * @param {number} preferred
 * @param {Set<number>} taken reserved ports, gets this one
 * @param {(text: string) => void} note
 */
async function choosePort(name, preferred, taken, note) {
	const port = await findFreePort(preferred, taken);
	if (port !== preferred) note(`Port ${preferred} is in use: ${name} uses ${port}.`);
	taken.add(port);
	return port;
}

/**
 * @param {{ ms: number, n8nUrl: string, sandboxUrl: string, phone: string, workflow: { id: string },
 * login: { email: string, password: string }, files: ReturnType<typeof demoFiles> }} ready
 */
function printReady({ ms, n8nUrl, sandboxUrl, phone, workflow, login, files }) {
	/** @param {string} file */
	const short = (file) => (file.startsWith(projectFolder) ? relative(projectFolder, file) : file);
	process.stdout.write(`
Ready in ${formatElapsed(ms)}. Only this machine can reach it.

  Phone      ${phone}
  Try it     Open the phone page, type HOURS and press Send. The workflow replies.

  Editor     ${n8nUrl}/workflow/${workflow.id}
  Email      ${login.email}
  Password   ${login.password}

  Sandbox    ${sandboxUrl}/
  Logs       ${short(files.n8nLog)}, ${short(files.sandboxLog)}
  Stop       Ctrl-C
`);
}

/**
 * @param {ReturnType<typeof readOptions>} options
 * @param {(lock: import('./lib/process/lock.mjs').Lock) => void} onLock called when this process has the lock
 */
async function start(options, onLock) {
	const began = performance.now();
	const folder = resolve(options.state);
	const files = demoFiles(folder);
	checkNodeAndNpm();
	const lock = await lockState(files.lock);
	onLock(lock);
	watchGroups((groups) => lock.update({ groups }));
	if (options.fresh) deleteDemoState(folder);
	const { state, save } = openDemoState(folder);

	const progress = createProgress({ total: 7 });
	const { step, note } = progress;
	await installProject(progress);
	await installN8n(progress, { install: options.install });
	await step('Building and packing the n8n package', async () => {
		await buildPackage(files.buildLog);
		await installPackageInN8n(files.n8n, files.buildLog);
	});

	const taken = new Set();
	const sandbox = await step('Starting the sandbox', async () => {
		const port = await choosePort('the sandbox', Number(options['sandbox-port']), taken, note);
		return await startSandbox({ port, dataFile: files.sandboxData, logFile: files.sandboxLog });
	});
	const n8n = await step('Starting n8n', async () => {
		const port = await choosePort('n8n', Number(options.port), taken, note);
		// Not shown to the user: any free port works.
		const brokerPort = await findFreePort(port + 1, taken);
		const { encryptionKey } = state;
		return await startN8n({ userFolder: files.n8n, port, brokerPort, encryptionKey, logFile: files.n8nLog });
	});

	const { workflow, webhookUrl, passwordWorks } = await step(
		'Setting up the account, credentials and workflow',
		async () => {
			const account = await openAccount(n8n.url, state, save);
			await ensureCredentials(account.api, state, save, sandbox.url);
			const example = await ensureWorkflow(account.api, state, save);
			return { ...account, workflow: example.workflow, webhookUrl: n8n.url + example.webhookPath };
		},
	);
	await step('Connecting the simulated phones to the workflow', async () => {
		await waitForWebhook(webhookUrl);
		await connectPhones(sandbox.url, webhookUrl);
	});

	const phone = `${sandbox.url}/phone?number=${encodeURIComponent(phoneNumber)}&to=${senderId}`;
	lock.update({ editor: `${n8n.url}/workflow/${workflow.id}`, phone });
	const password = passwordWorks ? state.password : 'the password that you set in the editor';
	printReady({
		ms: performance.now() - began,
		n8nUrl: n8n.url,
		sandboxUrl: sandbox.url,
		phone,
		workflow,
		login: { email: state.email, password },
		files,
	});
	return {
		files,
		parts: [
			{ ...n8n, logFile: files.n8nLog },
			{ ...sandbox, logFile: files.sandboxLog },
		],
	};
}

let stopping = false;
let stoppingSince = 0;
let releaseLock = () => {};

/**
 * Ends all processes, releases the lock and exits.
 *
 * @param {number} exitCode
 */
async function stop(exitCode) {
	stopping = true;
	stoppingSince = performance.now();
	const remaining = await endAllProcesses();
	if (remaining.length > 0) {
		process.stderr.write(`\nCould not end these processes. Check them with: ps -p ${remaining.join(',')}\n`);
		process.exit(1);
	}
	releaseLock();
	if (exitCode === 0) process.stdout.write('Stopped.\n');
	process.exit(exitCode);
}

/** npm forwards some signals that the terminal has already sent to this process. */
const sameSignalMs = 500;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
	process.on(signal, () => {
		if (stopping) {
			if (performance.now() - stoppingSince > sameSignalMs) killAllProcesses();
			return;
		}
		process.stdout.write('\nStopping … Press Ctrl-C again to force it.\n');
		void stop(0);
	});
}

async function main() {
	const options = readOptions();
	if (options.help) return void process.stdout.write(usage);
	const { parts } = await start(options, (lock) => {
		releaseLock = lock.release;
	});
	const died = await Promise.race(
		parts.map(({ started, logFile }) => started.ended.then((reason) => ({ name: started.name, reason, logFile }))),
	);
	if (stopping) return;
	process.stderr.write(
		`\n${died.name} stopped unexpectedly (${died.reason}). The last lines of ${died.logFile}:\n\n${lastLines(died.logFile, 25)}\n`,
	);
	await stop(1);
}

main().catch(async (error) => {
	// Steps that Ctrl-C interrupts also fail: not worth a message.
	if (stopping) return;
	printError(error);
	await stop(1);
});
