import { Hono } from 'hono';
import { authenticate } from './authenticate';
import type { HonoEnv } from './env';

/** `/metrics`: Prometheus text, for any token. */
export function createMetricsRoutes(): Hono<HonoEnv> {
	const app = new Hono<HonoEnv>();
	app.get('/metrics', authenticate, async (c) => {
		const { database, metrics } = (await c.var.relay()).services;
		const [row] = await database.query<{ count: number }>(
			`select count(*)::int as count from relay.delivery where state = 'pending'`,
		);
		const { contentType, body } = await metrics.text(row?.count ?? 0);
		return c.body(body, 200, { 'content-type': contentType });
	});
	return app;
}
