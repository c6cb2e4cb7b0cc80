import { chmodSync, cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runJest, runTestCommand } from '../checks.mjs';
import { openDemoState } from '../demo/state.mjs';
import { ensureQueueServers } from '../queue/find-servers.mjs';
import { reservePort } from '../process/free-port.mjs';
import { installN8n } from '../install/n8n.mjs';
import { installRelay } from '../install/packages.mjs';
import { startSupervisedPostgres } from '../queue/servers.mjs';
import { startQueueSetup } from '../queue/setup.mjs';
import { buildPackage } from '../n8n/package.mjs';
import { endAllProcesses } from '../process/processes.mjs';
import { logFolder, toolEnvironment } from '../paths.mjs';
import { ensureApiCredential, openAccount } from '../demo/provision.mjs';
import { startSandbox } from '../process/sandbox.mjs';

const isLong = process.env.LONG === '1';

/**
 * Installs n8n and the packages of the relay if they are missing, and in CI also Redis and PostgreSQL. Then runs n8n's queue mode
 * in a temporary folder and tests the package there. `LONG=1` runs the tests with full counts. They restart a second PostgreSQL,
 * which is for relays. Other arguments go to jest.
 */
export async function testQueueMode() {
	await runTestCommand({ steps: 7 }, async ({ progress, install, jestArgs }) => {
		const { step } = progress;
		const programs = await step('Looking for Redis and PostgreSQL', () => ensureQueueServers({ install }));
		await installN8n(progress, { install });
		await installRelay(progress);
		await step('Building the n8n package', () => buildPackage());

		const folder = mkdtempSync(join(tmpdir(), 'messaging-service-queue-'));
		process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
		// PostgreSQL may run as another user, who must be able to enter this folder. Private files have their own folder.
		chmodSync(folder, 0o711);
		const { state, save } = openDemoState(join(folder, 'account'));
		const setupFile = join(folder, 'account', 'setup.json');

		await step('Starting Redis, PostgreSQL and n8n (main, webhook processor, two workers)', async () => {
			const port = await reservePort(4860);
			const sandbox = await startSandbox({ port, dataFile: ':memory:', logFile: join(folder, 'sandbox.log') });
			const { encryptionKey } = state;
			const { url } = await startQueueSetup({
				programs,
				folder,
				encryptionKey,
				onChange: (setup) => {
					// Rename a complete file into place, because the tests may read at any moment.
					writeFileSync(`${setupFile}.new`, JSON.stringify({ ...setup, sandboxUrl: sandbox.url }));
					renameSync(`${setupFile}.new`, setupFile);
				},
			});
			const { api } = await openAccount(url, state, save);
			await ensureApiCredential(api, state, save, sandbox.url);
		});

		const relayPostgres = isLong
			? await startSupervisedPostgres({
					programs,
					port: await reservePort(5650),
					folder: join(folder, 'relay-postgres'),
					logFile: join(folder, 'logs', 'relay-postgres.log'),
					// A claimed key must survive the end of the server.
					durable: true,
				})
			: undefined;

		const result = await step('Testing', () =>
			runJest({
				title: `Queue mode: n8n main, webhook processor, two workers${isLong ? ', full counts' : ''}`,
				config: 'test/queue/jest.config.js',
				report: 'queue.json',
				args: ['--runInBand', ...jestArgs],
				env: {
					...toolEnvironment(),
					QUEUE_SETUP: join(folder, 'account'),
					RELAY_TEST_POSTGRES_TO_KILL: relayPostgres,
				},
			}),
		);
		if (!result.passed) {
			const kept = join(logFolder, 'queue');
			cpSync(join(folder, 'logs'), kept, { recursive: true });
			process.stdout.write(`\nThe logs of n8n, Redis and PostgreSQL are in ${kept}\n`);
		}
		return [result];
	});

	const remaining = await endAllProcesses();
	if (remaining.length > 0) {
		process.stderr.write(`\nCould not end these processes. Check them with: ps -p ${remaining.join(',')}\n`);
		process.exitCode = 1;
	}
}
