import type { Database } from '../database/database';

/** Rows in one statement, so that no transaction takes long. */
const PIECE = 1_000;

/**
 * Marks calls in flight as unknown whose process was killed. The only process of an embedded database knows at its start
 * that all others are gone. On PostgreSQL, other processes may still make calls, so the time limit of each call counts.
 * @param atStart whether this process has just started
 */
export async function markAbandoned(database: Database, atStart: boolean): Promise<void> {
	const all = atStart && database.exclusive;
	await database.query(
		`update relay.send set state = 'unknown', settled_at = clock_timestamp()
		where state = 'in_flight' and ($1 or until <= clock_timestamp())`,
		[all],
	);
}

/**
 * Removes settled sends whose time is over. An unknown send does not expire, because its message may have been sent.
 * @param days how long settled sends are kept
 */
export async function removeOldSends(database: Database, days: number): Promise<void> {
	for (;;) {
		const removed = await database.query(
			`delete from relay.send where id in (
				select id from relay.send where state = 'accepted' and settled_at < clock_timestamp() - $1::int * interval '1 day'
				limit ${PIECE}) returning 1 as one`,
			[days],
		);
		if (removed.length < PIECE) return;
	}
}

/** How long an attempt may be held back on its way, in days. A relay that gets it later forwards it. */
const OVERTAKEN_DAYS = 7;

/** Removes notes about rejected attempts whose earlier attempts do not arrive any more. */
export async function removeOvertaken(database: Database): Promise<void> {
	await database.query(
		`delete from relay.overtaken_call where rejected_at < clock_timestamp() - interval '${OVERTAKEN_DAYS} days'`,
	);
}
