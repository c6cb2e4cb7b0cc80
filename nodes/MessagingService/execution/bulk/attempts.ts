import { BoundedMap } from '../../memory/boundedMap';
import type { UsedKey } from '../idempotency/sendOnceKeys';
import type { Run } from '../operation';
import type { BulkItems, BulkPlan } from './bulkPlan';

/** The state of a bulk send that a failed try leaves for the next try of the same run. */
export interface BulkAttempt {
	/**
	 * As it was read. A retry must not group the recipients differently, for example because a text contains the time.
	 */
	readonly bulk: BulkItems;
	/** The requests and skipped recipients of the earlier try. */
	readonly plan: BulkPlan;
	/** The items whose recipients are in the plan. */
	readonly planned: ReadonlySet<number>;
	/** Number of the next request. The ledger identifies requests by their numbers, so no number is used twice. */
	readonly nextNumber: number;
	/** The items whose Send Once Keys the run has. */
	readonly held: ReadonlySet<number>;
	/** The rows of items whose Send Once Key was used before the run, by item index. */
	readonly used: ReadonlyMap<number, UsedKey>;
}

/** The tries of one run. */
export interface BulkAttempts {
	/** The previous try. */
	readonly before: BulkAttempt | undefined;
	/** Keeps this try for the next one; undefined if nothing is left to try. */
	keep(tried: BulkAttempt | undefined): void;
}

/** By execution and node. */
const failedTries = new BoundedMap<Map<string, { readonly run: string; readonly tried: BulkAttempt }>>({
	maxSize: 50,
	sizeOf: ({ size }) => size,
	maxIdleMs: 60 * 60_000,
	inUseMs: 10 * 60_000,
});

/** Finds the state that an earlier try of a run left. A dry run leaves none. */
export function bulkAttempts({ context, name, byAgent, dryRun, executionId: execution }: Run): BulkAttempts {
	// Calls of an agent share the run, so a try of one does not concern another.
	const executionId = byAgent || dryRun ? undefined : execution;
	const tries = executionId ? failedTries.use(executionId, () => new Map()) : undefined;
	// A node has one run at a time, so only the last round of a loop is kept. Unlike IDs, names are unique in a workflow.
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
