import { fromPglite, PgBoss, systemClock, type ConstructorOptions, type Queue } from 'pg-boss';
import type { Database, Sql } from './database';
import { JOB_SECONDS } from './jobSeconds';

/** A job in a queue. */
export interface NewJob<Data extends object> {
	readonly data: Data;
	/** Not before this time. Default: now. */
	readonly startAfter?: Date;
	/** A higher number goes first. Default 0. */
	readonly priority?: number;
}

/** A job that a worker fetched. */
export interface FetchedJob<Data extends object> {
	readonly id: string;
	readonly data: Data;
}

/** Fetches the jobs of one queue in this process. */
export interface Worker {
	/** Looks for jobs at once, for those whose time has come since the last look. */
	notify(): void;
	/** Fetches no more. Jobs in flight still complete. */
	stop(): void;
}

/**
 * Queues in the relay's own database. The engine repeats only jobs that a crash interrupted. A failed delivery is a
 * completed job and a new one, because only our own schedule knows Retry-After and pauses.
 */
export interface Engine {
	/** Creates a queue, unless it exists. */
	createQueue(name: string): Promise<void>;
	/** Deletes a queue with its jobs. */
	deleteQueue(name: string): Promise<void>;
	/** Inserts jobs. With `sql`, they are part of its transaction. */
	insert<Data extends object>(queue: string, jobs: ReadonlyArray<NewJob<Data>>, sql?: Sql): Promise<void>;
	/**
	 * Starts a worker. All jobs of a batch are completed when `handle` resolves, and repeated if it rejects.
	 * @param options `batch`: most jobs in one call of `handle`; `pollSeconds`: a job for a later time starts at most this
	 * late, but never later than the engine looks for jobs
	 */
	work<Data extends object>(
		queue: string,
		options: { readonly batch: number; readonly pollSeconds?: number },
		handle: (jobs: ReadonlyArray<FetchedJob<Data>>) => Promise<void>,
	): Promise<Worker>;
	/** Completes jobs as part of a transaction, before the handler returns. */
	complete(queue: string, ids: readonly string[], sql: Sql): Promise<void>;
	/** Returns fetched jobs to their queue, before the handler returns. They keep their position. */
	giveBack(queue: string, ids: readonly string[]): Promise<void>;
	/** Completes the jobs in flight, for at most this time in milliseconds, and stops all workers. */
	stop(withinMs: number): Promise<void>;
}

/** A job of a killed process is repeated after one heartbeat and one look at the queues. */
const HEARTBEAT_SECONDS = 10;

const QUEUE: Omit<Queue, 'name'> = {
	retryLimit: 1_000_000,
	retryDelay: 0,
	expireInSeconds: JOB_SECONDS,
	heartbeatSeconds: HEARTBEAT_SECONDS,
	retentionSeconds: 30 * 24 * 3600,
	notify: true,
	deleteAfterSeconds: 60,
};

/** The engine accepts nothing shorter. */
const LEAST_POLL_SECONDS = 0.5;

/** Does not follow if the system's clock is set. Otherwise workers would wait for as long as it was set back. */
const STEADY_CLOCK = { ...systemClock, now: () => performance.timeOrigin + performance.now() };

/**
 * Starts the queue engine, pg-boss, in the schema `pgboss`. Gives back the jobs of a killed process, if this process is
 * the only one.
 * @param waits milliseconds between two looks. `jobs`: for jobs, although NOTIFY starts new jobs sooner, and
 * {@link Worker.notify} later ones; `killedJobs`: for the jobs of killed processes
 * @param onError for errors between calls, such as a lost connection; the engine continues
 */
export async function startEngine(
	database: Database,
	{ jobs, killedJobs }: { readonly jobs: number; readonly killedJobs: number },
	onError: (error: Error) => void,
): Promise<Engine> {
	const lookSeconds = killedJobs / 1_000;
	const mostSeconds = jobs / 1_000;
	const boss = new PgBoss({
		...connectionOptions(database),
		useListenNotify: true,
		schedule: false,
		superviseIntervalSeconds: lookSeconds,
		monitorIntervalSeconds: lookSeconds,
		// By default once a day, and the completed jobs would become the largest table.
		maintenanceIntervalSeconds: 60,
		queueCacheIntervalSeconds: lookSeconds,
		persistWarnings: false,
		clock: STEADY_CLOCK,
	});
	boss.on('error', onError);
	await boss.start();
	if (database.exclusive) await giveBackJobs(boss, database);
	return {
		createQueue: async (name) => await boss.createQueue(name, QUEUE),
		deleteQueue: async (name) => await boss.deleteQueue(name),
		async insert(queue, jobs, sql) {
			await boss.insert(queue, [...jobs], sql && { db: sql });
		},
		async work<Data extends object>(
			queue: string,
			{ batch, pollSeconds = mostSeconds }: { readonly batch: number; readonly pollSeconds?: number },
			handle: (jobs: ReadonlyArray<FetchedJob<Data>>) => Promise<void>,
		) {
			const longest = Math.min(Math.max(pollSeconds, LEAST_POLL_SECONDS), mostSeconds);
			const options = {
				batchSize: batch,
				burstWhenBatchFull: true,
				pollingIntervalSeconds: Math.min(2, longest),
				notifyPollingIntervalSeconds: longest,
			} as const;
			const id: string = await boss.work<Data>(queue, options, async (jobs) => {
				await handle(jobs);
				// After a full batch, pg-boss looks again at once, but not if the batch is one job.
				if (batch === 1) boss.notifyWorker(id);
			});
			return {
				notify: () => boss.notifyWorker(id),
				stop: () => void boss.offWork(queue, { id, wait: false }).catch(onError),
			};
		},
		async complete(queue, ids, sql) {
			await boss.complete(queue, [...ids], null, { db: sql });
		},
		async giveBack(queue, ids) {
			await boss.fail(queue, [...ids], { reason: 'the worker stopped' });
		},
		stop: async (withinMs) => await boss.stop({ graceful: true, timeout: withinMs }),
	};
}

function connectionOptions(database: Database): ConstructorOptions {
	const { connection } = database;
	if ('url' in connection) {
		if (connection.statementMs === 0) return { connectionString: connection.url, max: 5 };
		// The engine has no option for it, so it is a parameter of the URL.
		const separator = connection.url.includes('?') ? '&' : '?';
		return { connectionString: `${connection.url}${separator}query_timeout=${connection.statementMs}`, max: 5 };
	}
	return {
		backend: 'pglite',
		db: {
			...fromPglite(connection.pglite),
			executeSql: async (text, values) => await database.executeSql(text, values),
		},
	};
}

async function giveBackJobs(boss: PgBoss, database: Database): Promise<void> {
	const jobs = await database.query<{ name: string; id: string }>(
		`select name, id::text from pgboss.job where state = 'active' and name not like '\\_\\_pgboss%'`,
	);
	for (const [name, some] of Map.groupBy(jobs, (job) => job.name)) {
		const ids = some.map(({ id }) => id);
		await boss.fail(name, ids, { reason: 'the process was killed' });
	}
}
