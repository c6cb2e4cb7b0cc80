import { randomBytes } from 'node:crypto';
import type { Database, Sql } from '../database/database';
import { despiteDeadlocks } from '../database/deadlock';
import { together } from '../database/together';
import { jsonbText } from '../events/jsonbText';
import type { CallAttempt } from './callAttempt';
import type { Mode } from './mode';
import { freeOldKeys, isAging, oldKeyOf } from './oldKeys';
import { overtakes, readOvertaken, writeOvertaken } from './overtaken';
import { PAUSES, type Pace, type Pause } from './pace';

/** The state of a send. A send that the service rejected has no row, so its key is free. */
export type SendState = 'in_flight' | 'accepted' | 'unknown';

/** Listed fields of a response. */
export type StoredFields = Readonly<Record<string, string | number | boolean>>;

/** A key that a call claims before it leaves. */
export interface NewClaim {
	readonly id: string;
	readonly mode: Mode;
	readonly key_digest: string;
	/** The key of the recipient, if it has one. No two sends have the same. */
	readonly recipient_key_digest: string | null;
	readonly content_digest: string;
	/** As the contract names it. */
	readonly endpoint: string;
	readonly api_key_digest: string;
	/** Encrypted. */
	readonly recipient: string | null;
	readonly recipient_end: string | null;
	/** The call, if the key has a maximum age. */
	readonly call_digest: string | null;
	/** The age above which the send of another call does not keep the key. */
	readonly max_age_seconds: number | null;
}

/** A send that claimed the key before. */
export interface Taken {
	readonly id: string;
	readonly content_digest: string;
	readonly api_key_digest: string;
	/** The call, if its key has a maximum age. */
	readonly call_digest: string | null;
	/** A call in flight beyond its time counts as unknown. */
	readonly state: SendState;
	/** Status of the service's response; null if a person settled it, or there was none. */
	readonly status: number | null;
	readonly fields: StoredFields | null;
}

/** The result of claiming all keys of a call. Nothing is claimed unless it is `claimed`. */
export type ClaimResult =
	/** The keys in `taken` belong to sends with a known or unknown outcome, by the ID of the claim. All others are claimed. */
	| { readonly kind: 'claimed'; readonly taken: ReadonlyMap<string, Taken> }
	/** These sends are in flight. Without any, the call may try again at once. */
	| { readonly kind: 'busy'; readonly ids: readonly string[] }
	/** The key of this claim belongs to another content. */
	| { readonly kind: 'reused'; readonly claim: NewClaim; readonly taken: Taken }
	/** A later attempt of the call was rejected. */
	| { readonly kind: 'overtaken' };

/** The outcome of a claimed send. */
export type Settlement =
	| { readonly id: string; readonly state: 'accepted'; readonly status: number; readonly fields: StoredFields }
	| { readonly id: string; readonly state: 'unknown'; readonly status: number | null }
	/** It was rejected, so its key is free. Earlier attempts of its call must not be forwarded any more. */
	| { readonly id: string; readonly state: 'rejected'; readonly attempt?: CallAttempt };

/** The memory of sends. */
export interface SendStore {
	/**
	 * Claims the keys of one call, all or none. It is on disk when this resolves.
	 * @param attempt of the call, if its client counts them
	 */
	claim(claims: readonly NewClaim[], attempt: CallAttempt | undefined): Promise<ClaimResult>;
	/** Writes the outcome of the sends of one call. A send that a person settled stays as it is. */
	settle(settlements: readonly Settlement[]): Promise<void>;
	/** @returns those of the sends that are still in flight */
	inFlight(ids: readonly string[]): Promise<Set<string>>;
}

/** The keys that one call claims. */
interface Claiming {
	readonly claims: readonly NewClaim[];
	readonly attempt: CallAttempt | undefined;
}

type Queries = Pick<Sql, 'query' | 'prepared'>;

/** Calls that share one transaction. */
const MOST_TOGETHER = 100;

/** Creates the ID of a send. */
export function newSendId(): string {
	return `snd_${randomBytes(12).toString('hex')}`;
}

/**
 * Creates the memory of sends.
 * @param limitMs how long a call may be in flight, in milliseconds. After that, all processes see it as unknown
 * @param pace gets the pauses that each claim reads
 */
export function createSendStore(database: Database, limitMs: number, pace: Pick<Pace, 'note'>): SendStore {
	// Names the process for a person who reads the table.
	const owner = `${process.pid}-${randomBytes(4).toString('hex')}`;

	// A caller waits for these. One statement is a transaction with a third of the round trips.
	const alone: Queries = {
		query: async (text, values) => await despiteDeadlocks(async () => await database.query(text, values, 'urgent')),
		prepared: async (text, values) =>
			await despiteDeadlocks(async () => await database.prepared(text, values, 'urgent')),
	};

	async function inTransaction<Result>(work: (sql: Queries) => Promise<Result>): Promise<Result> {
		return await despiteDeadlocks(async () => await database.transaction(work, 'urgent'));
	}

	async function claimIn(sql: Queries, calls: readonly Claiming[]): Promise<ClaimResult[]> {
		// The same order for all callers makes deadlocks rare. They remain possible, because a claim has two unique keys.
		const ordered = calls.flatMap(({ claims }) => claims).sort((one, other) => compare(placeOf(one), placeOf(other)));
		const aging = ordered.filter(isAging);
		if (aging.length > 0) await freeOldKeys(sql, aging);
		const { claimed, pauses } = await insert(sql, ordered, { owner, limitMs, readPauses: !database.exclusive });
		pace.note(pauses);
		// After the claims, so that it sees each send whose key they have now.
		const lost = [
			...ordered.filter(({ id }) => !claimed.has(id)),
			...aging.map((one) => ({ ...oldKeyOf(one), recipient_key_digest: null })),
		];
		const known = lost.length === 0 ? new Map<string, Taken>() : await readTaken(sql, lost);
		const isOvertaken = await readOvertaken(sql, attemptsOf(calls));
		const results = calls.map(({ claims, attempt }): ClaimResult =>
			attempt && isOvertaken(attempt) ? { kind: 'overtaken' } : resultOf(claims, claimed, known),
		);
		const answered = calls.filter(({ claims }, index) => isFinal(claims, results[index]));
		await writeOvertaken(sql, attemptsOf(answered));
		const undone = calls.flatMap(({ claims }, index) => undoneBy(claims, results[index]));
		const released = undone.map(({ id }) => id).filter((id) => claimed.has(id));
		if (released.length > 0) await sql.query('delete from relay.send where id = any($1)', [released]);
		return results;
	}

	async function claimAll(calls: readonly Claiming[]): Promise<ClaimResult[]> {
		// A call with one key that is claimed and not forwarded after all is unknown if the process ends in between.
		if (calls.every(({ claims }) => claims.length === 1 && !claims.some(isAging))) return await claimIn(alone, calls);
		return await inTransaction(async (sql) => await claimIn(sql, calls));
	}

	async function settleAll(calls: ReadonlyArray<readonly Settlement[]>): Promise<true[]> {
		const settlements = calls.flat();
		const rejected = settlements.filter((one) => one.state === 'rejected');
		const kept = settlements.filter(({ state }) => state !== 'rejected');
		const overtaking = attemptsOf(rejected).filter(overtakes);
		if (rejected.length === 0) await keep(alone, kept);
		else if (kept.length === 0 && overtaking.length === 0) await free(alone, rejected);
		else {
			await inTransaction(async (sql) => {
				if (kept.length > 0) await keep(sql, kept);
				await free(sql, rejected);
				await writeOvertaken(sql, overtaking);
			});
		}
		return calls.map(() => true);
	}

	const claim = together(claimAll, { most: MOST_TOGETHER });
	const settle = together(settleAll, { most: MOST_TOGETHER });
	return {
		claim: async (claims, attempt) => await claim({ claims, attempt }),
		async settle(settlements) {
			await settle(settlements);
		},
		async inFlight(ids) {
			const rows = await database.query<{ id: string }>(
				`select id from relay.send where id = any($1) and state = 'in_flight' and until > clock_timestamp()`,
				[ids],
			);
			return new Set(rows.map(({ id }) => id));
		},
	};
}

function attemptsOf(calls: ReadonlyArray<{ readonly attempt?: CallAttempt | undefined }>): CallAttempt[] {
	return calls.map(({ attempt }) => attempt).filter((attempt) => attempt !== undefined);
}

function identityOf({ mode, key_digest }: Pick<NewClaim, 'mode' | 'key_digest'>): string {
	return `${mode} ${key_digest}`;
}

function recipientIdentityOf({ mode, recipient_key_digest }: Pick<NewClaim, 'mode' | 'recipient_key_digest'>): string {
	return `recipient ${mode} ${recipient_key_digest}`;
}

/** The place of a claim in the order of all callers. A single send and a bulk send share only the key of a recipient. */
function placeOf({ mode, key_digest, recipient_key_digest }: NewClaim): string {
	return identityOf({ mode, key_digest: recipient_key_digest ?? key_digest });
}

function compare(one: string, other: string): number {
	return one < other ? -1 : one > other ? 1 : 0;
}

/** The result of {@link insert}. */
interface Inserted {
	/** The IDs of the claims whose keys were free. */
	readonly claimed: ReadonlySet<string>;
	readonly pauses: readonly Pause[];
}

interface InsertOptions {
	readonly owner: string;
	readonly limitMs: number;
	/** The only process of an embedded database knows all pauses. */
	readonly readPauses: boolean;
}

/** Claims keys that are free, and reads the pauses in the same statement. */
async function insert(
	sql: Queries,
	claims: readonly NewClaim[],
	{ owner, limitMs, readPauses }: InsertOptions,
): Promise<Inserted> {
	const rows = await sql.prepared<{ id: string; mode: null; wait: null } | (Pause & { id: null })>(
		`with claimed as (insert into relay.send (id, mode, key_digest, recipient_key_digest, content_digest, endpoint, api_key_digest, recipient, recipient_end,
			call_digest, state, owner, until, created_at)
		select id, mode, key_digest, recipient_key_digest, content_digest, endpoint, api_key_digest, recipient, recipient_end, call_digest,
			'in_flight', $2, clock_timestamp() + $3::int * interval '1 millisecond', clock_timestamp()
		from jsonb_to_recordset($1::text::jsonb) as g (place int, id text, mode text, key_digest text, recipient_key_digest text, content_digest text,
			endpoint text, api_key_digest text, recipient text, recipient_end text, call_digest text)
		order by place on conflict do nothing returning id)
		select id, null as mode, null::float8 as wait from claimed
		${readPauses ? `union all select null, mode, wait from (${PAUSES}) p` : ''}`,
		[JSON.stringify(claims.map((claim, place) => ({ ...claim, place }))), owner, limitMs],
	);
	return {
		claimed: new Set(rows.flatMap(({ id }) => (id === null ? [] : [id]))),
		pauses: rows.filter((row) => row.id === null),
	};
}

/** Reads who has the keys of claims. A key may be free again in the meantime. */
async function readTaken(
	sql: Queries,
	claims: ReadonlyArray<Pick<NewClaim, 'mode' | 'key_digest' | 'recipient_key_digest'>>,
): Promise<Map<string, Taken>> {
	const rows = await sql.query<Taken & Pick<NewClaim, 'mode' | 'key_digest' | 'recipient_key_digest'>>(
		`with g as (select distinct mode, key_digest, recipient_key_digest
			from jsonb_to_recordset($1::text::jsonb) as g (mode text, key_digest text, recipient_key_digest text))
		select s.id, s.mode, s.key_digest, s.recipient_key_digest, s.content_digest, s.api_key_digest, s.call_digest, s.status, s.fields,
			case when s.state = 'in_flight' and s.until <= clock_timestamp() then 'unknown' else s.state end as state
		from relay.send s where s.id in (
			select r.id from relay.send r join g using (mode, key_digest)
			union all select r.id from relay.send r join g using (mode, recipient_key_digest))`,
		[
			JSON.stringify(
				claims.map(({ mode, key_digest, recipient_key_digest }) => ({ mode, key_digest, recipient_key_digest })),
			),
		],
	);
	return new Map(
		rows.flatMap((row) => [
			[identityOf(row), row],
			[recipientIdentityOf(row), row],
		]),
	);
}

function resultOf(
	claims: readonly NewClaim[],
	claimed: ReadonlySet<string>,
	known: ReadonlyMap<string, Taken>,
): ClaimResult {
	const taken = new Map<string, Taken>();
	const busy: string[] = [];
	let retry = false;
	for (const claim of claims) {
		const old = isAging(claim) ? known.get(identityOf(oldKeyOf(claim))) : undefined;
		if (claimed.has(claim.id) && !old) continue;
		const found = old ?? known.get(identityOf(claim));
		const forRecipient = claim.recipient_key_digest === null ? undefined : known.get(recipientIdentityOf(claim));
		const holder = found ?? forRecipient;
		const other = [found, forRecipient].find((one) => one && one.content_digest !== claim.content_digest);
		if (!holder) retry = true;
		else if (other) return { kind: 'reused', claim, taken: other };
		else if (holder.state === 'in_flight') busy.push(holder.id);
		else taken.set(claim.id, holder);
	}
	return retry || busy.length > 0 ? { kind: 'busy', ids: busy } : { kind: 'claimed', taken };
}

/**
 * Whether the caller of an attempt hears the outcome of another call's send, or that its key is reused. When that send is
 * too old, an earlier attempt would be forwarded, although its caller counts on the outcome.
 */
function isFinal(claims: readonly NewClaim[], result: ClaimResult | undefined): boolean {
	if (result?.kind !== 'claimed') return result?.kind === 'reused';
	return claims.filter(isAging).some(({ id, call_digest }) => {
		const taken = result.taken.get(id);
		return taken !== undefined && taken.call_digest !== call_digest;
	});
}

/** The claims that a call does not use. */
function undoneBy(claims: readonly NewClaim[], result: ClaimResult | undefined): readonly NewClaim[] {
	return result?.kind === 'claimed' ? claims.filter(({ id }) => result.taken.has(id)) : claims;
}

/** Frees the keys of sends that were rejected. */
async function free(sql: Queries, rejected: readonly Settlement[]): Promise<void> {
	await sql.query(`delete from relay.send where id = any($1) and state <> 'accepted'`, [rejected.map(({ id }) => id)]);
}

/** The number of an accepted send is not needed any more. An unknown one keeps it, so that a person can look for it. */
async function keep(sql: Queries, settlements: readonly Settlement[]): Promise<void> {
	await sql.prepared(
		`update relay.send s set state = g.state, status = g.status, fields = g.fields, settled_at = clock_timestamp(),
			settled_by = case when g.state = 'accepted' then 'service' end,
			recipient = case when g.state = 'accepted' then null else s.recipient end
		from jsonb_to_recordset($1::text::jsonb) as g (id text, state text, status int, fields jsonb)
		where s.id = g.id and s.state <> 'accepted'`,
		[jsonbText(settlements)],
	);
}
