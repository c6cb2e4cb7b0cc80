import type { Sql } from '../database/database';
import type { CallAttempt } from './callAttempt';

/** A call of which a later attempt was rejected. */
interface OvertakenRow {
	readonly digest: string;
	readonly attempt: number;
}

/**
 * Finds attempts that a later attempt of their call has overtaken: it was rejected, and its caller knows that.
 *
 * It must be a statement of its own, after the one that claims keys. If that one waits for the transaction that frees a
 * key, it sees the database as it was before.
 * @returns whether an attempt must not be forwarded
 */
export async function readOvertaken(
	sql: Pick<Sql, 'prepared'>,
	attempts: readonly CallAttempt[],
): Promise<(attempt: CallAttempt) => boolean> {
	if (attempts.length === 0) return () => false;
	// No digest has a space.
	const rows = await sql.prepared<OvertakenRow>(
		`select digest, attempt from relay.overtaken_call where digest = any(string_to_array($1, ' '))`,
		[attempts.map(({ call }) => call).join(' ')],
	);
	const rejected = new Map(rows.map(({ digest, attempt }) => [digest, attempt]));
	return ({ call, number }) => number <= (rejected.get(call) ?? 0);
}

/** Whether an attempt may have overtaken earlier ones of its call. A first one has overtaken none. */
export function overtakes({ number }: CallAttempt): boolean {
	return number > 1;
}

/** Notes rejected attempts, before their callers know of it, and in the transaction that frees their keys. */
export async function writeOvertaken(sql: Pick<Sql, 'query'>, rejected: readonly CallAttempt[]): Promise<void> {
	const calls = new Map<string, number>();
	for (const { call, number } of rejected.filter(overtakes)) {
		calls.set(call, Math.max(number, calls.get(call) ?? 0));
	}
	if (calls.size === 0) return;
	const rows = [...calls].sort(([one], [other]) => (one < other ? -1 : 1));
	await sql.query(
		`insert into relay.overtaken_call as o (digest, attempt, rejected_at)
		select digest, attempt, clock_timestamp() from jsonb_to_recordset($1::text::jsonb) as g (digest text, attempt int)
		on conflict (digest) do update set attempt = greatest(o.attempt, excluded.attempt), rejected_at = excluded.rejected_at`,
		[JSON.stringify(rows.map(([digest, attempt]) => ({ digest, attempt })))],
	);
}
