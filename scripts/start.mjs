import { join, relative, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { deleteDemoState, demoFiles, openDemoState } from './demo-state.mjs';
import { findFreePort } from './free-port.mjs';
import { installN8n, isN8nInstalled, n8nVersion } from './install-n8n.mjs';
import { installProject, isProjectInstalled } from './install-project.mjs';
import { takeLock } from './lock.mjs';
import { startN8n } from './n8n-process.mjs';
import { buildPackage, installPackageInN8n } from './node-package.mjs';
import { checkNodeAndNpm } from './prerequisites.mjs';
import { endAllProcesses, endGroup, killAllProcesses, lastLines, watchGroups } from './processes.mjs';
import { processIdentity } from './process-table.mjs';
import { createProgress, formatElapsed } from './progress.mjs';
import { localFolder, projectFolder } from './project-paths.mjs';
import { connectPhones, ensureCredentials, ensureWorkflow, openAccount, waitForWebhook } from './provision.mjs';
import { startSandbox } from './sandbox-process.mjs';
import { printProblem, SetupProblem } from './setup-problem.mjs';

const usage = `npm start -- [options]

  --fresh            begin anew: forget the account, workflows, messages (n8n stays installed)
  --port N           where the editor should be (5678); another port is taken when it is in use
  --sandbox-port N   where the sandbox should be (4010); the same
  --state DIR        keep this demo's state in another folder (.local/state)
  --install          install missing system packages with apt, as root
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
		for (const name of ['port', 'sandbox-port']) {
			const port = Number(values[name]);
			if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`--${name} takes a port number`);
		}
		return values;
	} catch (error) {
		throw new SetupProblem(error.message, usage);
	}
}

/** One start at a time in a state folder; what a killed start left running is ended first. */
async function lockState(folder, file) {
	const lock = takeLock(file);
	if ('holder' in lock) {
		const { pid, editor, phone } = lock.holder;
		throw new SetupProblem(
			`npm start is already running here (process ${pid})${editor ? `:\n\n  Editor  ${editor}\n  Phone   ${phone}` : ', and not ready yet.'}`,
			[
				`Use that one, or stop it with Ctrl-C in its terminal or with: kill ${pid}`,
				'or start another beside it: npm start -- --state .local/another',
			].join('\n'),
		);
	}
	for (const { group, identity } of lock.stale?.groups ?? []) {
		if (processIdentity(group) === identity) await endGroup(group);
	}
	return lock;
}

async function choosePort(what, preferred, taken, note) {
	const port = await findFreePort(preferred, taken);
	if (port !== preferred) note(`Port ${preferred} is in use: ${what} takes ${port}.`);
	taken.add(port);
	return port;
}

function printReady({ ms, n8nUrl, sandboxUrl, phone, workflow, login, files }) {
	const short = (file) => (file.startsWith(projectFolder) ? relative(projectFolder, file) : file);
	process.stdout.write(`
Ready in ${formatElapsed(ms)}. Everything runs on this machine only.

  Phone      ${phone}
  Type       HOURS   and press Send: the workflow answers. Try any other word, too.

  Editor     ${n8nUrl}/workflow/${workflow.id}
  Email      ${login.email}
  Password   ${login.password}

  Sandbox    ${sandboxUrl}/
  Logs       ${short(files.n8nLog)}, ${short(files.sandboxLog)}
  Stop       Ctrl-C
`);
}

async function start(options, onLock) {
	const began = performance.now();
	const folder = resolve(options.state);
	const files = demoFiles(folder);
	checkNodeAndNpm();
	const lock = await lockState(folder, files.lock);
	onLock(lock);
	watchGroups((groups) => lock.update({ groups }));
	if (options.fresh) deleteDemoState(folder);
	const { state, save } = openDemoState(folder);

	const { step, note } = createProgress({ total: 7 });
	await step(isProjectInstalled() ? 'Packages are installed' : 'Installing packages (about 2 minutes)', () =>
		installProject(note),
	);
	await step(
		isN8nInstalled() ? `n8n ${n8nVersion} is installed` : `Installing n8n ${n8nVersion} (about 5 minutes, 2.2 GB)`,
		() => installN8n({ note, install: options.install }),
	);
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
		// Nobody types this one: whichever is free will do.
		const brokerPort = await findFreePort(port + 1, taken);
		const { encryptionKey } = state;
		return await startN8n({ userFolder: files.n8n, port, brokerPort, encryptionKey, logFile: files.n8nLog });
	});

	const { workflow, webhookUrl, passwordWorks } = await step('Account, credentials and workflow', async () => {
		const account = await openAccount(n8n.url, state, save);
		await ensureCredentials(account.api, state, save, sandbox.url);
		const example = await ensureWorkflow(account.api, state, save);
		return { ...account, workflow: example.workflow, webhookUrl: n8n.url + example.webhookPath };
	});
	await step('Connecting the sandbox’s phones to the workflow', async () => {
		await waitForWebhook(webhookUrl);
		await connectPhones(sandbox.url, webhookUrl);
	});

	const phone = `${sandbox.url}/phone?number=${encodeURIComponent(phoneNumber)}&to=${senderId}`;
	lock.update({ editor: `${n8n.url}/workflow/${workflow.id}`, phone });
	const password = passwordWorks ? state.password : 'the one you chose in the editor';
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

/** Ends everything, gives the lock back and leaves. */
async function stop(exitCode) {
	stopping = true;
	stoppingSince = performance.now();
	const remaining = await endAllProcesses();
	if (remaining.length > 0) {
		process.stderr.write(`\nStill running, and not to be ended: processes ${remaining.join(', ')}\n`);
		process.exit(1);
	}
	releaseLock();
	if (exitCode === 0) process.stdout.write('Everything has stopped.\n');
	process.exit(exitCode);
}

/** npm passes some signals on that the terminal has sent us already. */
const sameSignalMs = 500;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
	process.on(signal, () => {
		if (stopping) {
			if (performance.now() - stoppingSince > sameSignalMs) killAllProcesses();
			return;
		}
		process.stdout.write('\nStopping what was started … (once more to force it)\n');
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
		parts.map(({ started, logFile }) => started.ended.then((how) => ({ name: started.name, how, logFile }))),
	);
	if (stopping) return;
	process.stderr.write(
		`\n${died.name} stopped by itself (${died.how}). The end of ${died.logFile}:\n\n${lastLines(died.logFile, 25)}\n`,
	);
	await stop(1);
}

main().catch(async (error) => {
	// What Ctrl-C ended fails, too; that is no news.
	if (stopping) return;
	printProblem(error);
	await stop(1);
});
