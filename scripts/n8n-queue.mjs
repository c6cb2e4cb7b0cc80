import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from './free-port.mjs';
import { startN8n } from './n8n-process.mjs';
import { installPackageInN8n } from './node-package.mjs';
import { startPostgres, startRedis } from './queue-servers.mjs';

const workerNames = ['worker 1', 'worker 2'];

/** So that a worker that died is given up sooner: n8n's own values are 60, 10 and 30 seconds. */
const noticeQuickly = {
	QUEUE_WORKER_LOCK_DURATION: '30000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '10000',
	QUEUE_WORKER_STALLED_INTERVAL: '2000',
};

/**
 * What the tests are told of a running setup.
 *
 * @typedef {object} QueueSetup
 * @property {string} mainUrl editor and APIs
 * @property {string} webhookUrl where production webhooks are taken
 * @property {{ name: string, group: number, logFile: string }[]} workers those that are ready; `group` is the process group
 * @property {string[]} workerLogs what every worker has printed, also those that are gone
 */

/**
 * Runs n8n as it is run for many executions: a main process, a webhook processor and two workers, on Redis and
 * PostgreSQL. A worker that ends is started again, as an orchestrator does.
 *
 * @param {{ programs: import('./find-queue-servers.mjs').QueueServers, folder: string, encryptionKey: string,
 * taken: Set<number>, onChange: (setup: QueueSetup) => void }} options `folder` must let other users pass; `taken` are
 * ports that are spoken for; `onChange` is told when workers come and go
 * @returns {Promise<{ url: string }>} the main process's address, when all are ready
 * @throws {import('./setup-problem.mjs').SetupProblem} when one of them ends before it is ready
 */
export async function startQueueSetup({ programs, folder, encryptionKey, taken, onChange }) {
	async function takePort(preferred) {
		const port = await findFreePort(preferred, taken);
		taken.add(port);
		return port;
	}
	const log = (name) => join(folder, 'logs', `${name.replaceAll(' ', '-')}.log`);
	const userFolder = (name) => join(folder, name.replace(' ', '-'));

	const redisPort = await takePort(6500);
	const postgresPort = await takePort(5600);
	await startRedis({ program: programs.redis, port: redisPort, folder: join(folder, 'redis'), logFile: log('redis') });
	const { user, password, database } = await startPostgres({
		programs,
		port: postgresPort,
		folder: join(folder, 'postgres'),
		logFile: log('postgres'),
	});

	// Each process has a folder of its own, as on machines of their own: the package must be in every one.
	await installPackageInN8n(userFolder('main'), log('package'));
	for (const name of ['webhook', ...workerNames]) {
		cpSync(userFolder('main'), userFolder(name), { recursive: true });
	}

	const ports = {};
	for (const name of ['main', 'webhook', ...workerNames]) {
		ports[name] = { port: await takePort(4800), brokerPort: await takePort(4900) };
	}
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
		...noticeQuickly,
	};

	async function start(name, args, more = {}, logFile = log(name)) {
		const of = { name: `n8n ${name}`, userFolder: userFolder(name), logFile, args };
		return await startN8n({ ...of, ...ports[name], encryptionKey, env: { ...env, ...more } });
	}

	// Webhooks are the webhook processor's alone.
	const main = await start('main', ['start'], { N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true' });

	/** @type {QueueSetup} */
	const setup = { mainUrl: main.url, webhookUrl, workers: [], workerLogs: [] };

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
			// While everything is being stopped nothing is started any more.
			await startWorker(name).catch(() => {});
		});
	}

	await Promise.all([start('webhook', ['webhook']), ...workerNames.map(startWorker)]);
	return { url: main.url };
}
