import { judgeStatus, type DeliveryProgress, type StatusVerdict } from '../../shared/index';
import { CLOCK_TOLERANCE_MS } from '../clock';
import type { Sql } from '../database/database';
import type { IncomingEvent } from './incoming';

/** An event with its new ID, and whether it repeats another one. */
export interface JudgedEvent {
	readonly id: string;
	readonly event: IncomingEvent;
	/** The event that it repeats; null if it repeats a receipt. Undefined: it is new. */
	readonly repeats: string | null | undefined;
	/** A receipt that is behind its message. */
	readonly late: boolean;
}

/**
 * Finds the events that were received before, and remembers the others. All processes agree, because each rule locks
 * its rows.
 * @param sql the transaction that also stores the events
 */
export async function deduplicate(
	sql: Sql,
	events: ReadonlyArray<{ readonly id: string; readonly event: IncomingEvent }>,
	now: Date,
): Promise<JudgedEvent[]> {
	const repeated = await findRepeated(sql, events, now);
	const verdicts = await judgeReceipts(sql, events, now);
	return events.map(({ id, event }) => {
		const verdict = verdicts.get(id);
		const repeats = verdict === 'known' ? null : repeated.get(id);
		return { id, event, repeats, late: verdict === 'late' };
	});
}

interface Seen {
	/** The first event; empty if the digest is new again. */
	readonly id: string;
	readonly until: Date;
}

/** @returns the ID of the first event, by the ID of each repeated one */
async function findRepeated(
	sql: Sql,
	events: ReadonlyArray<{ readonly id: string; readonly event: IncomingEvent }>,
	now: Date,
): Promise<Map<string, string>> {
	// Nearly all digests are new, so their rows are inserted as they would be if all were.
	const guess = new Map<string, Seen>();
	recognizeAgain(events, guess, now);
	if (guess.size === 0) return new Map();
	const ends = events.flatMap(({ event: { identity } }) => identity?.ends ?? []);
	for (const digest of ends) if (!guess.has(digest)) guess.set(digest, { id: '', until: now });
	// Locks the rows in one order, so that two processes never wait for each other.
	const inserted = sorted(guess);
	const rows = await sql.query<{ digest: string; event_id: string; until: Date; is_new: boolean }>(
		`insert into relay.seen (digest, event_id, until)
		select x.d, x.e, x.u from unnest($1::text[], $2::text[], $3::timestamptz[]) as x (d, e, u)
		on conflict (digest) do update set digest = excluded.digest
		returning digest, event_id, until, xmax = 0 as is_new`,
		seenColumns(inserted),
	);
	const known = rows.filter(({ is_new }) => !is_new);
	if (known.length === 0) return recognizeAgain(events, new Map(), now);
	const stored = new Map([
		...guess,
		...known.map(({ digest, event_id: id, until }): [string, Seen] => [digest, { id, until }]),
	]);
	const seen = new Map(known.map(({ digest }) => [digest, stored.get(digest) ?? { id: '', until: now }]));
	const repeated = recognizeAgain(events, seen, now);
	const changed = sorted(seen).filter(([digest, { id, until }]) => {
		const before = stored.get(digest);
		return before?.id !== id || before.until.getTime() !== until.getTime();
	});
	if (changed.length > 0) {
		await sql.query(
			`update relay.seen s set event_id = x.e, until = x.u
			from unnest($1::text[], $2::text[], $3::timestamptz[]) as x (d, e, u) where s.digest = x.d`,
			seenColumns(changed),
		);
	}
	return repeated;
}

/**
 * Compares events with the digests seen so far, in their order.
 * @param seen is updated
 * @returns the ID of the first event, by the ID of each repeated one
 */
function recognizeAgain(
	events: ReadonlyArray<{ readonly id: string; readonly event: IncomingEvent }>,
	seen: Map<string, Seen>,
	now: Date,
): Map<string, string> {
	const repeated = new Map<string, string>();
	for (const { id, event } of events) {
		if (!event.identity) continue;
		const { digest, knownMs, ends } = event.identity;
		const known = seen.get(digest);
		if (known && isKnown(known, knownMs, now)) {
			repeated.set(id, known.id);
			continue;
		}
		seen.set(digest, { id, until: new Date(now.getTime() + knownMs) });
		if (ends !== undefined) seen.set(ends, { id: '', until: now });
	}
	return repeated;
}

/** A time further ahead than events are known was written before the clock was set back. It must hide no new event. */
function isKnown({ id, until }: Seen, knownMs: number, now: Date): boolean {
	const leftMs = until.getTime() - now.getTime();
	return id !== '' && leftMs > 0 && leftMs <= knownMs + CLOCK_TOLERANCE_MS;
}

function sorted<Value>(map: ReadonlyMap<string, Value>): Array<[string, Value]> {
	return [...map].sort(([one], [other]) => (one < other ? -1 : 1));
}

function seenColumns(entries: ReadonlyArray<readonly [string, Seen]>): unknown[] {
	return [entries.map(([digest]) => digest), entries.map(([, { id }]) => id), entries.map(([, { until }]) => until)];
}

interface Receipt {
	/** Of the event. */
	readonly id: string;
	/** A digest, see `progressIdentity`. */
	readonly message: string;
	readonly status: string;
}

/** @returns the verdict by the ID of each receipt */
async function judgeReceipts(
	sql: Sql,
	events: ReadonlyArray<{ readonly id: string; readonly event: IncomingEvent }>,
	now: Date,
): Promise<Map<string, StatusVerdict>> {
	const receipts = events.flatMap(({ id, event: { receipt } }) => (receipt ? [{ id, ...receipt }] : []));
	if (receipts.length === 0) return new Map();
	// Many messages are new, so their rows are inserted as they would be if all were.
	const guess = new Map<string, DeliveryProgress>();
	const verdicts = judgeAll(receipts, guess);
	const inserted = sorted(guess);
	const rows = await sql.query<{ message_id: string; rank: number; reported: string[]; is_new: boolean }>(
		`insert into relay.progress (message_id, rank, reported, updated_at)
		select x.m, x.r, array(select jsonb_array_elements_text(x.s::jsonb)), $4
		from unnest($1::text[], $2::int[], $3::text[]) as x (m, r, s)
		on conflict (message_id) do update set updated_at = excluded.updated_at
		returning message_id, rank, reported, xmax = 0 as is_new`,
		[...progressColumns(inserted), now],
	);
	const known = new Map<string, DeliveryProgress>(
		rows.filter(({ is_new }) => !is_new).map(({ message_id, rank, reported }) => [message_id, { rank, reported }]),
	);
	if (known.size === 0) return verdicts;
	const progress = new Map(known);
	const later = judgeAll(
		receipts.filter(({ message }) => known.has(message)),
		progress,
	);
	const changed = sorted(progress).filter(([message, next]) => known.get(message) !== next);
	if (changed.length > 0) {
		await sql.query(
			`update relay.progress p set rank = x.r, reported = array(select jsonb_array_elements_text(x.s::jsonb))
			from unnest($1::text[], $2::int[], $3::text[]) as x (m, r, s) where p.message_id = x.m`,
			progressColumns(changed),
		);
	}
	return new Map([...verdicts, ...later]);
}

/**
 * Judges receipts in their order.
 * @param progress of each message so far, which is updated
 */
function judgeAll(receipts: readonly Receipt[], progress: Map<string, DeliveryProgress>): Map<string, StatusVerdict> {
	const verdicts = new Map<string, StatusVerdict>();
	for (const { id, message, status } of receipts) {
		const { verdict, next } = judgeStatus(progress.get(message), status);
		verdicts.set(id, verdict);
		progress.set(message, next);
	}
	return verdicts;
}

function progressColumns(entries: ReadonlyArray<readonly [string, DeliveryProgress]>): unknown[] {
	return [
		entries.map(([message]) => message),
		entries.map(([, { rank }]) => rank),
		entries.map(([, { reported }]) => JSON.stringify(reported)),
	];
}
