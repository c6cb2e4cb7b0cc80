import type { DatabaseSync, StatementSync } from 'node:sqlite';

/*
 * Goal: at least half as many single sends per second as a bare server (`npm run bench sandbox`).
 *
 * Each send reads settings, keys, sender IDs, packages and the wallet. The simpler code selects and parses their rows
 * each time. Sends then reach a quarter of the bare server: 0.27x instead of 0.85x in the same run. So the store keeps
 * copies in memory, and they follow the transactions: a rollback drops them all. Counts of messages are collected and
 * written once per transaction. Writing each at once took up to 25 µs more processor time per send.
 */

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

/** Registers a cache, so that it follows the transactions of its database. */
export function registerCache(database: DatabaseSync, cache: RegisteredCache): void {
	const registered = registeredCaches.get(database);
	if (registered) registered.push(cache);
	else registeredCaches.set(database, [cache]);
}

/** Writes the pending changes of all caches of a database. Call it before a read of all tables. */
export function writeCaches(database: DatabaseSync): void {
	for (const { write } of registeredCaches.get(database) ?? []) write?.();
}

/** Drops all caches of a database. Call it after changes of its tables that the owner of a cache does not see. */
export function forgetCaches(database: DatabaseSync): void {
	for (const { forget } of registeredCaches.get(database) ?? []) forget();
}

/** In-memory copy of a table that is read all the time. It never shows changes that were rolled back. */
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

/** Statements that begin, commit and roll back a change. */
interface Frame {
	readonly begin: StatementSync;
	readonly commit: StatementSync;
	/** In this order. */
	readonly rollback: readonly StatementSync[];
}

/** By database, because preparing them for each change takes longer than running them. */
const frames = new WeakMap<DatabaseSync, { readonly outer: Frame; readonly inner: Frame }>();

/** A change that has begun. End it with `commit` or `rollback`. */
export interface Change {
	/** @throws Error from SQLite; the change must then be rolled back */
	commit(): void;
	/** Rolls the change back and drops the caches. */
	rollback(): void;
}

/** Begins a change of the database. Inside another change it is a nested one. */
export function begin(database: DatabaseSync): Change {
	const { outer, inner } = frames.get(database) ?? prepareFrames(database);
	const isNested = isInTransaction(database);
	const { begin, commit, rollback } = isNested ? inner : outer;
	// A rollback of this part must not undo earlier pending writes.
	if (isNested) writeCaches(database);
	begin.run();
	return {
		commit: () => {
			writeCaches(database);
			commit.run();
		},
		rollback: () => {
			// SQLite itself rolls back after some errors. A second rollback would hide the first error.
			if (isInTransaction(database)) for (const statement of rollback) statement.run();
			forgetCaches(database);
		},
	};
}

/**
 * Runs work as one change of the database. If the work throws, the change is rolled back. Inside another change it is a
 * nested one, rolled back on its own.
 * @returns the result of the work
 */
export function transaction<Result>(database: DatabaseSync, work: () => Result): Result {
	const change = begin(database);
	try {
		const result = work();
		change.commit();
		return result;
	} catch (error) {
		change.rollback();
		throw error;
	}
}

function prepareFrames(database: DatabaseSync) {
	const prepared = {
		outer: {
			// Takes the write lock at the start, because a read that later becomes a write could fail midway.
			begin: database.prepare('BEGIN IMMEDIATE'),
			commit: database.prepare('COMMIT'),
			rollback: [database.prepare('ROLLBACK')],
		},
		inner: {
			begin: database.prepare('SAVEPOINT change'),
			commit: database.prepare('RELEASE change'),
			rollback: [database.prepare('ROLLBACK TO change'), database.prepare('RELEASE change')],
		},
	};
	frames.set(database, prepared);
	return prepared;
}

function isInTransaction(database: DatabaseSync): boolean {
	return database.isTransaction;
}
