import { Hono } from 'hono';
import { requireAdmin } from '../http/authenticate';
import type { HonoEnv } from '../http/env';
import { parseInput, readJson } from '../http/reply';
import { sendQuerySchema, settleSchema } from './schema';
import { listSends, readSend, settleSend } from './settle';

/** The API of sends, below `/v1/sends`. A person finds unknown sends here, and settles them. */
export function createSendRoutes(): Hono<HonoEnv> {
	const app = new Hono<HonoEnv>();
	app.get('/', requireAdmin, async (c) => {
		const query = parseInput(sendQuerySchema, c.req.query());
		return c.json(await listSends((await c.var.relay()).services, query));
	});
	app.get('/:id', requireAdmin, async (c) => c.json(await readSend((await c.var.relay()).services, c.req.param('id'))));
	app.post('/:id/settle', requireAdmin, async (c) => {
		const settle = await readJson(c, settleSchema);
		const id = c.req.param('id');
		await settleSend((await c.var.relay()).services, id, settle);
		return c.json({ id, outcome: settle.outcome });
	});
	return app;
}
