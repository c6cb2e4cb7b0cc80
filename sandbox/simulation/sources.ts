import type { Store } from '../store/store';
import { planBatch } from './deliveryPlan';
import type { DueSource } from './scheduler';

/** How many rows one transaction of background work touches: long enough to be quick, short enough not to be felt. */
export const CHUNK_SIZE = 250;

/** The work that lies in the store: batches to turn into messages, status changes, top-ups. */
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
