import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Changes, Topic } from '../changes';
import type { HonoEnv } from './env';

/** The page reads lists again at most this often, in milliseconds. */
const EVERY_MS = 500;

/**
 * Announces to a page which lists changed, as server-sent events, until the page closes or the relay stops.
 * @param refreshMs how often all lists are read again, in milliseconds. Changes of other processes are not announced here
 */
export function streamChanges(c: Context<HonoEnv>, changes: Changes, refreshMs: number): Response {
	const response = streamSSE(c, async (stream) => {
		let changed = new Set<Topic>();
		const end = changes.listen((topic) => void changed.add(topic));
		let idle = 0;
		try {
			while (!stream.aborted && !c.var.stopping.aborted) {
				const topics: readonly string[] = idle >= refreshMs ? ['all'] : [...changed];
				changed = new Set();
				idle = idle >= refreshMs ? 0 : idle + EVERY_MS;
				for (const topic of topics) await stream.writeSSE({ event: 'change', data: JSON.stringify({ topic }) });
				await stream.sleep(EVERY_MS);
			}
		} finally {
			end();
		}
	});
	// An idle connection would delay the end of the relay.
	response.headers.set('connection', 'close');
	return response;
}
