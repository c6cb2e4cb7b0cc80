import type { Store } from '../store/store';
import { planBatch } from './deliveryPlan';
import type { DueSource } from './scheduler';

/** Rows in one transaction of background work: large enough to be fast, small enough not to block requests. */
export const CHUNK_SIZE = 250;

/** Due work in the store: batches to turn into messages, status changes and top-ups. */
export function storeWork(store: Store): readonly DueSource[] {
	return [
		{
			nextDueAt: () => (store.batches.waiting() ? 0 : undefined),
			workOn: () => store.batches.makeNext(planBatch, CHUNK_SIZE),
		},
		{
			nextDueAt: () => store.messages.nextDueAt(),
			workOn: (now) => store.messages.applyDue(now, CHUNK_SIZE),
		},
		{
			nextDueAt: () => store.topUps.nextDueAt(),
			workOn: (now) => store.topUps.applyNextDue(now),
		},
	];
}
