import { Hono } from 'hono';
import type { Relay } from '../relay';
import type { HonoEnv } from './env';
import { relayOpenApi } from './openapi';

/**
 * `/healthz`: the process runs. `/readyz`: the database responds. `/openapi.json`: the description of the API.
 * @param open the relay, once its database is open
 * @param publicUrl of the relay; '' if it is not set
 */
export function createHealth(open: () => Relay | undefined, publicUrl: string): Hono<HonoEnv> {
	const app = new Hono<HonoEnv>();
	// Making it takes long, so it is made once, with the first request.
	let description: ReturnType<typeof relayOpenApi> | undefined;
	app.get('/openapi.json', (c) => c.json((description ??= relayOpenApi(publicUrl === '' ? '/' : publicUrl))));
	app.get('/healthz', (c) => c.json({ status: 'ok' }));
	app.get('/readyz', async (c) => {
		const relay = open();
		const ready =
			relay !== undefined &&
			(await relay.services.database.query('select 1 as one').then(
				() => true,
				() => false,
			));
		return c.json({ status: ready ? 'ready' : 'not ready' }, ready ? 200 : 503);
	});
	return app;
}
