import { ROWS_PER_STEP } from '../performance';
import type { Store } from '../store/store';
import { planBatch } from './deliveryPlan';
import type { DueSource } from './scheduler';

/** Due work in the store: batches to turn into messages, status changes and top-ups. */
export function storeWork(store: Store): readonly DueSource[] {
	return [
		{
			nextDueAt: () => (store.batches.waiting() ? 0 : undefined),
			workOn: () => store.batches.makeNext(planBatch, ROWS_PER_STEP),
		},
		{
			nextDueAt: () => store.messages.nextDueAt(),
			workOn: (now) => store.messages.applyDue(now, ROWS_PER_STEP),
		},
		{
			nextDueAt: () => store.topUps.nextDueAt(),
			workOn: (now) => store.topUps.applyNextDue(now),
		},
	];
}
