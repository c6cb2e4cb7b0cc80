import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { invalidateAll, flushAll } from './cache';

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
	/** Rolls the change back and invalidates the caches. */
	rollback(): void;
}

/** Begins a change of the database. Inside another change it is a nested one. */
export function begin(database: DatabaseSync): Change {
	const { outer, inner } = frames.get(database) ?? prepareFrames(database);
	const isNested = isInTransaction(database);
	const { begin, commit, rollback } = isNested ? inner : outer;
	// A rollback of this part must not undo earlier pending writes.
	if (isNested) flushAll(database);
	begin.run();
	return {
		commit: () => {
			flushAll(database);
			commit.run();
		},
		rollback: () => {
			// SQLite itself rolls back after some errors. A second rollback would hide the first error.
			if (isInTransaction(database)) for (const statement of rollback) statement.run();
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
