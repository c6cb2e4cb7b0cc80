import { calledByAgent } from '../calledByAgent';
import type { Run } from '../operation';
import { PerExecution } from '../perExecution';
import type { UsedKeyRow } from '../sendOnce';
import type { BulkAsk, BulkPlan } from './bulkPlan';

/** What a try of a bulk send in which something failed leaves to the next try of the same run. */
export interface BulkTry {
	/** As it was read: a retry must not put people together anew, as a text with the time in it would. */
	readonly ask: BulkAsk;
	/** As it was carried out. */
	readonly plan: BulkPlan;
	/** Send Once Keys that the run holds. */
	readonly held: ReadonlySet<string>;
	/** What the rows of items say whose Send Once Key had been used before the run, by place of the item. */
	readonly used: ReadonlyMap<number, UsedKeyRow>;
}

/** The tries of one run. */
export interface BulkTries {
	/** The one before this. */
	readonly before: BulkTry | undefined;
	/** Keeps this one for the next; undefined where there is nothing left to try. */
	keep(tried: BulkTry | undefined): void;
}

const failedTries = new PerExecution<{ readonly run: string; readonly tried: BulkTry }>({
	maxIdleMs: 60 * 60 * 1000,
	maxEntries: 50,
	runningMs: 10 * 60 * 1000,
});

/** Finds what an earlier try of a run left. */
export function bulkTries({ context, name }: Run): BulkTries {
	// Calls of an agent share the run, so that one's try says nothing about another's.
	const executionId = calledByAgent(context) ? undefined : context.getExecutionId();
	const tries = executionId ? failedTries.of(executionId) : undefined;
	// A node has one run at a time: of a loop, the last turn is kept.
	const nodeId = context.getNode().id;
	const last = tries?.get(nodeId);
	return {
		before: last?.run === name ? last.tried : undefined,
		keep: (tried) => {
			if (tried) tries?.set(nodeId, { run: name, tried });
			else tries?.delete(nodeId);
		},
	};
}
