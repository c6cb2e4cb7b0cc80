import type { Sql } from '../database/database';
import type { Mode } from './mode';

/** The key that a claim is about. */
interface ClaimedKey {
	readonly mode: Mode;
	readonly key_digest: string;
	/** The call, if the key has a maximum age. */
	readonly call_digest: string | null;
	/** The age above which the send of another call does not keep the key. */
	readonly max_age_seconds: number | null;
}

/** A key with a maximum age. */
type AgingKey = ClaimedKey & { readonly call_digest: string; readonly max_age_seconds: number };

/** Whether the key of a claim has a maximum age. */
export function isAging<Claim extends ClaimedKey>(claim: Claim): claim is Claim & AgingKey {
	return claim.call_digest !== null && claim.max_age_seconds !== null;
}

/**
 * The key under which the earlier send of the same call is kept after it became too old for another call. No caller can
 * send it, because it has a space.
 */
export function oldKeyOf({ mode, key_digest, call_digest }: AgingKey): Pick<AgingKey, 'mode' | 'key_digest'> {
	return { mode, key_digest: `${key_digest} ${call_digest}` };
}

/**
 * Frees keys that are too old for these claims. The earlier sends keep their outcome under {@link oldKeyOf}, so a late
 * attempt of their calls still finds them. A key in flight is not freed. Nor is the key of a call that gave no maximum
 * age, or of the same call.
 *
 * The age is measured by the clock of the database, which all relays share.
 */
export async function freeOldKeys(sql: Pick<Sql, 'query'>, claims: readonly AgingKey[]): Promise<void> {
	// The same order for all callers makes deadlocks rare.
	await sql.query(
		`update relay.send s set key_digest = s.key_digest || ' ' || s.call_digest, recipient_key_digest = null
		from (select s.id from relay.send s join jsonb_to_recordset($1::text::jsonb)
				as g (mode text, key_digest text, call_digest text, max_age_seconds int) using (mode, key_digest)
			where s.call_digest <> g.call_digest
				and s.created_at <= clock_timestamp() - g.max_age_seconds * interval '1 second'
				and (s.state <> 'in_flight' or s.until <= clock_timestamp())
			order by s.mode, s.key_digest for update of s) old
		where s.id = old.id`,
		[
			JSON.stringify(
				claims.map(({ mode, key_digest, call_digest, max_age_seconds }) => ({
					...{ mode, key_digest, call_digest, max_age_seconds },
				})),
			),
		],
	);
}
