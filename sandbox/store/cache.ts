import type { DatabaseSync } from 'node:sqlite';

/** What a part of the store keeps in memory beside its tables; it must never tell of what was undone. */
export interface RegisteredCache {
	/**
	 * Writes what is yet to be written: called before changes are kept, and before a part of them begins that may be
	 * undone by itself.
	 */
	readonly write?: () => void;
	/** Forgets all of it: something was undone, or the tables were changed from below. */
	readonly forget: () => void;
}

const besides = new WeakMap<DatabaseSync, RegisteredCache[]>();

function besidesOf(database: DatabaseSync): RegisteredCache[] {
	const known = besides.get(database);
	if (known) return known;
	const none: RegisteredCache[] = [];
	besides.set(database, none);
	return none;
}

/** Has what is kept in memory beside a database follow its transactions. */
export function registerCache(database: DatabaseSync, beside: RegisteredCache): void {
	besidesOf(database).push(beside);
}

/** Has all that is kept beside a database written to it. */
export function flushAll(database: DatabaseSync): void {
	for (const { write } of besidesOf(database)) write?.();
}

/** Has all that is kept beside a database forgotten. */
export function invalidateAll(database: DatabaseSync): void {
	for (const { forget } of besidesOf(database)) forget();
}

/** What a table holds, kept in memory because it is asked for all the time. */
export interface Cached<Value> {
	get(): Value;
	/** Tells what the table holds now, where that is known without reading it. */
	set(value: Value): void;
	/** Has it read anew: the table has changed. */
	drop(): void;
}

/** Keeps a copy of what a table holds; it is read when it is asked for, and anew once it may be wrong. */
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
