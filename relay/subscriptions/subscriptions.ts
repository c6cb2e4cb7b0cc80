import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Sql } from '../database/database';
import { bringForward } from '../delivery/bringForward';
import { oweFarewells } from '../delivery/farewells';
import { queueOf } from '../delivery/queues';
import { HttpError } from '../http/httpError';
import type { Caller } from '../http/caller';
import type { Services } from '../services';
import { filterSchema } from './filter';
import { contentIdentity, identityOf, keepsEvents } from './identity';
import { isOwnIngest } from './ownIngest';
import { SUBSCRIPTION_QUERY, toSubscription, type SubscriptionRow } from './rows';
import type { Batch, NewSubscription, Subscription, SubscriptionChanges } from './schema';
import type { UrlPolicy } from './urlPolicy';

/** How long a subscription that n8n deleted keeps its events, in milliseconds. */
const LEAVING_MS = 600_000;

/**
 * How long the response to such a delete waits, in milliseconds. n8n removes its webhook after the response. By then, all
 * processes of the relay have stopped sending to it, and n8n has responded to requests in flight.
 */
const HELD_AFTER_MS = 250;

/** Most subscriptions of one relay. Each has a queue and a worker. */
const MOST_SUBSCRIPTIONS = 500;

/** Creates, lists, changes and removes subscriptions, for their owner. */
export interface Subscriptions {
	/**
	 * Creates a subscription, or updates the one with the same identity.
	 * @throws HttpError 409 for a reference of another token; 422 for a URL that is not allowed
	 */
	create(caller: Caller, input: NewSubscription): Promise<{ subscription: Subscription; isNew: boolean }>;
	list(caller: Caller, reference?: string): Promise<Subscription[]>;
	/** @throws HttpError 404 if it does not exist or belongs to another token */
	get(caller: Caller, id: string): Promise<Subscription>;
	/** @throws HttpError 404, 422; 409 if another subscription of its token has the same URL, types and filter */
	change(caller: Caller, id: string, changes: SubscriptionChanges): Promise<Subscription>;
	/** Removes it, if it exists. One that keeps its events gets no more requests when this resolves. */
	remove(caller: Caller, id: string): Promise<void>;
}

interface KnownRow {
	readonly id: string;
	readonly token_id: string | null;
	readonly kind: string;
	readonly state: string;
	/** Encrypted. */
	readonly secret: string;
}

/**
 * Creates the functions of {@link Subscriptions}.
 * @param url the address that the relay listens on
 */
export function createSubscriptions(services: Services, policy: UrlPolicy, url: string): Subscriptions {
	const { database, engine, cipher, changes, settings } = services;
	const addresses = [url, settings.publicUrl].filter((address) => address !== '');
	const present = (row: SubscriptionRow) => toSubscription(row, settings.retentionDays);

	function checkUrl(caller: Caller, url: string): void {
		const issue = policy.check(url, { onlyZapier: caller.kind === 'zapier' });
		if (issue) throw new HttpError(422, issue.code, issue.message, 'url');
		if (!isOwnIngest(url, addresses)) return;
		const message = 'This is the ingest URL of this relay, so events would loop. Enter the URL of your receiver.';
		throw new HttpError(422, 'invalid', message, 'url');
	}

	function checkBatch(kind: string, batch: Batch | null | undefined): void {
		if (kind !== 'zapier' || !batch) return;
		throw new HttpError(422, 'invalid', 'Zapier reads one event per request. Leave out batch.', 'batch');
	}

	/** Undefined for one that cannot be read. Its owner gets a new one. */
	function knownSecret(known: KnownRow | undefined): string | undefined {
		if (!known) return undefined;
		try {
			return cipher.open(known.secret);
		} catch {
			return undefined;
		}
	}

	async function find(sql: Sql, caller: Caller, id: string): Promise<SubscriptionRow> {
		const rows = await sql.query<SubscriptionRow>(`${SUBSCRIPTION_QUERY} and s.id = $1`, [id]);
		const [row] = rows.filter((one) => mayChange(caller, one));
		if (!row)
			throw new HttpError(404, 'not_found', 'This subscription does not exist. List yours with GET /v1/subscriptions.');
		return row;
	}

	/**
	 * Updates the subscription with this identity, or creates it with the ID of a new queue.
	 * @returns undefined if it does not exist and there is no queue
	 */
	async function save(caller: Caller, input: NewSubscription, identity: string, newId: string | undefined) {
		return await database.transaction(async (sql) => {
			// Of two equal requests at the same moment, the second one finds the subscription of the first one.
			await lock(sql, identity);
			const [known] = await sql.query<KnownRow>(
				'select id, token_id, kind, state, secret from relay.subscription where identity = $1 for update',
				[identity],
			);
			if (known && known.token_id !== caller.id && caller.kind !== 'admin') {
				const message = 'This reference belongs to another token. Use the token that created it, or another reference.';
				throw new HttpError(409, 'conflict', message, 'reference');
			}
			// An admin may update the subscription of a Zap, which stays one.
			checkBatch(known?.kind ?? caller.kind, input.batch);
			const id = known?.id ?? newId;
			if (id === undefined) return undefined;
			const secret = input.secret ?? knownSecret(known) ?? `whsec_${randomBytes(32).toString('base64')}`;
			await write(sql, { id, identity, caller, input, secret: cipher.seal(secret) });
			// Requests that were in flight when n8n removed its webhook got 404.
			if (known?.state === 'leaving') await bringForward(engine, sql, id);
			return { row: await find(sql, caller, id), isNew: !known, secret };
		});
	}

	return {
		async create(caller, input) {
			checkUrl(caller, input.url);
			checkBatch(caller.kind, input.batch);
			const identity = identityOf(caller.id, input);
			let newId: string | undefined;
			let saved = (await isKnown(database, identity)) ? await save(caller, input, identity, undefined) : undefined;
			if (saved === undefined) {
				// Before the row, because the next event already makes a job for it.
				newId = await createQueue(services);
				saved = await save(caller, input, identity, newId);
			}
			if (saved === undefined) throw new Error('A subscription with a queue was not saved');
			const { row, isNew, secret } = saved;
			if (newId !== undefined && newId !== row.id) await engine.deleteQueue(queueOf(newId));
			changes.announce('subscriptions');
			return { subscription: { ...present(row), secret }, isNew };
		},
		async list(caller, reference) {
			const rows = await database.query<SubscriptionRow>(
				`${SUBSCRIPTION_QUERY} and ($1::text is null or s.reference = $1) order by s.created_at, s.id`,
				[reference ?? null],
			);
			return rows.filter((row) => mayChange(caller, row)).map(present);
		},
		get: async (caller, id) => present(await find(database, caller, id)),
		async change(caller, id, input) {
			const { state, url, types, filter, label, batch } = input;
			if (url !== undefined) checkUrl(caller, url);
			const row = await database.transaction(async (sql) => {
				// Of two changes at the same moment, the second one reads the result of the first one.
				await lock(sql, id);
				const known = await find(sql, caller, id);
				if (known.token_id === null && Object.keys(input).some((field) => field !== 'state')) throw ownSubscription();
				checkBatch(known.kind, batch);
				const identity = await changedIdentity(sql, known, input);
				await sql.query(
					`update relay.subscription set
						state = case when state = 'leaving' then state else coalesce($2, state) end,
						was_paused = case when state = 'leaving' then coalesce($2 = 'paused', was_paused) else was_paused end,
						reason = case when $2 is null then reason end,
						failing_since = case when $2 = 'active' then null else failing_since end,
						next_probe_at = case when $2 is null then next_probe_at end,
						url = coalesce($3, url), types = coalesce($4, types), filter = coalesce($5::jsonb, filter),
						label = case when $6 then $7 else label end, batch = case when $8 then $9::jsonb else batch end,
						updated_at = $10, identity = coalesce($11, identity)
					where id = $1 and state <> 'removed'`,
					[
						id,
						state ?? null,
						url ?? null,
						types ?? null,
						filter ? JSON.stringify(filter) : null,
						label !== undefined,
						label ?? null,
						batch !== undefined,
						batch ? JSON.stringify(batch) : null,
						new Date(),
						identity ?? null,
					],
				);
				return await find(sql, caller, id);
			});
			changes.announce('subscriptions');
			return present(row);
		},
		async remove(caller, id) {
			const [row] = await database.query<SubscriptionRow>(`${SUBSCRIPTION_QUERY} and s.id = $1`, [id]);
			if (!row || !mayChange(caller, row)) return;
			if (row.token_id === null) throw ownSubscription();
			if (keepsEvents(row.reference)) {
				await database.query(
					`update relay.subscription set state = 'leaving', leaving_until = $2, updated_at = $3,
						was_paused = state = 'paused' or (state = 'leaving' and was_paused)
					where id = $1`,
					[id, new Date(Date.now() + LEAVING_MS), new Date()],
				);
				changes.announce('subscriptions');
				await delay(HELD_AFTER_MS);
				return;
			}
			await database.transaction(async (sql) => {
				await endSubscriptions(sql, [id], 'Deleted');
				if (row.token_id !== caller.id) await oweFarewells(sql, [id]);
			});
			changes.announce('subscriptions');
		},
	};
}

/**
 * Ends a subscription for good. Its pending deliveries are canceled, and its identity becomes free.
 * @param reason shown with its past deliveries
 */
export async function endSubscription(
	{ database, changes }: Pick<Services, 'database' | 'changes'>,
	id: string,
	reason: string,
): Promise<void> {
	await database.transaction(async (sql) => await endSubscriptions(sql, [id], reason));
	changes.announce('subscriptions');
}

/** Ends several subscriptions as part of a transaction, see {@link endSubscription}. */
export async function endSubscriptions(sql: Sql, ids: readonly string[], reason: string): Promise<void> {
	const now = new Date();
	await sql.query(
		`update relay.subscription set state = 'removed', identity = id, reference = null, reason = $2, updated_at = $3
		where id = any($1)`,
		[ids, reason, now],
	);
	await sql.query(
		`update relay.delivery set state = 'canceled', settled_at = $2 where subscription_id = any($1) and state = 'pending'`,
		[ids, now],
	);
}

/** The relay's own subscriptions follow its settings. They may send to addresses that subscriptions may not use. */
function ownSubscription(): HttpError {
	const message = 'This subscription belongs to the relay. Change its setting and restart the relay, or pause it.';
	return new HttpError(422, 'invalid', message);
}

/**
 * The identity of a subscription after a change, for one without a reference. Creating it again then updates it.
 * @returns undefined if it stays
 * @throws HttpError 409 if another subscription has it
 */
async function changedIdentity(
	sql: Sql,
	row: SubscriptionRow,
	{ url, types, filter }: SubscriptionChanges,
): Promise<string | undefined> {
	if (row.token_id === null || row.reference !== null) return undefined;
	if (url === undefined && types === undefined && filter === undefined) return undefined;
	const identity = contentIdentity(row.token_id, {
		url: url ?? row.url,
		types: types ?? row.types,
		filter: filter ?? filterSchema.parse(row.filter),
	});
	await lock(sql, identity);
	const others = await sql.query('select 1 from relay.subscription where identity = $1 and id <> $2', [
		identity,
		row.id,
	]);
	if (others.length === 0) return identity;
	const message = 'Another subscription of this token has the same URL, types and filter. Change or delete that one.';
	throw new HttpError(409, 'conflict', message);
}

/** Waits for other transactions with this identity or ID. */
async function lock(sql: Sql, text: string): Promise<void> {
	await sql.query('select pg_advisory_xact_lock(hashtext($1))', [text]);
}

/** An admin changes all subscriptions. Other tokens change their own. */
function mayChange(caller: Caller, { token_id }: Pick<SubscriptionRow, 'token_id'>): boolean {
	return caller.kind === 'admin' || token_id === caller.id;
}

async function isKnown(sql: Sql, identity: string): Promise<boolean> {
	return (await sql.query('select 1 from relay.subscription where identity = $1', [identity])).length > 0;
}

/**
 * Creates the queue of a new subscription.
 * @returns the ID for it
 * @throws HttpError 422 if there are too many subscriptions
 */
async function createQueue({ database, engine }: Services): Promise<string> {
	const [row] = await database.query<{ count: number }>(
		`select count(*)::int as count from relay.subscription where state <> 'removed'`,
	);
	if ((row?.count ?? 0) >= MOST_SUBSCRIPTIONS) {
		const message = `The relay has ${MOST_SUBSCRIPTIONS} subscriptions, which is the most. Delete those that you do not need.`;
		throw new HttpError(422, 'too_many', message);
	}
	const id = `sub_${randomBytes(12).toString('hex')}`;
	await engine.createQueue(queueOf(id));
	return id;
}

async function write(
	sql: Sql,
	subscription: {
		readonly id: string;
		readonly identity: string;
		readonly caller: Caller;
		readonly input: NewSubscription;
		/** Encrypted. */
		readonly secret: string;
	},
): Promise<void> {
	const { id, identity, caller, input, secret } = subscription;
	await sql.query(
		`insert into relay.subscription
			(id, token_id, kind, identity, reference, label, url, secret, types, filter, batch, state, created_at, updated_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11::jsonb, 'active', $12, $12)
		on conflict (id) do update set
			url = excluded.url, secret = excluded.secret, types = excluded.types, filter = excluded.filter,
			batch = excluded.batch, label = coalesce(excluded.label, relay.subscription.label),
			state = case when relay.subscription.state = 'paused' or (relay.subscription.state = 'leaving' and relay.subscription.was_paused)
				then 'paused' else 'active' end,
			reason = null, leaving_until = null, failing_since = null, next_probe_at = null, not_found_at = '{}', updated_at = excluded.updated_at`,
		[
			id,
			caller.id,
			caller.kind,
			identity,
			input.reference ?? null,
			input.label ?? null,
			input.url,
			secret,
			[...new Set(input.types)],
			JSON.stringify(input.filter ?? {}),
			input.batch ? JSON.stringify(input.batch) : null,
			new Date(),
		],
	);
}
