import { createHash, randomBytes } from 'node:crypto';
import type { Database, Sql } from '../database/database';
import type { Changes } from '../changes';
import { oweFarewells } from '../delivery/farewells';
import { endSubscriptions } from '../subscriptions/subscriptions';
import type { Caller } from './caller';
import { HttpError } from './httpError';
import type { NewToken, Token, TokenKind } from './schemas';

/** How often the last use of a token is written, in milliseconds. */
const WRITE_EVERY_MS = 60_000;

/** The tokens of the API, stored as digests. */
export interface Tokens {
	/** @returns undefined if the token is wrong or revoked */
	find(token: string): Promise<Caller | undefined>;
	/** @returns undefined if there is no token with this ID, or it is revoked */
	get(id: string): Promise<Caller | undefined>;
	/** Whether there is no admin token that works. */
	isWithoutAdmin(): Promise<boolean>;
	list(): Promise<Token[]>;
	/** @returns the token, which is not shown again */
	create(input: NewToken): Promise<Token & { readonly token: string }>;
	/**
	 * Creates the first admin token of a database, once. Several processes may do it at the same time.
	 * @returns the token, which is not shown again; undefined if it was created before
	 */
	createFirst(): Promise<string | undefined>;
	/**
	 * Makes sure that a given token works as an admin token. Several processes may do it at the same time.
	 * @returns false if it is revoked
	 */
	ensureAdmin(value: string): Promise<boolean>;
	/**
	 * Revokes a token, and ends its sessions and subscriptions.
	 * @throws HttpError 404; 422 for the last admin token
	 */
	revoke(id: string): Promise<void>;
}

const FIRST = 'First token';

interface TokenRow {
	readonly id: string;
	readonly name: string;
	readonly kind: TokenKind;
	readonly created_at: Date;
	readonly last_used_at: Date | null;
}

/** Creates the functions of {@link Tokens}. */
export function createTokens({
	database,
	changes,
}: {
	readonly database: Database;
	readonly changes: Changes;
}): Tokens {
	const used = new Map<string, number>();

	async function noteUse(id: string): Promise<void> {
		const now = Date.now();
		if (now - (used.get(id) ?? 0) < WRITE_EVERY_MS) return;
		used.set(id, now);
		await database.query('update relay.token set last_used_at = $2 where id = $1', [id, new Date(now)]);
	}

	/** Does nothing if the token exists. */
	async function insert({ name, kind }: NewToken, value: string, sql: Sql = database): Promise<TokenRow> {
		const id = `tok_${randomBytes(8).toString('hex')}`;
		const row: TokenRow = { id, name, kind, created_at: new Date(), last_used_at: null };
		await sql.query(
			`insert into relay.token (id, digest, name, kind, created_at) values ($1, $2, $3, $4, $5)
			on conflict (digest) do nothing`,
			[row.id, digestOf(value), name, kind, row.created_at],
		);
		changes.announce('tokens');
		return row;
	}

	return {
		async find(token) {
			const [row] = await database.query<Caller>(
				'select id, name, kind from relay.token where digest = $1 and revoked_at is null',
				[digestOf(token)],
			);
			if (row) await noteUse(row.id);
			return row;
		},
		async get(id) {
			const [row] = await database.query<Caller>(
				'select id, name, kind from relay.token where id = $1 and revoked_at is null',
				[id],
			);
			if (row) await noteUse(row.id);
			return row;
		},
		async isWithoutAdmin() {
			const admins = await database.query(
				`select 1 from relay.token where kind = 'admin' and revoked_at is null limit 1`,
			);
			return admins.length === 0;
		},
		async list() {
			const rows = await database.query<TokenRow>(
				'select id, name, kind, created_at, last_used_at from relay.token where revoked_at is null order by created_at, id',
			);
			return rows.map(toToken);
		},
		async create(input) {
			const value = newValue();
			return { ...toToken(await insert(input, value)), token: value };
		},
		async createFirst() {
			return await database.transaction(async (sql) => {
				const isFirst = await sql.query(
					`insert into relay.setting (name, value) values ('first_token', '') on conflict (name) do nothing returning name`,
				);
				if (isFirst.length === 0) return undefined;
				const value = newValue();
				await insert({ name: FIRST, kind: 'admin' }, value, sql);
				return value;
			});
		},
		async ensureAdmin(value) {
			await insert({ name: FIRST, kind: 'admin' }, value);
			const [known] = await database.query<{ id: string }>(
				'select id from relay.token where digest = $1 and revoked_at is null',
				[digestOf(value)],
			);
			return known !== undefined;
		},
		async revoke(id) {
			await database.transaction(async (sql) => {
				// Locked, so that two admins cannot revoke each other's token at the same time.
				const tokens = await sql.query<Pick<TokenRow, 'id' | 'kind'>>(
					'select id, kind from relay.token where revoked_at is null order by id for update',
				);
				const token = tokens.find((one) => one.id === id);
				if (!token)
					throw new HttpError(
						404,
						'not_found',
						'This token does not exist, or is revoked. List the tokens with GET /v1/tokens.',
					);
				const isLast = token.kind === 'admin' && tokens.filter(({ kind }) => kind === 'admin').length === 1;
				if (isLast) throw new HttpError(422, 'invalid', 'This is the last admin token. Create another one first.');
				await sql.query('update relay.token set revoked_at = $2 where id = $1', [id, new Date()]);
				await sql.query('delete from relay.session where token_id = $1', [id]);
				const owned = await sql.query<{ id: string }>(
					`select id from relay.subscription where token_id = $1 and state <> 'removed'`,
					[id],
				);
				const ended = owned.map((subscription) => subscription.id);
				await endSubscriptions(sql, ended, 'Its token was revoked');
				await oweFarewells(sql, ended);
			});
			changes.announce('tokens');
			changes.announce('subscriptions');
		},
	};
}

function newValue(): string {
	return `rly_${randomBytes(32).toString('base64url')}`;
}

function toToken({ id, name, kind, created_at, last_used_at }: TokenRow): Token {
	return { id, name, kind, created_at: created_at.toISOString(), last_used_at: last_used_at?.toISOString() ?? null };
}

/** Tokens are long and random, so a plain digest is enough. */
function digestOf(token: string): string {
	return createHash('sha256').update(`relay-token:${token}`).digest('base64url');
}
