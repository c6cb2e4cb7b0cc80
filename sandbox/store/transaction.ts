import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { invalidateAll, flushAll } from './cache';

/** Statements that begin, commit and roll back a change. */
interface Frame {
	readonly begin: StatementSync;
	readonly keep: StatementSync;
	/** In this order. */
	readonly undo: readonly StatementSync[];
}

/** By database, because preparing them for each change takes longer than running them. */
const frames = new WeakMap<DatabaseSync, { readonly outer: Frame; readonly inner: Frame }>();

/** A change that has begun. End it with `commit` or `rollback`. */
export interface Change {
	/** @throws Error from SQLite; the change must then be rolled back */
	commit(): void;
	/** Rolls the change back and invalidates the caches. */
	rollback(): void;
}

/** Begins a change of the database. Inside another change it is a nested one. */
export function begin(database: DatabaseSync): Change {
	const { outer, inner } = frames.get(database) ?? prepareFrames(database);
	const isPart = isUnderWay(database);
	const { begin, keep, undo } = isPart ? inner : outer;
	// A rollback of this part must not undo earlier pending writes.
	if (isPart) flushAll(database);
	begin.run();
	return {
		commit: () => {
			flushAll(database);
			keep.run();
		},
		rollback: () => {
			// SQLite itself rolls back after some errors. A second rollback would hide the first error.
			if (isUnderWay(database)) for (const statement of undo) statement.run();
			invalidateAll(database);
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
			keep: database.prepare('COMMIT'),
			undo: [database.prepare('ROLLBACK')],
		},
		inner: {
			begin: database.prepare('SAVEPOINT change'),
			keep: database.prepare('RELEASE change'),
			undo: [database.prepare('ROLLBACK TO change'), database.prepare('RELEASE change')],
		},
	};
	frames.set(database, prepared);
	return prepared;
}

function isUnderWay(database: DatabaseSync): boolean {
	return database.isTransaction;
}
