import type { TestClock } from './clock';
import type { TestDatabase } from './databases';
import type { RelayProcess } from './relayProcess';

/** A relay's clock together with the clock of its database. */
export type SharedClock = Pick<TestClock, 'pass' | 'move'>;

/**
 * Gives a PostgreSQL database a clock of its own. Call it before a relay starts on it, because its connections take the
 * `now()` of the database from there.
 */
export async function addServerClock({ query }: TestDatabase): Promise<void> {
	await query('create schema clock');
	await query('create table clock.moved as select 0::bigint as ms');
	await query(
		`create function clock.now() returns timestamptz language sql stable as
			$$ select pg_catalog.now() + (select ms from clock.moved) * interval '1 millisecond' $$`,
	);
	await query(
		`do $$ begin
			execute format('alter database %I set search_path = clock, pg_catalog, public', current_database());
		end $$`,
	);
}

/**
 * Moves the clocks of a relay and of its server together, as the clock of one machine.
 * @param clock of the relay, which started after {@link addServerClock}
 */
export async function shareClock({ query }: TestDatabase, clock: TestClock): Promise<SharedClock> {
	// The queue has a function of its own for the time.
	await query(
		`create or replace function pgboss.job_now() returns timestamptz language sql stable as $$ select clock.now() $$`,
	);
	const moveServer = async (ms: number) => await query('update clock.moved set ms = ms + $1', [ms]);
	const moveBoth = async (ms: number, moveRelay: () => Promise<void>) => {
		// The server must not be behind the relay, because it would start no jobs.
		if (ms > 0) await moveServer(ms);
		await moveRelay();
		if (ms < 0) await moveServer(ms);
	};
	return {
		pass: async (relay: RelayProcess, ms) => await moveBoth(ms, async () => await clock.pass(relay, ms)),
		move: async (relay: RelayProcess, ms) => await moveBoth(ms, async () => await clock.move(relay, ms)),
	};
}
