import type { FetchedJob } from '../database/engine';
import { JOB_SECONDS } from '../database/jobSeconds';
import { EVENT_COLUMNS, toEvent, type EventRow } from '../events/event';
import type { Services } from '../services';
import { createActiveCheck } from './activeCheck';
import type { AttemptResult } from './attempt';
import type { DeliveryOutcome, RecordOutcome } from './outcomes';
import { overtake } from './overtake';
import type { Places } from './places';
import { queueOf, type DeliveryJob } from './queues';
import { isOwn, type ActiveReceiver } from './receivers';
import { nextAttempt } from './schedule';
import { waitForSlot } from './zapierRate';

/** A delivery that is due, with its event. */
export interface DueRow extends EventRow {
	readonly urgent: boolean;
	readonly order_key: string | null;
	readonly body: Uint8Array;
	readonly content_type: string | null;
	readonly state: string;
	readonly attempts: number;
	readonly replays: number;
	readonly version: number;
	readonly next_at: Date | null;
	/** Whether the subscription is active. */
	readonly active: boolean;
	/** When the last earlier delivery with the same key is due, if one is pending that is not in this batch. */
	readonly behind: Date | null;
}

/** Sends deliveries to a receiver. Never throws. */
export type Send = (receiver: ActiveReceiver, rows: readonly DueRow[]) => Promise<AttemptResult>;

/** What deliveries need. */
export interface DeliveryContext {
	readonly services: Services;
	readonly send: Send;
	readonly record: RecordOutcome;
	/** Is called after each request. */
	readonly judge: (receiver: ActiveReceiver, result: AttemptResult, at: Date) => Promise<void>;
	/** Is called for a receiver whose subscription is no longer active. */
	readonly leave: (receiver: ActiveReceiver) => void;
	/** Limits the requests in flight to the receiver. */
	readonly places: Places;
	/** Whether more requests may begin. False for good, once the worker that fetched the jobs stops. */
	readonly isOpen: () => boolean;
}

interface RunContext extends DeliveryContext {
	/** Whether a request may begin now, because the subscription is still active. False for good, once it is not. */
	readonly mayBegin: () => Promise<boolean>;
	/** The IDs of the jobs. */
	readonly jobs: readonly string[];
}

/** Requests with more than this many bytes of events are split, because receivers limit the size of a body. */
const MOST_BATCH_BYTES = 4_000_000;

/**
 * How long after the fetch a request may begin, in milliseconds. The engine repeats jobs that take longer than
 * {@link JOB_SECONDS}, and a request takes up to 20 seconds.
 */
const BEGIN_WITHIN_MS = (JOB_SECONDS - 40) * 1000;

/**
 * Delivers the events of some jobs. Deliveries with the same order key go one after the other, all others at the same
 * time, as far as places are free. Resolves after all outcomes are on disk. Deliveries that could not begin go back to the
 * queue, where they keep their position.
 * @returns whether some went back
 */
export async function deliver(
	given: DeliveryContext,
	receiver: ActiveReceiver,
	jobs: ReadonlyArray<FetchedJob<DeliveryJob>>,
): Promise<boolean> {
	const rows = await readDue(given.services, receiver.id, jobs);
	const byEvent = new Map(rows.map((row) => [row.id, row]));
	// Their deliveries have later jobs, which the deliveries after them wait for. Two jobs of one delivery in two processes
	// could send it twice, and out of order.
	const stale = new Set<DueRow>();
	const fresh = new Set<DueRow>();
	for (const { events, version } of jobs.map(({ data }) => data)) {
		for (const row of events.flatMap((event) => byEvent.get(event) ?? [])) {
			if (row.state === 'pending') (row.version > version ? stale : fresh).add(row);
		}
	}
	// Its new job may be here as well.
	for (const row of fresh) stale.delete(row);
	const due = [...fresh].sort((one, other) => Number(one.sequence) - Number(other.sequence));
	const waitFor = new Map<string, Date>();
	for (const { order_key, next_at } of rows.filter((row) => stale.has(row))) {
		if (order_key !== null) waitFor.set(order_key, next_at ?? new Date());
	}
	const context = createRun(given, receiver, jobs, rows[0]?.active ?? true);
	const kept = await (receiver.batch ? deliverTogether : deliverEach)(context, receiver, due, waitFor);
	if (kept.length === 0) return false;
	const events = new Set(kept.map(({ id }) => id));
	const ids = jobs.filter(({ data }) => data.events.some((event) => events.has(event))).map(({ id }) => id);
	await given.services.engine.giveBack(queueOf(receiver.id), ids);
	return true;
}

function createRun(
	given: DeliveryContext,
	receiver: ActiveReceiver,
	jobs: ReadonlyArray<{ readonly id: string }>,
	active: boolean,
): RunContext {
	const until = performance.now() + BEGIN_WITHIN_MS;
	const isActive = createActiveCheck(given.services.database, receiver.id, active);
	let ended = false;
	const isOpen = () => !ended && given.isOpen() && performance.now() < until;
	return {
		...given,
		jobs: jobs.map(({ id }) => id),
		isOpen,
		async mayBegin() {
			if (!isOpen()) return false;
			if (await isActive()) return isOpen();
			ended = true;
			given.leave(receiver);
			return false;
		},
	};
}

async function readDue(
	{ database }: Services,
	subscription: string,
	jobs: ReadonlyArray<FetchedJob<DeliveryJob>>,
): Promise<DueRow[]> {
	return await database.query<DueRow>(
		`select ${EVENT_COLUMNS}, e.urgent, e.order_key, e.body, e.content_type, d.state, d.attempts, d.replays, d.version,
			d.next_at,
			(select s.state = 'active' from relay.subscription s where s.id = $1) as active,
			(select max(coalesce(p.next_at, p.created_at)) from relay.delivery p
				where p.subscription_id = d.subscription_id and p.order_key = d.order_key and p.sequence < d.sequence
					and p.state = 'pending' and p.event_id <> all($2)) as behind
		from relay.delivery d join relay.event e on e.id = d.event_id
		where d.subscription_id = $1 and d.event_id = any($2)`,
		[subscription, jobs.flatMap(({ data }) => data.events)],
	);
}

/** @returns those that could not begin */
async function deliverEach(
	context: RunContext,
	receiver: ActiveReceiver,
	due: readonly DueRow[],
	waitFor: ReadonlyMap<string, Date>,
): Promise<DueRow[]> {
	const kept: DueRow[] = [];
	const chains = new Map<string, Promise<Date | undefined>>();
	for (const row of urgentFirst(due)) {
		const key = keyOf(row);
		const earlier = chains.get(key) ?? Promise.resolve(waitFor.get(key) ?? row.behind ?? undefined);
		chains.set(
			key,
			earlier.then(async (pending) => {
				const release = await context.places.take();
				try {
					const next = await deliverOne(context, receiver, row, pending ?? row.behind ?? undefined);
					if (next !== 'kept') return next;
					kept.push(row);
					return undefined;
				} finally {
					release();
				}
			}),
		);
	}
	// All requests must have ended before an error gives the jobs back.
	const ends = await Promise.allSettled(chains.values());
	const failure = ends.find((end) => end.status === 'rejected');
	if (failure) throw failure.reason;
	return kept;
}

/** Opt-outs leave first, after the earlier events of their senders. */
function urgentFirst(due: readonly DueRow[]): DueRow[] {
	const urgent = new Set(due.filter((row) => row.urgent).map(keyOf));
	const isFirst = (row: DueRow) => urgent.has(keyOf(row));
	return [...due.filter(isFirst), ...due.filter((row) => !isFirst(row))];
}

function keyOf({ order_key, id }: DueRow): string {
	return order_key ?? id;
}

/**
 * @param pending when an earlier delivery of the same message is due
 * @returns when this delivery is due again; undefined if it is settled; `kept` if it could not begin
 */
async function deliverOne(
	context: RunContext,
	receiver: ActiveReceiver,
	row: DueRow,
	pending: Date | undefined,
): Promise<Date | undefined | 'kept'> {
	if (!context.isOpen()) return 'kept';
	const after = row.urgent && isOwn(receiver) ? await optOutWait(context, receiver, row) : pending;
	if (after) return await postpone(context, receiver, row, after);
	if (receiver.kind === 'zapier') await waitForSlot(context.services.database, receiver.id);
	if (!(await context.mayBegin())) return 'kept';
	const [outcome] = await sendAll(context, receiver, [row]);
	return outcome?.next;
}

/** @returns until when a forwarded opt-out waits for a request in flight; undefined if it may leave */
async function optOutWait(
	{ services, jobs }: RunContext,
	{ id: subscription }: ActiveReceiver,
	{ order_key: orderKey, sequence }: DueRow,
): Promise<Date | undefined> {
	if (orderKey === null) return undefined;
	return (await overtake(services, { subscription, orderKey, sequence, jobs })) ? new Date() : undefined;
}

/** No attempt is used up, because nothing was sent. */
async function postpone(
	{ services, record }: DeliveryContext,
	receiver: ActiveReceiver,
	row: DueRow,
	after: Date,
): Promise<Date> {
	const next = new Date(Math.max(after.getTime(), Date.now()) + services.settings.waits.afterEarlier);
	await record({ ...outcomeOf(receiver, row), state: 'pending', next });
	return next;
}

/** @returns those that could not begin */
async function deliverTogether(
	context: RunContext,
	receiver: ActiveReceiver,
	due: readonly DueRow[],
	waitFor: ReadonlyMap<string, Date>,
): Promise<readonly DueRow[]> {
	const blocked = new Map(waitFor);
	const ready: DueRow[] = [];
	for (const row of due) {
		const after = (row.order_key === null ? undefined : blocked.get(row.order_key)) ?? row.behind ?? undefined;
		if (!after) ready.push(row);
		else {
			const next = await postpone(context, receiver, row, after);
			if (row.order_key !== null) blocked.set(row.order_key, next);
		}
	}
	const ordered = failedFirst(ready);
	for (const rows of chunks(ordered, receiver.batch?.max ?? 1)) {
		if (!(await context.mayBegin())) return ordered.slice(ordered.indexOf(rows[0]));
		const outcomes = await sendAll(context, receiver, rows);
		// The next request may have later events of the same messages.
		if (outcomes.some(({ state }) => state === 'pending')) {
			const rest = ordered.slice(ordered.indexOf(rows.at(-1) ?? rows[0]) + 1);
			for (const row of rest) await postpone(context, receiver, row, outcomes[0]?.next ?? new Date());
			return [];
		}
	}
	return [];
}

/** Those of failed batches go first, each batch together. All earlier events of their messages are settled. */
function failedFirst(rows: readonly DueRow[]): DueRow[] {
	const groups = Map.groupBy(rows, failedAt);
	const fresh = groups.get(undefined) ?? [];
	groups.delete(undefined);
	return [...[...groups.values()].flat(), ...fresh];
}

/** The same for all events of a failed batch; undefined for events without an attempt. */
function failedAt({ attempts, next_at }: DueRow): number | undefined {
	return attempts > 0 ? next_at?.getTime() : undefined;
}

function chunks(rows: readonly DueRow[], most: number): Array<readonly [DueRow, ...DueRow[]]> {
	const all: Array<[DueRow, ...DueRow[]]> = [];
	let bytes = 0;
	for (const row of rows) {
		const size = JSON.stringify(row.data).length;
		const last = all.at(-1);
		const isOther = last && failedAt(last[0]) !== failedAt(row);
		if (!last || isOther || last.length >= most || bytes + size > MOST_BATCH_BYTES) {
			all.push([row]);
			bytes = size;
		} else {
			last.push(row);
			bytes += size;
		}
	}
	return all;
}

async function sendAll(
	{ services, send, record, judge }: DeliveryContext,
	receiver: ActiveReceiver,
	rows: readonly DueRow[],
): Promise<DeliveryOutcome[]> {
	const at = new Date();
	const result = await send(receiver, rows);
	services.metrics.attempted(result);
	const { ok, status, error, ms, retryAfter } = result;
	const attempt = { at: at.toISOString(), ms, status, error };
	const most = Math.max(...rows.map(({ attempts }) => attempts)) + 1;
	// One moment for all, so that they stay together.
	const isOptOut = receiver.kind === 'service' && rows.some(({ urgent }) => urgent);
	const next = ok ? undefined : nextAttempt(services.settings.retry, most, new Date(), { retryAfter, isOptOut });
	const state = ok ? 'delivered' : next ? 'pending' : 'failed';
	const outcomes = rows.map((row) => ({
		...outcomeOf(receiver, row),
		attempts: row.attempts + 1,
		state,
		attempt,
		...(next && { next }),
	})) satisfies DeliveryOutcome[];
	await Promise.all(outcomes.map(record));
	await judge(receiver, result, at);
	return outcomes;
}

function outcomeOf(receiver: ActiveReceiver, { id, urgent, attempts }: DueRow) {
	return { subscription: receiver.id, kind: receiver.kind, event: id, urgent, attempts };
}

/** The events of rows, in their order. */
export function eventsOf(rows: readonly DueRow[]) {
	return rows.map(toEvent);
}
