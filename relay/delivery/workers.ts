import type { FetchedJob, Worker } from '../database/engine';
import { logProblem } from '../log';
import type { Services } from '../services';
import type { AttemptResult } from './attempt';
import { bringForward } from './bringForward';
import { deliver, type Send } from './deliver';
import { createHealth } from './health';
import { createOutcomes, type RecordOutcome } from './outcomes';
import { isAlive, Pauses, type Verdict } from './pauses';
import { createPlaces, type Places } from './places';
import { FAN_OUT_QUEUE, queueOf, type DeliveryJob, type FanOutJob } from './queues';
import { readActive, type ActiveReceiver } from './receivers';
import { fanOut } from './spread';

/** Requests in flight to one receiver. */
const FULL_WIDTH = 10;

/** The same for Zapier, which does not deduplicate. */
const ZAPIER_WIDTH = 4;

/** Jobs that a worker fetches at once for a webhook. Each fetch costs three statements, however many it fetches. */
const MOST_FETCHED = 25;

/** NOTIFY announces jobs for now. A job for soon needs a timer, unless the next poll is sooner. */
const SOON_MS = 60_000;

/** Delivers events in this process. */
export interface Workers {
	/** Ends all timers. The engine completes requests in flight. */
	stop(): void;
}

interface Running {
	receiver: ActiveReceiver;
	worker: Promise<Worker> | undefined;
	/** Ends with the worker. */
	session: Session;
	readonly pauses: Pauses;
	/** The next probe of a receiver that is left alone. */
	resume: NodeJS.Timeout | undefined;
	/** Since when the database says when the next probe comes, on the clock of `performance`. */
	pausedAt: number;
}

interface Session {
	/** Whether the worker only probes the receiver, after a pause. */
	readonly isProbe: boolean;
	readonly places: Places;
	isOpen: boolean;
}

/**
 * Starts a worker for each active subscription.
 * @param send sends to a receiver
 */
export async function startWorkers(services: Services, send: Send): Promise<Workers> {
	const { engine, changes, settings } = services;
	const running = new Map<string, Running>();
	const health = createHealth(services);
	const write = createOutcomes(services);
	let stopped = false;
	let unreadable: ReadonlySet<string> = new Set();

	const record: RecordOutcome = async (outcome) => {
		await write(outcome);
		const one = running.get(outcome.subscription);
		if (outcome.next && one) notifyAt(one, outcome.next);
		return outcome;
	};

	function notifyAt(one: Running, at: Date): void {
		const wait = at.getTime() - Date.now();
		if (wait < SOON_MS) setTimeout(() => notify(one), Math.max(wait, 0) + 20).unref();
	}

	function notify({ worker }: Running): void {
		void worker?.then((known) => known.notify()).catch(() => undefined);
	}

	/** Requests in flight at the same time. A failed batch is repeated as it was, so batches go one after the other. */
	function fullWidth({ kind, batch }: ActiveReceiver): number {
		return batch ? 1 : kind === 'zapier' ? ZAPIER_WIDTH : FULL_WIDTH;
	}

	/** Deliveries that a worker fetches at once. */
	function fetchSize({ kind, batch }: ActiveReceiver, { isProbe }: Session): number {
		if (batch) return batch.max;
		if (isProbe) return 1;
		if (kind === 'zapier') return ZAPIER_WIDTH;
		// An opt-out overtakes deliveries that are not fetched yet.
		return kind === 'service' || kind === 'callback' ? FULL_WIDTH : MOST_FETCHED;
	}

	function start(one: Running, isProbe = false): void {
		if (stopped) return;
		const { receiver } = one;
		const session: Session = { isProbe, places: createPlaces(isProbe ? 1 : fullWidth(receiver)), isOpen: true };
		one.session = session;
		const { places } = session;
		const isOpen = () => session.isOpen && !stopped;
		const handle = async (jobs: ReadonlyArray<FetchedJob<DeliveryJob>>) => {
			const context = { services, send, record, judge: judgeQuietly, leave, places, isOpen };
			// The worker may have looked for jobs just before they went back.
			if (await deliver(context, one.receiver, jobs)) notify(one);
		};
		const { id, batch } = receiver;
		// NOTIFY does not announce the end of a batch's period.
		const poll = batch && { pollSeconds: batch.wait_ms / 1000 };
		one.worker = engine.work<DeliveryJob>(queueOf(id), { batch: fetchSize(receiver, session), ...poll }, handle);
		one.worker.catch((error: unknown) => logProblem('A worker could not start', error));
	}

	function halt(one: Running): void {
		const { worker } = one;
		one.worker = undefined;
		one.session.isOpen = false;
		void worker?.then((known) => known.stop()).catch(() => undefined);
	}

	/** Ends the work for a receiver whose subscription is no longer active. */
	function leave({ id }: Pick<ActiveReceiver, 'id'>): void {
		const one = running.get(id);
		if (!one) return;
		running.delete(id);
		clearTimeout(one.resume);
		halt(one);
	}

	/** The deliveries are on disk already, so a problem here must not repeat them. */
	async function judgeQuietly(receiver: ActiveReceiver, result: AttemptResult, at: Date): Promise<void> {
		await judge(receiver, result, at).catch((error: unknown) =>
			logProblem('The health of a receiver could not be written', error),
		);
	}

	async function judge(receiver: ActiveReceiver, result: AttemptResult, at: Date): Promise<void> {
		const endedPause = await health.report(receiver, result, at);
		const one = running.get(receiver.id);
		// Requests that were in flight when the pause began are no probes. Each would make the next pause longer.
		if (!one || one.resume) return;
		const verdict = result.ok || isAlive(result.status) ? one.pauses.succeeded() : one.pauses.failed(result.retryAfter);
		follow(one, verdict);
		if (verdict.action === 'continue') {
			if (verdict.isBack || endedPause) await deliverWaiting(one);
			return;
		}
		await health.pause(receiver, new Date(Date.now() + verdict.forMs));
		one.pausedAt = performance.now();
	}

	async function deliverWaiting(one: Running): Promise<void> {
		const { id } = one.receiver;
		const count = await services.database.transaction(async (sql) => await bringForward(engine, sql, id));
		if (count === 0) return;
		changes.announce('deliveries');
		notify(one);
	}

	function follow(one: Running, verdict: Verdict): void {
		if (verdict.action === 'continue') {
			const { session, receiver } = one;
			if (verdict.width === 'one') session.places.resize(1);
			else if (!session.isProbe) session.places.resize(fullWidth(receiver));
			else {
				halt(one);
				start(one);
			}
			return;
		}
		halt(one);
		one.pausedAt = Infinity;
		one.resume = setTimeout(() => probe(one), verdict.forMs);
		one.resume.unref();
	}

	/** Tries a receiver that was left alone. */
	function probe(one: Running): void {
		clearTimeout(one.resume);
		one.resume = undefined;
		if (running.has(one.receiver.id)) start(one, true);
	}

	/** Their events wait. All other deliveries continue. */
	async function reportUnreadable(ids: readonly string[]): Promise<void> {
		const found = ids.filter((id) => !unreadable.has(id));
		unreadable = new Set(ids);
		if (found.length === 0) return;
		logProblem(
			`These subscriptions cannot be read, so their events wait: ${found.join(', ')}. The page says what to do`,
		);
		await health.reportUnreadable(found, new Date());
	}

	async function refresh(): Promise<void> {
		const readAt = performance.now();
		const { active, unreadable: ids } = await readActive(services);
		await reportUnreadable(ids);
		for (const receiver of active) {
			const known = running.get(receiver.id);
			if (known) {
				const isSame = JSON.stringify(known.receiver.batch) === JSON.stringify(receiver.batch);
				known.receiver = receiver;
				// A retry by hand does not wait for the next probe.
				if (known.resume && known.pausedAt < readAt && receiver.nextProbeAt === null) probe(known);
				if (isSame || known.resume) continue;
				halt(known);
				start(known);
				continue;
			}
			const one: Running = {
				receiver,
				worker: undefined,
				session: { isProbe: false, places: createPlaces(1), isOpen: false },
				pauses: new Pauses(settings.retry.probes),
				resume: undefined,
				pausedAt: Infinity,
			};
			running.set(receiver.id, one);
			start(one);
		}
		const wanted = new Set(active.map(({ id }) => id));
		for (const id of running.keys()) if (!wanted.has(id)) leave({ id });
	}

	let refreshing: Promise<void> | undefined;
	let asked = 0;
	const refreshAll = async () => {
		// A change after the subscriptions were read needs another look.
		for (let seen = 0; seen < asked;) {
			seen = asked;
			await refresh();
		}
	};
	const refreshOnce = async () => {
		asked += 1;
		await (refreshing ??= refreshAll().finally(() => (refreshing = undefined)));
	};
	const refreshQuietly = () =>
		void refreshOnce().catch((error: unknown) => logProblem('Cannot read subscriptions', error));

	await engine.work<FanOutJob>(FAN_OUT_QUEUE, { batch: 20 }, async (jobs) => await fanOut(services, jobs));
	await refreshOnce();
	const timer = setInterval(refreshQuietly, settings.waits.subscriptions);
	timer.unref();
	const unlisten = changes.listen((topic) => {
		if (topic === 'subscriptions') refreshQuietly();
	});
	return {
		stop() {
			stopped = true;
			clearInterval(timer);
			unlisten();
			for (const { resume } of running.values()) clearTimeout(resume);
		},
	};
}
