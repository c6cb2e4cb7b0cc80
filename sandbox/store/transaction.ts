import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { invalidateAll, flushAll } from './cache';

/** How a change begins, is kept and is undone. */
interface Frame {
	readonly begin: StatementSync;
	readonly keep: StatementSync;
	/** One after the other. */
	readonly undo: readonly StatementSync[];
}

/** By database; preparing these anew for each change would take longer than they do. */
const frames = new WeakMap<DatabaseSync, { readonly outer: Frame; readonly inner: Frame }>();

/** A change that has begun; one of the two ends it. */
export interface Change {
	/** @throws what SQLite throws; the change is then still to be undone */
	commit(): void;
	/** Undoes it, and has what is kept in memory read anew. */
	rollback(): void;
}

/** Begins a change of the database; within another one it is a part of that. */
export function begin(database: DatabaseSync): Change {
	const { outer, inner } = frames.get(database) ?? prepareFrames(database);
	const isPart = isUnderWay(database);
	const { begin, keep, undo } = isPart ? inner : outer;
	// What is undone with this part is only what belongs to it.
	if (isPart) flushAll(database);
	begin.run();
	return {
		commit: () => {
			flushAll(database);
			keep.run();
		},
		rollback: () => {
			// SQLite has already rolled back by itself after some failures; a second rollback would hide the first error.
			if (isUnderWay(database)) for (const statement of undo) statement.run();
			invalidateAll(database);
		},
	};
}

/**
 * Runs work as one change of the database: all of it is kept, or none where it throws. Within another one it is a part
 * of that, and is undone by itself where it throws.
 * @returns what the work returns
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
			// Taking the write lock at the start: a read that later turns into a write could otherwise be refused midway.
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
