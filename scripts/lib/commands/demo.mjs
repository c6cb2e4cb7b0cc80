import { relative, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { lastLines } from '../bootstrap/log-lines.mjs';
import { acquireLock } from '../bootstrap/lock.mjs';
import { createProgress, formatElapsed } from '../bootstrap/progress.mjs';
import { endGroup, processIdentity } from '../bootstrap/process-group.mjs';
import {
	activateAgain,
	ensureApiCredential,
	ensureRelayCredential,
	ensureWorkflow,
	openAccount,
	waitForWebhook,
} from '../demo/provision.mjs';
import { ensureN8nToken, isRegistered, openRelayApi, relaySettings, waitForRegistration } from '../demo/relay.mjs';
import { connectSandbox } from '../demo/sandbox.mjs';
import { deleteDemoState, demoFiles, openDemoState } from '../demo/state.mjs';
import { installN8n } from '../install/n8n.mjs';
import { installRelay } from '../install/packages.mjs';
import { buildPackage, installPackageInN8n, waitForReload, watchPackage } from '../n8n/package.mjs';
import { startN8n } from '../n8n/server.mjs';
import { projectFolder } from '../paths.mjs';
import { reservePort } from '../process/free-port.mjs';
import { endAllProcesses, killAllProcesses, watchGroups } from '../process/processes.mjs';
import { startRelay } from '../process/relay.mjs';
import { startSandbox } from '../process/sandbox.mjs';
import { printError, SetupError } from '../setup-error.mjs';

const phoneNumber = '+233201234567';
const senderId = 'KOFISHOP';

/** n8n watches the folders of installed packages, and loads them again after a change. */
const reloadNodes = { N8N_DEV_RELOAD: 'true' };

/**
 * Allows one start at a time in a state folder, and ends the processes that a killed start left running.
 *
 * @param {string} file the lock file
 * @param {string} command this command, such as `npm start`
 */
async function lockState(file, command) {
	const lock = acquireLock(file);
	if ('holder' in lock) {
		const { pid, command: running = 'npm start', editor, phone } = lock.holder;
		throw new SetupError(
			`${running} is already running here (process ${pid})${editor ? `:\n\n  Editor  ${editor}\n  Phone   ${phone}` : ', but it is not ready yet.'}`,
			[
				`Use it, or stop it: press Ctrl-C in its terminal, or run kill ${pid}`,
				`To run a second one: ${command} -- --state .local/another`,
			].join('\n'),
		);
	}
	for (const { group, identity } of lock.stale?.groups ?? []) {
		if (processIdentity(group) === identity) await endGroup(group);
	}
	lock.update({ command });
	return lock;
}

/**
 * @param {string} name the program that uses the port, for the note
 * @param {number} preferred
 * @param {(text: string) => void} note
 */
async function choosePort(name, preferred, note) {
	const port = await reservePort(preferred);
	if (port !== preferred) note(`Port ${preferred} is in use: ${name} uses ${port}.`);
	return port;
}

/**
 * @param {{ ms: number, n8nUrl: string, sandboxUrl: string, relay: { url: string, token: string }, phone: string,
 * workflow: { id: string }, login: { email: string, password: string }, files: ReturnType<typeof demoFiles>,
 * watch: boolean }} ready
 */
function printReady({ ms, n8nUrl, sandboxUrl, relay, phone, workflow, login, files, watch }) {
	/** @param {string} file */
	const short = (file) => (file.startsWith(projectFolder) ? relative(projectFolder, file) : file);
	const edit = '  Edit       After a change, n8n reloads the nodes, or sandbox and relay restart.\n';
	process.stdout.write(`
Ready in ${formatElapsed(ms)}. Only this machine can reach it.

  Phone      ${phone}
  Try it     Open the phone page, type HOURS and press Send. The workflow replies.

  Editor     ${n8nUrl}/workflow/${workflow.id}
  Email      ${login.email}
  Password   ${login.password}

  Sandbox    ${sandboxUrl}/
  Relay      ${relay.url}/
  Token      ${relay.token}
  Logs       ${[files.n8nLog, files.sandboxLog, files.relayLog].map(short).join(', ')}
${watch ? edit : ''}  Stop       Ctrl-C
`);
}

/**
 * @param {import('../bootstrap/demo-options.mjs').DemoOptions} options
 * @param {{ steps: number, watch: boolean }} mode as for `runDemo`
 * @param {(lock: import('../bootstrap/lock.mjs').Lock) => void} onLock called when this process has the lock
 */
async function start(options, { steps, watch }, onLock) {
	const folder = resolve(options.state);
	const files = demoFiles(folder);
	const lock = await lockState(files.lock, options.command);
	onLock(lock);
	watchGroups((groups) => lock.update({ groups }));
	if (options.fresh) deleteDemoState(folder);
	const { state, save } = openDemoState(folder);

	const progress = createProgress({ total: steps, finished: 2 });
	const { step, note } = progress;
	await installN8n(progress, { install: options.install });
	await installRelay(progress);
	await step('Building and packing the n8n package', async () => {
		await buildPackage(files.buildLog);
		await installPackageInN8n(files.n8n, files.buildLog);
	});
	const watcher = watch
		? await step('Watching the source files of the nodes', () => watchPackage(files.n8n))
		: undefined;

	const sandbox = await step('Starting the sandbox', async () => {
		const port = await choosePort('the sandbox', options.sandboxPort, note);
		return await startSandbox({ port, dataFile: files.sandboxData, logFile: files.sandboxLog, watch });
	});
	const relay = await step('Starting the relay', async () => {
		const port = await choosePort('the relay', options.relayPort, note);
		const settings = relaySettings(state, sandbox.url);
		// Its database opens while n8n starts.
		return await startRelay({ port, folder: files.relay, logFile: files.relayLog, watch, settings });
	});
	const n8n = await step('Starting n8n', async () => {
		const port = await choosePort('n8n', options.port, note);
		// Not shown to the user: any free port works.
		const brokerPort = await reservePort(port + 1);
		const { encryptionKey } = state;
		const env = watch ? reloadNodes : {};
		const { n8n: userFolder, n8nLog: logFile } = files;
		const server = await startN8n({ userFolder, port, brokerPort, encryptionKey, logFile, env });
		if (watch) await waitForReload(userFolder, logFile);
		return server;
	});

	const relayApi = openRelayApi(relay.url, state.relay.token);
	const { api, workflow, webhookUrl, throughRelay, wasActive, passwordWorks } = await step(
		'Setting up the account, credentials and workflow',
		async () => {
			const account = await openAccount(n8n.url, state, save);
			await ensureApiCredential(account.api, state, save, sandbox.url);
			await relay.ready();
			const token = await ensureN8nToken(relayApi, state, save);
			await ensureRelayCredential(account.api, state, save, { url: relay.url, token });
			const { webhookPath, ...example } = await ensureWorkflow(account.api, state, save);
			return { ...account, ...example, webhookUrl: webhookPath && n8n.url + webhookPath };
		},
	);
	await step('Connecting the simulated phones to the workflow', async () => {
		const ingest = `${relay.url}/in/${state.relay.ingestSecret}`;
		if (!webhookUrl) {
			note('The trigger has a secret in its URL: enter the URL as Inbound URL in the sandbox.');
			await connectSandbox(sandbox.url, { ingest });
			return;
		}
		if (throughRelay) {
			// On other ports than at the last start, n8n could not register the trigger when it started.
			if (wasActive && !(await isRegistered(relayApi, webhookUrl))) await activateAgain(api, workflow);
			await waitForRegistration(relayApi, webhookUrl);
		}
		await waitForWebhook(webhookUrl);
		const inboundUrl = throughRelay ? `${ingest}/sms` : webhookUrl;
		await connectSandbox(sandbox.url, { ingest, inboundUrl });
	});

	const phone = `${sandbox.url}/phone?number=${encodeURIComponent(phoneNumber)}&to=${senderId}`;
	lock.update({ editor: `${n8n.url}/workflow/${workflow.id}`, phone });
	const password = passwordWorks ? state.password : 'the password that you set in the editor';
	printReady({
		// Since the process started, so with the installation.
		ms: performance.now(),
		n8nUrl: n8n.url,
		sandboxUrl: sandbox.url,
		relay: { url: relay.url, token: state.relay.token },
		phone,
		workflow,
		login: { email: state.email, password },
		files,
		watch,
	});
	return {
		files,
		parts: [
			{ started: n8n.started, logFile: files.n8nLog },
			{ started: sandbox.started, logFile: files.sandboxLog },
			{ started: relay.started, logFile: files.relayLog },
			// Its output is shown as it comes.
			...(watcher ? [{ started: watcher, logFile: undefined }] : []),
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

function stopOnSignals() {
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
}

/**
 * Runs the sandbox, the relay and n8n with the package until Ctrl-C, or until one of them ends. Then exits.
 *
 * @param {import('../bootstrap/demo-options.mjs').DemoOptions} options
 * @param {{ steps: number, watch: boolean }} mode `steps` is the number of steps, including the bootstrap's; `watch`: rebuild,
 * reload and restart after each change
 */
export async function runDemo(options, mode) {
	stopOnSignals();
	try {
		const { parts } = await start(options, mode, (lock) => {
			releaseLock = lock.release;
		});
		const died = await Promise.race(
			parts.map(({ started, logFile }) => started.ended.then((reason) => ({ name: started.name, reason, logFile }))),
		);
		if (stopping) return;
		const log = died.logFile ? ` The last lines of ${died.logFile}:\n\n${lastLines(died.logFile, 25)}` : '';
		process.stderr.write(`\n${died.name} stopped unexpectedly (${died.reason}).${log}\n`);
	} catch (error) {
		// Steps that Ctrl-C interrupts also fail: not worth a message.
		if (stopping) return;
		printError(error);
	}
	await stop(1);
}
