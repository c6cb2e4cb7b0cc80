import { chmodSync, cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearReports, endOnSignals, printSummary, runJest } from './lib/checks.mjs';
import { openDemoState } from './lib/n8n/demo-state.mjs';
import { ensureQueueServers } from './lib/queue/find-servers.mjs';
import { findFreePort } from './lib/process/free-port.mjs';
import { installN8n, isN8nInstalled, n8nVersion } from './lib/install/n8n.mjs';
import { installProject, isProjectInstalled } from './lib/install/project.mjs';
import { startQueueSetup } from './lib/queue/setup.mjs';
import { buildPackage } from './lib/n8n/package.mjs';
import { checkNodeAndNpm } from './lib/install/prerequisites.mjs';
import { endAllProcesses } from './lib/process/processes.mjs';
import { createProgress } from './lib/progress.mjs';
import { logFolder, toolEnvironment } from './lib/paths.mjs';
import { ensureCredentials, openAccount } from './lib/n8n/provision.mjs';
import { startSandbox } from './lib/process/sandbox.mjs';
import { printError } from './lib/setup-error.mjs';

/**
 * `npm run test:queue`: installs n8n if it is missing, and in CI also Redis and PostgreSQL. Then runs n8n's queue mode in a
 * temporary folder and tests the package there. Arguments go to jest.
 */
async function main() {
	endOnSignals();
	clearReports(['queue.json']);
	const install = process.argv.includes('--install');
	checkNodeAndNpm();
	const { step, note } = createProgress({ total: 6 });
	await step(isProjectInstalled() ? 'Packages are installed' : 'Installing packages (about 2 minutes)', () =>
		installProject(note),
	);
	const programs = await step('Looking for Redis and PostgreSQL', () => ensureQueueServers({ install }));
	await step(
		isN8nInstalled() ? `n8n ${n8nVersion} is installed` : `Installing n8n ${n8nVersion} (about 5 minutes, 2.2 GB)`,
		() => installN8n({ note, install }),
	);
	await step('Building the n8n package', () => buildPackage());

	const folder = mkdtempSync(join(tmpdir(), 'messaging-service-queue-'));
	process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
	// PostgreSQL may run as another user, who must be able to enter this folder. Private files have their own folder.
	chmodSync(folder, 0o711);
	const { state, save } = openDemoState(join(folder, 'account'));
	const setupFile = join(folder, 'account', 'setup.json');

	await step('Starting Redis, PostgreSQL and n8n (main, webhook processor, two workers)', async () => {
		const taken = new Set();
		const port = await findFreePort(4860);
		taken.add(port);
		const sandbox = await startSandbox({ port, dataFile: ':memory:', logFile: join(folder, 'sandbox.log') });
		const { encryptionKey } = state;
		const { url } = await startQueueSetup({
			programs,
			folder,
			encryptionKey,
			taken,
			onChange: (setup) => {
				// Rename a complete file into place, because the tests may read at any moment.
				writeFileSync(`${setupFile}.new`, JSON.stringify({ ...setup, sandboxUrl: sandbox.url }));
				renameSync(`${setupFile}.new`, setupFile);
			},
		});
		const { api } = await openAccount(url, state, save);
		await ensureCredentials(api, state, save, sandbox.url);
	});

	const result = await step('Testing', () =>
		runJest({
			title: 'Queue mode: n8n main, webhook processor, two workers',
			config: 'test/queue/jest.config.js',
			report: 'queue.json',
			args: ['--runInBand', ...process.argv.slice(2).filter((argument) => argument !== '--install')],
			env: { ...toolEnvironment(), QUEUE_SETUP: join(folder, 'account') },
		}),
	);
	if (!result.passed) {
		const kept = join(logFolder, 'queue');
		cpSync(join(folder, 'logs'), kept, { recursive: true });
		process.stdout.write(`\nThe logs of n8n, Redis and PostgreSQL are in ${kept}\n`);
	}
	process.exitCode = printSummary([result]) ? 0 : 1;
}

main()
	.catch((error) => {
		printError(error);
		process.exitCode = 1;
	})
	.finally(async () => {
		const remaining = await endAllProcesses();
		if (remaining.length === 0) return;
		process.stderr.write(`\nCould not end these processes. Check them with: ps -p ${remaining.join(',')}\n`);
		process.exitCode = 1;
	});
