import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import { cached, transaction } from '../performance';
import type { Changes } from './changes';

const keyRow = z.object({
	id: z.number(),
	name: z.string(),
	hint: z.string(),
	hash: z.string(),
	created_at: z.number(),
	revoked_at: z.number().nullable(),
});
const optionalKeyRow = keyRow.optional();
const keyRows = z.array(keyRow);

/** An API key. Only its hash is stored. `hint` is its last characters. Times are in milliseconds since 1970 UTC. */
export type ApiKey = Omit<z.output<typeof keyRow>, 'hash'>;

/** A new key. `secret` is shown only once. */
export interface NewKey {
	readonly key: ApiKey;
	readonly secret: string;
}

/** Prefix of every key of the sandbox. */
export const KEY_PREFIX = 'sk_sandbox_';

/** The account's API keys (docs/api.md#authentication). */
export interface Keys {
	/** All keys, oldest first. */
	list(): ApiKey[];
	/** Finds a key by its secret, in constant time; undefined if there is none. */
	match(secret: string): ApiKey | undefined;
	create(name: string, now: number): NewKey;
	/** Creates a key with the same name and revokes the old one. @returns undefined if there is no such active key */
	rotate(id: number, now: number): NewKey | undefined;
	/** @returns the key as it is now; undefined if there is none */
	revoke(id: number, now: number): ApiKey | undefined;
	/** Makes that secret the first key. Does nothing if it already is, even if it has been revoked. */
	ensureFirst(secret: string, now: number): void;
}

function hashOf(secret: string): string {
	return hash('sha256', secret);
}

function withoutHash({ id, name, hint, created_at, revoked_at }: z.output<typeof keyRow>): ApiKey {
	return { id, name, hint, created_at, revoked_at };
}

/** Creates the keys part of the store. */
export function createKeys(database: DatabaseSync, changes: Changes): Keys {
	const all = database.prepare('SELECT * FROM api_keys ORDER BY id');
	const byId = database.prepare('SELECT * FROM api_keys WHERE id = ?');
	const insert = database.prepare(
		'INSERT INTO api_keys (name, hint, hash, created_at) VALUES (?, ?, ?, ?) RETURNING *',
	);
	const revoke = database.prepare('UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? RETURNING *');
	const replaceFirst = database.prepare(
		`INSERT INTO api_keys (id, name, hint, hash, created_at) VALUES (1, 'First key', ?, ?, ?)
		 ON CONFLICT (id) DO UPDATE SET hint = excluded.hint, hash = excluded.hash, revoked_at = NULL`,
	);
	// Every request reads them.
	const rows = cached(database, () =>
		keyRows.parse(all.all()).map((row) => ({ ...row, digest: Buffer.from(row.hash) })),
	);

	function changed(): void {
		rows.drop();
		changes.emit('keys');
	}

	function create(name: string, now: number): NewKey {
		const secret = `${KEY_PREFIX}${randomBytes(18).toString('base64url')}`;
		const row = keyRow.parse(insert.get(name, secret.slice(-4), hashOf(secret), now));
		changed();
		return { key: withoutHash(row), secret };
	}

	function revokeOne(id: number, now: number): ApiKey | undefined {
		const row = optionalKeyRow.parse(revoke.get(now, id));
		if (row) changed();
		return row && withoutHash(row);
	}

	return {
		list: () => rows.get().map(withoutHash),
		match: (secret) => {
			const presented = Buffer.from(hashOf(secret));
			const [found] = rows
				.get()
				.filter(({ revoked_at }) => revoked_at === null)
				.filter((row) => timingSafeEqual(row.digest, presented));
			return found && withoutHash(found);
		},
		create,
		rotate: (id, now) =>
			transaction(database, () => {
				const old = optionalKeyRow.parse(byId.get(id));
				if (old?.revoked_at !== null) return undefined;
				revokeOne(id, now);
				return create(old.name, now);
			}),
		revoke: revokeOne,
		ensureFirst: (secret, now) => {
			if (rows.get().some((row) => row.id === 1 && row.hash === hashOf(secret))) return;
			replaceFirst.run(secret.slice(-4), hashOf(secret), now);
			changed();
		},
	};
}
