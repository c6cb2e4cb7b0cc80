import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../database/database';

/** Milliseconds between two requests to one Zapier hook: less than 20 a second, because some arrive a little late. */
const SLOT_MS = 55;

/** No queue of requests is longer than this, in milliseconds. A later slot is from before the clock was set back. */
const LONGEST_WAIT_MS = 10_000;

/** Waits until a Zapier hook may get its next request, 10 seconds at most. All processes share the slots. */
export async function waitForSlot(database: Database, subscription: string): Promise<void> {
	const now = new Date();
	const [row] = await database.query<{ next_slot: Date }>(
		`update relay.subscription set next_slot = case when next_slot between $2 and $4 then next_slot else $2 end
			+ $3::int * interval '1 millisecond'
		where id = $1 returning next_slot`,
		[subscription, now, SLOT_MS, new Date(now.getTime() + LONGEST_WAIT_MS)],
	);
	const wait = (row?.next_slot.getTime() ?? 0) - SLOT_MS - now.getTime();
	if (wait > 0) await delay(wait);
}
