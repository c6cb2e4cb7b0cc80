import type { DatabaseSync } from 'node:sqlite';
import { begin, type Change, registerCache, transaction } from './transaction';

/*
 * Goal: at least half as many single sends per second as a bare server (`npm run bench sandbox`).
 *
 * The simpler code runs each change as a transaction of its own, which takes longer than most changes. Against the bare
 * server, in the same runs, in memory and with a data file:
 *
 * - with groups: 0.85x and 0.93x
 * - a transaction per request: 0.36x and 0.30x
 * - groups, but each request handled when it arrives: 0.68x and 0.58x, and 30 % more processor time
 * - groups, but a savepoint per send: 0.49x and 0.50x, after the other parts became simpler
 */

/**
 * Commits the changes of several requests together, once per turn of the event loop. Each request waits for the commit
 * before its response, so no response shows an uncommitted change.
 */
export interface GroupCommit {
	/**
	 * Handles a request at the end of this turn of the event loop, with all other waiting requests. Handling them in one
	 * go is much faster than switching between network and database for each. Their changes are committed together.
	 * @param work makes the response
	 * @returns the response, after the commit
	 * @throws Error if the commit failed; all changes of the group were then rolled back
	 */
	together<Result>(work: () => Promise<Result>): Promise<Result>;
	/**
	 * Handles a request at once, after a commit of pending changes. For requests with effects that leave the sandbox.
	 * @throws Error if its changes ended up in a later group, and the commit of that group failed
	 */
	apart(work: () => Promise<void>): Promise<void>;
	/**
	 * Commits the changes from here on together, at the end of this turn.
	 * @returns resolves after the commit; rejects if it failed and all changes were rolled back
	 */
	open(): Promise<void>;
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

	function open(): Promise<void> {
		checkRollback();
		if (!group) {
			group = createGroup(begin(database));
			endSoon();
		}
		return group.promise;
	}

	return {
		together: async (work) => {
			await (turn ??= endOfTurn());
			const committed = open();
			const result = await work();
			await committed;
			// A long request makes changes in later turns, too.
			await group?.promise;
			return result;
		},
		apart: async (work) => {
			end();
			await work();
			await group?.promise;
		},
		open,
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
