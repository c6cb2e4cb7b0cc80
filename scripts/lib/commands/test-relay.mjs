import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runJest, runTestCommand } from '../checks.mjs';
import { ensureChromium } from '../install/chromium.mjs';
import { installRelay, installZapier } from '../install/packages.mjs';
import { logFolder, toolEnvironment } from '../paths.mjs';
import { reservePort } from '../process/free-port.mjs';
import { memoryDisk } from '../process/memory-disk.mjs';
import { endAllProcesses } from '../process/processes.mjs';
import { ensurePostgres } from '../queue/find-servers.mjs';
import { startSupervisedPostgres } from '../queue/servers.mjs';

/** Most megabytes of the databases that exist at the same time. */
const DATABASES = 3_000;

/**
 * Installs the packages of the relay and Zapier if they are missing, and in CI also PostgreSQL and Chromium. Then starts two
 * temporary PostgreSQL servers, because one test kills its server, and tests the relay. `LONG=1` runs them with full counts.
 * Other arguments go to jest.
 */
export async function testRelay() {
	await runTestCommand({ steps: 7 }, async ({ progress, install, jestArgs }) => {
		const { step } = progress;
		await installRelay(progress);
		await installZapier(progress);
		const programs = await step('Looking for PostgreSQL', () =>
			ensurePostgres({ install, command: 'npm run test:relay' }),
		);
		const chromium = await step('Looking for Chromium', () => ensureChromium({ install }));
		const disk = memoryDisk(DATABASES);
		const folder = mkdtempSync(join(disk, 'messaging-service-relay-'));
		process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
		// PostgreSQL may run as another user, who must be able to enter this folder.
		chmodSync(folder, 0o711);
		const start = async (/** @type {string} */ name) => {
			const logFile = join(folder, 'logs', `${name}.log`);
			const port = await reservePort(5700);
			return await startSupervisedPostgres({ programs, port, folder: join(folder, name), logFile });
		};
		const [url, urlToKill] = await step(
			'Starting PostgreSQL',
			async () => await Promise.all([start('postgres'), start('postgres-to-kill')]),
		);

		const isLong = process.env.LONG === '1';
		const result = await step('Testing', () =>
			runJest({
				title: isLong ? 'Relay: full counts' : 'Relay: embedded database and PostgreSQL',
				config: 'test/relay/jest.config.js',
				report: 'relay.json',
				args: jestArgs,
				// Without full counts, no file runs long enough for an optimized PGlite.
				nodeArgs: isLong ? [] : ['--liftoff-only'],
				env: {
					...toolEnvironment(),
					TMPDIR: disk,
					RELAY_TEST_POSTGRES: url,
					RELAY_TEST_POSTGRES_TO_KILL: urlToKill,
					CHROMIUM_PATH: chromium,
				},
			}),
		);
		if (!result.passed) {
			const kept = join(logFolder, 'relay');
			cpSync(join(folder, 'logs'), kept, { recursive: true });
			process.stdout.write(`\nThe logs of PostgreSQL are in ${kept}\n`);
		}
		return [result];
	});

	const remaining = await endAllProcesses();
	if (remaining.length > 0) {
		process.stderr.write(`\nCould not end these processes. Check them with: ps -p ${remaining.join(',')}\n`);
		process.exitCode = 1;
	}
}
