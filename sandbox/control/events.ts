import { type Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { HonoEnv } from '../http/env';
import type { ChangeKind } from '../store/changes';
import type { ControlServices } from './services';

/**
 * `GET events`: server-sent events `change` with `{kinds: [...]}` (`store/changes.ts`). Changes that come faster than
 * the client reads are merged into one event. The first event comes at once, with no kinds.
 */
export function eventRoutes({ store }: ControlServices): Hono<HonoEnv> {
	const routes = new Hono<HonoEnv>();
	routes.get('/events', (c) => changeEvents(c, (listener) => store.changes.onChange(listener)));
	return routes;
}

function changeEvents(
	c: Context,
	subscribe: (listener: (kinds: readonly ChangeKind[]) => void) => () => void,
): Response {
	return streamSSE(c, async (stream) => {
		const changed = new Set<ChangeKind>();
		let wake = () => {};
		const unsubscribe = subscribe((kinds) => {
			for (const kind of kinds) changed.add(kind);
			wake();
		});
		stream.onAbort(() => {
			unsubscribe();
			wake();
		});
		const send = async () => {
			const kinds = [...changed];
			changed.clear();
			await stream.writeSSE({ event: 'change', data: JSON.stringify({ kinds }), retry: 1000 });
		};
		await send();
		while (!stream.aborted) {
			if (changed.size > 0) {
				await send();
				// A long bulk send makes thousands of changes a second. Pages need far fewer events.
				await stream.sleep(50);
			} else {
				await new Promise<void>((resolve) => {
					wake = resolve;
				});
			}
		}
	});
}
