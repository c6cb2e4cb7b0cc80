import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { reservePort } from '../process/free-port.mjs';
import { startN8n } from '../n8n/server.mjs';
import { installPackageInN8n } from '../n8n/package.mjs';
import { waitUntil } from '../process/wait-until.mjs';
import { startPostgres, startRedis } from './servers.mjs';

const workerNames = /** @type {const} */ (['worker 1', 'worker 2']);

/**
 * Detects dead workers sooner than n8n's defaults of 60, 10 and 30 seconds. A killed worker must be back before its lock ends.
 */
const detectStallsQuickly = {
	QUEUE_WORKER_LOCK_DURATION: '30000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
	QUEUE_WORKER_STALLED_INTERVAL: '2000',
};

/**
 * The running setup, as written for the tests.
 *
 * @typedef {object} QueueSetup
 * @property {string} mainUrl the address of editor and APIs
 * @property {{ group: number }} [main] the main process, with its process group; absent while it is away
 * @property {string} webhookUrl the address for production webhooks
 * @property {{ name: string, group: number, logFile: string }[]} workers the workers that are ready; `group` is the process group
 * @property {string[]} workerLogs the log files of all workers, including ended ones
 */

/**
 * Runs n8n in queue mode: a main process, a webhook processor and two workers, on Redis and PostgreSQL. Restarts the main
 * process and workers that end, as an orchestrator does.
 *
 * @param {{ programs: import('./find-servers.mjs').QueueServers, folder: string, encryptionKey: string,
 * onChange: (setup: QueueSetup) => void }} options other users must be able to enter `folder`; `onChange` is called when one of
 * them starts or ends
 * @returns {Promise<{ url: string }>} the main process's address, after all are ready
 * @throws {import('../setup-error.mjs').SetupError} if a process ends before it is ready
 */
export async function startQueueSetup({ programs, folder, encryptionKey, onChange }) {
	/** @param {string} name */
	const log = (name) => join(folder, 'logs', `${name.replaceAll(' ', '-')}.log`);
	/** @param {string} name */
	const userFolder = (name) => join(folder, name.replace(' ', '-'));

	const redisPort = await reservePort(6500);
	const postgresPort = await reservePort(5600);
	// Each process has its own folder, as on separate machines, so each folder needs the package.
	async function installPackage() {
		await installPackageInN8n(userFolder('main'), log('package'));
		for (const name of ['webhook', ...workerNames]) {
			cpSync(userFolder('main'), userFolder(name), { recursive: true });
		}
	}
	const [{ user, password, database }] = await Promise.all([
		startPostgres({ programs, port: postgresPort, folder: join(folder, 'postgres'), logFile: log('postgres') }),
		startRedis({ program: programs.redis, port: redisPort, folder: join(folder, 'redis'), logFile: log('redis') }),
		installPackage(),
	]);

	const reservePorts = async () => ({ port: await reservePort(4800), brokerPort: await reservePort(4900) });
	const ports = {
		main: await reservePorts(),
		webhook: await reservePorts(),
		'worker 1': await reservePorts(),
		'worker 2': await reservePorts(),
	};
	const webhookUrl = `http://127.0.0.1:${ports.webhook.port}`;
	const env = {
		EXECUTIONS_MODE: 'queue',
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(redisPort),
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: String(postgresPort),
		DB_POSTGRESDB_DATABASE: database,
		DB_POSTGRESDB_USER: user,
		DB_POSTGRESDB_PASSWORD: password,
		N8N_WEBHOOK_URL: `${webhookUrl}/`,
		...detectStallsQuickly,
	};

	/**
	 * @param {keyof typeof ports} name
	 * @param {string[]} args n8n's arguments
	 * @param {Record<string, string>} [more] variables of its environment
	 * @param {string} [logFile]
	 */
	async function start(name, args, more = {}, logFile = log(name)) {
		const options = { name: `n8n ${name}`, userFolder: userFolder(name), logFile, args };
		return await startN8n({ ...options, ...ports[name], encryptionKey, env: { ...env, ...more } });
	}

	/** @type {QueueSetup} */
	const setup = { mainUrl: `http://127.0.0.1:${ports.main.port}`, webhookUrl, workers: [], workerLogs: [] };

	async function hasTables() {
		const response = await fetch(`${setup.mainUrl}/healthz/readiness`).catch(() => undefined);
		return response?.ok;
	}

	async function startMain(starts = 0) {
		const logFile = log(`main ${starts}`);
		// Only the webhook processor handles webhooks.
		const process = await start('main', ['start'], { N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true' }, logFile);
		setup.main = { group: process.started.group };
		onChange(setup);
		void process.started.ended.then(async () => {
			delete setup.main;
			onChange(setup);
			// Fails while all processes are being ended.
			await startMain(starts + 1).catch(() => {});
		});
	}
	const main = startMain();
	// The main process creates the tables. The others start while it loads the rest.
	await Promise.race([main, waitUntil('n8n’s tables', hasTables, { withinMs: 300_000 })]);

	/** @param {typeof workerNames[number]} name */
	async function startWorker(name) {
		const logFile = log(`${name} ${setup.workerLogs.length}`);
		setup.workerLogs.push(logFile);
		const health = { QUEUE_HEALTH_CHECK_ACTIVE: 'true', QUEUE_HEALTH_CHECK_PORT: String(ports[name].port) };
		const worker = await start(name, ['worker', '--concurrency=5'], health, logFile);
		const entry = { name, group: worker.started.group, logFile };
		setup.workers.push(entry);
		onChange(setup);
		void worker.started.ended.then(async () => {
			setup.workers.splice(setup.workers.indexOf(entry), 1);
			onChange(setup);
			// Fails while all processes are being ended.
			await startWorker(name).catch(() => {});
		});
	}

	await Promise.all([main, start('webhook', ['webhook']), ...workerNames.map(startWorker)]);
	return { url: setup.mainUrl };
}
