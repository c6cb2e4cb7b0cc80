import { calledByAgent } from '../calledByAgent';
import type { Run } from '../operation';
import { ExecutionCache } from '../executionCache';
import type { UsedKeyRow } from '../sendOnce';
import type { BulkItems, BulkPlan } from './bulkPlan';

/** What a try of a bulk send in which something failed leaves to the next try of the same run. */
export interface BulkAttempt {
	/** As it was read: a retry must not group the recipients in another way, as a text with the time in it would. */
	readonly ask: BulkItems;
	/** As it was carried out. */
	readonly plan: BulkPlan;
	/** Items whose recipients are in the plan. */
	readonly planned: ReadonlySet<number>;
	/** Number of the next request: the ledger knows a request by its number, so none is used twice. */
	readonly nextNumber: number;
	/** Send Once Keys that the run holds, and the item that each was used for. */
	readonly held: ReadonlyMap<string, number>;
	/** What the rows of items say whose Send Once Key had been used before the run, by place of the item. */
	readonly used: ReadonlyMap<number, UsedKeyRow>;
}

/** The tries of one run. */
export interface BulkAttempts {
	/** The one before this. */
	readonly before: BulkAttempt | undefined;
	/** Keeps this one for the next; undefined if there is nothing left to try. */
	keep(tried: BulkAttempt | undefined): void;
}

const failedTries = new ExecutionCache<{ readonly run: string; readonly tried: BulkAttempt }>({
	maxIdleMs: 60 * 60 * 1000,
	maxEntries: 50,
	runningMs: 10 * 60 * 1000,
});

/** Finds what an earlier try of a run left. */
export function bulkAttempts({ context, name }: Run): BulkAttempts {
	// Calls of an agent share the run, so that one's try says nothing about another's.
	const executionId = calledByAgent(context) ? undefined : context.getExecutionId();
	const tries = executionId ? failedTries.of(executionId) : undefined;
	// A node has one run at a time: of a loop, the last turn is kept. IDs may come twice in a workflow, names cannot.
	const node = `${context.getWorkflow().id}/${context.getNode().name}`;
	const last = tries?.get(node);
	return {
		before: last?.run === name ? last.tried : undefined,
		keep: (tried) => {
			if (tried) tries?.set(node, { run: name, tried });
			else tries?.delete(node);
		},
	};
}
