import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../database/database';
import type { Mode } from './store';

/** Decides when a request may leave for the service. */
export interface Pace {
	/**
	 * Waits for the turn of a request.
	 * @param deadline of the call, on the clock of `performance.now()`
	 * @param signal ends the wait
	 * @returns undefined if it may leave now; else how long it would have to wait beyond its time, in milliseconds
	 * @throws the reason of `signal`
	 */
	turn(mode: Mode, deadline: number, signal: AbortSignal): Promise<number | undefined>;
	/** Makes all calls of this process wait, after the service responded 429. */
	pause(mode: Mode, ms: number): void;
}

/** No call waits longer, so a later slot comes from a clock that was moved back. */
const LONGEST_MINUTES = 10;

/**
 * Creates the pace of the calls to the service. Each process pauses on its own after a 429. All processes share the rate.
 * @param rate most requests in a second; 0 for no limit
 */
export function createPace(database: Database, rate: number): Pace {
	const pausedUntil: Record<Mode, number> = { live: 0, sandbox: 0 };

	/** Reserves the next slot, unless it is beyond the call's time. */
	async function waitForSlot(mode: Mode, leftMs: number): Promise<number | undefined> {
		const [row] = await database.query<{ wait: number }>(
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
		async turn(mode, deadline, signal) {
			for (;;) {
				signal.throwIfAborted();
				const wait = pausedUntil[mode] - performance.now();
				if (wait <= 0) break;
				if (performance.now() + wait >= deadline) return wait;
				await delay(wait, undefined, { signal });
			}
			if (rate === 0) return undefined;
			const left = deadline - performance.now();
			const wait = await waitForSlot(mode, left);
			if (wait === undefined) return left;
			if (wait > 0) await delay(wait, undefined, { signal });
			return undefined;
		},
		pause(mode, ms) {
			pausedUntil[mode] = Math.max(pausedUntil[mode], performance.now() + ms);
		},
	};
}
