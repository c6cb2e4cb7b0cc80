import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { readThread, type ThreadEntry } from '../gateway/thread';
import type { Services } from '../services';

/** Data of a `thread` event. */
export interface ThreadData {
	readonly number: string;
	/** Time of the sandbox's clock, ISO 8601. */
	readonly now: string;
	readonly entries: readonly ThreadEntry[];
}

/**
 * Sends the whole thread of a phone as server-sent events `thread`, at once and after each change. Changes that come
 * faster than the browser reads are merged into one event.
 */
export function threadEvents(c: Context, { store, clock }: Services, number: string): Response {
	return streamSSE(c, async (stream) => {
		let changed = true;
		let wake = () => {};
		const unsubscribe = store.changes.onPhone(number, () => {
			changed = true;
			wake();
		});
		stream.onAbort(() => {
			unsubscribe();
			wake();
		});
		while (!stream.aborted) {
			if (changed) {
				changed = false;
				const now = new Date(clock.now()).toISOString();
				const thread: ThreadData = { number, now, entries: readThread(store, number) };
				await stream.writeSSE({ event: 'thread', data: JSON.stringify(thread), retry: 1000 });
			} else {
				await new Promise<void>((resolve) => {
					wake = resolve;
				});
			}
		}
	});
}
