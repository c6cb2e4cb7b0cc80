import type { DatabaseSync } from 'node:sqlite';
import { registerCache } from './cache';
import { begin, type Change, transaction } from './transaction';

/**
 * Commits the changes of several requests together, once per turn of the event loop, because a commit takes longer than
 * most changes. Each request waits for the commit before its response, so no response shows an uncommitted change.
 */
export interface GroupCommit {
	/**
	 * Resolves at the end of this turn of the event loop, for all waiting requests together. Handling them in one go is
	 * much faster than switching between network and database for each.
	 */
	turn(): Promise<void>;
	/**
	 * Commits the changes from here on together, at the end of this turn.
	 * @returns resolves after the commit; rejects if it failed and all changes were rolled back
	 */
	open(): Promise<void>;
	/** Resolves when all changes so far are committed. Rejects if that failed. */
	committed(): Promise<void>;
	/**
	 * Runs work as part of the group without a savepoint, which would take as long as the change. If the work throws,
	 * the whole group is rolled back. So use it only for work that throws only because of a defect in the sandbox.
	 */
	join<Result>(work: () => Result): Result;
	/** Commits the pending changes now. */
	flush(): void;
}

interface Group {
	readonly change: Change;
	/** Whether the group will be rolled back in any case. */
	readonly isDoomed: boolean;
	readonly promise: Promise<void>;
	readonly resolve: () => void;
	readonly reject: (reason: unknown) => void;
}

/** Creates the group commit of a database. */
export function createGroupCommit(database: DatabaseSync): GroupCommit {
	let group: Group | undefined;
	let turn: Promise<void> | undefined;
	let isEnding = false;

	function end(): void {
		const ended = group;
		if (!ended) return;
		if (ended.isDoomed) {
			group = undefined;
			ended.change.rollback();
			return;
		}
		try {
			ended.change.commit();
			group = undefined;
			ended.resolve();
		} catch (error) {
			fail(error);
			end();
		}
	}

	/**
	 * Rolls back the group and rejects every waiter. Later writers in the same turn join a doomed group, which is
	 * rolled back at the end of the turn.
	 */
	function fail(error: unknown): void {
		const failed = group;
		if (!failed) return;
		group = undefined;
		failed.change.rollback();
		group = { ...failed, change: begin(database), isDoomed: true };
		failed.reject(error);
	}

	/** SQLite itself rolls back a transaction in some cases, e.g. if the disk is full. */
	function checkRollback(): void {
		if (group && !database.isTransaction) fail(new Error('the database rolled back the changes of this turn'));
	}

	registerCache(database, { forget: checkRollback });

	function endSoon(): void {
		if (isEnding) return;
		isEnding = true;
		setImmediate(() => {
			isEnding = false;
			end();
		});
	}

	function endOfTurn(): Promise<void> {
		const ended = new Promise<void>((resolve) => {
			setImmediate(() => {
				turn = undefined;
				resolve();
			});
		});
		// Ends after the changes of all waiting requests, mostly in the same turn.
		endSoon();
		return ended;
	}

	return {
		turn: () => (turn ??= endOfTurn()),
		open: () => {
			checkRollback();
			if (!group) {
				group = createGroup(begin(database));
				endSoon();
			}
			return group.promise;
		},
		committed: () => group?.promise ?? Promise.resolve(),
		join: (work) => {
			checkRollback();
			if (!group) return transaction(database, work);
			try {
				return work();
			} catch (error) {
				fail(error);
				throw error;
			}
		},
		flush: end,
	};
}

function createGroup(change: Change): Group {
	let resolve: Group['resolve'] = () => {};
	let reject: Group['reject'] = () => {};
	const promise = new Promise<void>((resolves, rejects) => {
		resolve = resolves;
		reject = rejects;
	});
	// Waiters get the rejection. Without a waiter it must not be an unhandled rejection.
	promise.catch(() => undefined);
	return { change, isDoomed: false, promise, resolve, reject };
}
