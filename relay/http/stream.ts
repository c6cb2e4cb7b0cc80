import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Changes, Topic } from '../changes';
import type { HonoEnv } from './env';

/** The page reads lists again at most this often, in milliseconds. */
const EVERY_MS = 500;

/** Changes of other processes are not announced here, so all lists are read again this often, in milliseconds. */
const REFRESH_MS = 5_000;

/** Announces to a page which lists changed, as server-sent events, until the page closes or the relay stops. */
export function streamChanges(c: Context<HonoEnv>, changes: Changes): Response {
	const response = streamSSE(c, async (stream) => {
		let changed = new Set<Topic>();
		const end = changes.listen((topic) => void changed.add(topic));
		let idle = 0;
		try {
			while (!stream.aborted && !c.var.stopping.aborted) {
				const topics: readonly string[] = idle >= REFRESH_MS ? ['all'] : [...changed];
				changed = new Set();
				idle = idle >= REFRESH_MS ? 0 : idle + EVERY_MS;
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
