import type { DatabaseSync } from 'node:sqlite';
import { registerCache } from './cache';
import { begin, type Change, transaction } from './transaction';

/**
 * Puts what several requests change in one turn of the event loop into one transaction, since committing takes longer
 * than most changes. Whoever answers one of them waits until it is kept, so that no answer tells of what is not.
 */
export interface GroupCommit {
	/**
	 * Resolves at the end of this turn of the event loop, for all who wait at once: what came in during it is then handled
	 * in one go, since going from the network to the database and back for each takes much longer.
	 */
	turn(): Promise<void>;
	/**
	 * Has changes from here on committed together, at the end of this turn.
	 * @returns resolves when they are; rejects where that failed and all of them are undone
	 */
	open(): Promise<void>;
	/** Resolves when all changes so far are committed; rejects where that failed. */
	kept(): Promise<void>;
	/**
	 * Runs work as one change. Unlike a transaction within the group it leaves nothing to go back to, which would take as
	 * long as the change: where it throws, the whole group is undone. So it is for work that throws only where the sandbox
	 * itself is broken.
	 */
	join<Result>(work: () => Result): Result;
	/** Commits now what is yet to be committed. */
	flush(): void;
}

interface Group {
	readonly change: Change;
	/** Whether it will be undone, whatever comes. */
	readonly isDoomed: boolean;
	readonly promise: Promise<void>;
	readonly resolve: () => void;
	readonly reject: (reason: unknown) => void;
}

/** Makes the group commit of a database. */
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
	 * Undoes the group and tells everybody in it. Some of them may be yet to change what they change, and will answer that
	 * they failed: so what comes in this turn is undone as well, at its end.
	 */
	function fail(error: unknown): void {
		const failed = group;
		if (!failed) return;
		group = undefined;
		failed.change.rollback();
		group = { ...failed, change: begin(database), isDoomed: true };
		failed.reject(error);
	}

	/** SQLite undoes everything by itself where the disk is full, for instance. */
	function notice(): void {
		if (group && !database.isTransaction) fail(new Error('the database has undone what this turn changed'));
	}

	registerCache(database, { forget: notice });

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
		// After all who wait have changed what they change, and mostly not a turn later.
		endSoon();
		return ended;
	}

	return {
		turn: () => (turn ??= endOfTurn()),
		open: () => {
			notice();
			if (!group) {
				group = createGroup(begin(database));
				endSoon();
			}
			return group.promise;
		},
		kept: () => group?.promise ?? Promise.resolve(),
		join: (work) => {
			notice();
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
	// Told to those who wait; where nobody does, it is no failure of the whole process.
	promise.catch(() => undefined);
	return { change, isDoomed: false, promise, resolve, reject };
}
