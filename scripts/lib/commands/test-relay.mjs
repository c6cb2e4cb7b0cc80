import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runJest, runTestCommand } from '../checks.mjs';
import { ensureChromium } from '../install/chromium.mjs';
import { installRelay } from '../install/packages.mjs';
import { logFolder, toolEnvironment } from '../paths.mjs';
import { reservePort } from '../process/free-port.mjs';
import { endAllProcesses } from '../process/processes.mjs';
import { ensurePostgres } from '../queue/find-servers.mjs';
import { startPostgres } from '../queue/servers.mjs';

/** How long PostgreSQL stays away after a test killed it, in milliseconds. */
const postgresAwayMs = 3_000;

/**
 * Installs the relay's packages if they are missing, and in CI also PostgreSQL and Chromium. Then starts two temporary
 * PostgreSQL servers, because one test kills its server, and tests the relay. `--long` runs long tests with full counts.
 * Other arguments go to jest.
 */
export async function testRelay() {
	await runTestCommand({ steps: 6 }, async ({ progress, install, jestArgs }) => {
		const { step } = progress;
		await installRelay(progress);
		const programs = await step('Looking for PostgreSQL', () =>
			ensurePostgres({ install, command: 'npm run test:relay' }),
		);
		const chromium = await step('Looking for Chromium', () => ensureChromium({ install }));
		const folder = mkdtempSync(join(tmpdir(), 'messaging-service-relay-'));
		process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
		// PostgreSQL may run as another user, who must be able to enter this folder.
		chmodSync(folder, 0o711);
		const [url, urlToKill] = await step(
			'Starting PostgreSQL',
			async () =>
				await Promise.all([
					startSupervised({ programs, folder, name: 'postgres' }),
					startSupervised({ programs, folder, name: 'postgres-to-kill' }),
				]),
		);

		const isLong = jestArgs.includes('--long');
		const result = await step('Testing', () =>
			runJest({
				title: isLong ? 'Relay: full counts' : 'Relay: embedded database and PostgreSQL',
				config: 'test/relay/jest.config.js',
				report: 'relay.json',
				args: jestArgs.filter((argument) => argument !== '--long'),
				env: {
					...toolEnvironment(),
					RELAY_TEST_POSTGRES: url,
					RELAY_TEST_POSTGRES_TO_KILL: urlToKill,
					CHROMIUM_PATH: chromium,
					...(isLong && { RELAY_LONG: '1' }),
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

/**
 * Starts PostgreSQL, and starts it again each time it ends, because one test kills it.
 *
 * @param {{ programs: import('../queue/find-servers.mjs').PostgresPrograms, folder: string, name: string }} options
 * @returns {Promise<string>} its URL, as an administrator
 */
async function startSupervised({ programs, folder, name }) {
	const port = await reservePort(5700);
	const { user, password, database, started, restart } = await startPostgres({
		programs,
		port,
		folder: join(folder, name),
		logFile: join(folder, 'logs', `${name}.log`),
	});
	/** @param {Promise<string>} ended */
	async function supervise(ended) {
		await ended;
		await sleep(postgresAwayMs);
		await supervise((await restart()).ended);
	}
	// Fails while all processes are being ended.
	void supervise(started.ended).catch(() => {});
	return `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
}
