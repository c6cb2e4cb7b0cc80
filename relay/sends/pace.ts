import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../database/database';
import type { Mode } from './mode';

/** Decides when a request may leave for the service. */
export interface Pace {
	/**
	 * Waits for the turn of a request.
	 * @param deadline of the call, on the clock of `performance.now()`
	 * @param signals each ends the wait
	 * @returns undefined if it may leave now; else how long it would have to wait beyond its time, in milliseconds
	 * @throws the reason of one of `signals`
	 */
	turn(mode: Mode, deadline: number, signals: readonly AbortSignal[]): Promise<number | undefined>;
	/** Makes the calls of all processes wait, after the service responded 429. At most {@link LONGEST_PAUSE_MS}. */
	pause(mode: Mode, ms: number): void;
	/** Takes note of the pauses of all processes, which a statement just read with {@link PAUSES}. */
	note(pauses: readonly Pause[]): void;
}

/** A pause that is not over. */
export interface Pause {
	readonly mode: Mode;
	/** Its rest, in milliseconds. */
	readonly wait: number;
}

/**
 * No pause is longer, in milliseconds. After it, one more call asks the service. The limit may be that of one recipient
 * only, so a longer pause would stop all others for too long.
 */
export const LONGEST_PAUSE_MS = 600_000;

const PAUSE_BY_CLOCK = `paused_until < clock_timestamp() + interval '${LONGEST_PAUSE_MS} milliseconds'`;

/**
 * Reads the pauses of all processes as rows of {@link Pause}. It can be a part of a statement that a call needs anyway. A
 * pause beyond the longest one comes from a clock that was moved back.
 */
export const PAUSES = `select mode, (extract(epoch from paused_until - clock_timestamp()) * 1000)::float8 as wait
	from relay.pace where paused_until > clock_timestamp() and ${PAUSE_BY_CLOCK}`;

/** How long a process may use the pauses that it read, in milliseconds. */
export const FRESH_MS = 250;

/** No call waits longer, so a later slot comes from a clock that was moved back. */
const LONGEST_MINUTES = 10;

/**
 * Creates the pace of the calls to the service. All processes share the pause after a 429, and the rate. A call with an
 * idempotency key reads the pauses when it claims the key. Other calls read them together, a few times a second.
 * @param rate most requests in a second; 0 for no limit
 */
export function createPace(database: Pick<Database, 'query' | 'prepared' | 'exclusive'>, rate: number): Pace {
	const pausedUntil: Record<Mode, number> = { live: 0, sandbox: 0 };
	let freshUntil = -Infinity;
	let reading: Promise<void> | undefined;

	function note(pauses: readonly Pause[]): void {
		freshUntil = performance.now() + FRESH_MS;
		for (const { mode, wait } of pauses) pauseHere(mode, wait);
	}

	function pauseHere(mode: Mode, ms: number): void {
		pausedUntil[mode] = Math.max(pausedUntil[mode], performance.now() + ms);
	}

	/** The only process of an embedded database knows all pauses. */
	async function refresh(): Promise<void> {
		if (database.exclusive || performance.now() < freshUntil) return;
		// Without the database, this process still knows its own pauses.
		reading ??= database
			.query<Pause>(PAUSES)
			.then(note, () => undefined)
			.finally(() => (reading = undefined));
		await reading;
	}

	/** Reserves the next slot, unless it is beyond the call's time. */
	async function waitForSlot(mode: Mode, leftMs: number): Promise<number | undefined> {
		const [row] = await database.prepared<{ wait: number }>(
			`insert into relay.pace as p (mode, next_slot) values ($1, clock_timestamp() + $2::float8 * interval '1 millisecond')
			on conflict (mode) do update set next_slot = greatest(clock_timestamp(),
				case when p.next_slot < clock_timestamp() + interval '${LONGEST_MINUTES} minutes' then p.next_slot end)
				+ $2::float8 * interval '1 millisecond'
			where p.next_slot < clock_timestamp() + $3::float8 * interval '1 millisecond'
				or p.next_slot > clock_timestamp() + interval '${LONGEST_MINUTES} minutes'
			returning (extract(epoch from p.next_slot - clock_timestamp()) * 1000 - $2::float8)::float8 as wait`,
			[mode, 1000 / rate, leftMs],
		);
		return row && Math.max(0, row.wait);
	}

	return {
		async turn(mode, deadline, signals) {
			for (;;) {
				await refresh();
				for (const signal of signals) signal.throwIfAborted();
				const wait = pausedUntil[mode] - performance.now();
				if (wait <= 0) break;
				if (performance.now() + wait >= deadline) return wait;
				await delay(wait, undefined, { signal: AbortSignal.any([...signals]) });
			}
			if (rate === 0) return undefined;
			const left = deadline - performance.now();
			const wait = await waitForSlot(mode, left);
			if (wait === undefined) return left;
			if (wait > 0) await delay(wait, undefined, { signal: AbortSignal.any([...signals]) });
			return undefined;
		},
		pause(mode, askedMs) {
			const ms = Math.min(askedMs, LONGEST_PAUSE_MS);
			pauseHere(mode, ms);
			if (database.exclusive) return;
			// If it fails, the other processes learn it from a 429 of their own.
			void database
				.query(
					`insert into relay.pace as p (mode, next_slot, paused_until)
					values ($1, clock_timestamp(), clock_timestamp() + $2::float8 * interval '1 millisecond')
					on conflict (mode) do update set paused_until = greatest(excluded.paused_until,
						case when p.${PAUSE_BY_CLOCK} then p.paused_until end)`,
					[mode, ms],
				)
				.catch(() => undefined);
		},
		note,
	};
}
