import type { DatabaseSync } from 'node:sqlite';

/** In-memory copy of data in tables. It must never show changes that were rolled back. */
export interface RegisteredCache {
	/**
	 * Writes pending changes. Called before a commit, and before a nested transaction that may be rolled back on its
	 * own.
	 */
	readonly write?: () => void;
	/** Forgets everything, because of a rollback or a direct change of the tables. */
	readonly forget: () => void;
}

const registeredCaches = new WeakMap<DatabaseSync, RegisteredCache[]>();

function cachesOf(database: DatabaseSync): RegisteredCache[] {
	const registered = registeredCaches.get(database);
	if (registered) return registered;
	const empty: RegisteredCache[] = [];
	registeredCaches.set(database, empty);
	return empty;
}

/** Registers a cache, so that it follows the transactions of its database. */
export function registerCache(database: DatabaseSync, cache: RegisteredCache): void {
	cachesOf(database).push(cache);
}

/** Writes the pending changes of all caches of a database. */
export function flushAll(database: DatabaseSync): void {
	for (const { write } of cachesOf(database)) write?.();
}

/** Invalidates all caches of a database. */
export function invalidateAll(database: DatabaseSync): void {
	for (const { forget } of cachesOf(database)) forget();
}

/** In-memory copy of a table that is read all the time. */
export interface Cached<Value> {
	get(): Value;
	/** Sets the new content of the table, to save a read. */
	set(value: Value): void;
	/** Marks the copy as outdated. The next `get` reads the table again. */
	drop(): void;
}

/** Creates a cache that reads the table on first use and after each change. */
export function cached<Value>(database: DatabaseSync, read: () => Value): Cached<Value> {
	let copy: { readonly value: Value } | undefined;
	const drop = () => {
		copy = undefined;
	};
	registerCache(database, { forget: drop });
	return {
		get: () => (copy ??= { value: read() }).value,
		set: (value) => {
			copy = { value };
		},
		drop,
	};
}
