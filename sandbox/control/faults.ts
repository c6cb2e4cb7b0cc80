import { Hono } from 'hono';
import { z } from 'zod/v4';
import { faultSchema } from '../simulation/faults';
import type { HonoEnv } from '../http/env';
import { parseInput } from '../http/parse';
import { orNotFound, readBodyAs, wholeNumber } from './input';
import type { ControlServices } from './services';

const idInput = z.object({ id: wholeNumber });

/**
 * `GET faults` · `POST faults` adds one (`simulation/faults.ts`) · `DELETE faults/:id` removes one · `DELETE faults`
 * clears them.
 */
export function faultRoutes({ store, faults }: ControlServices): Hono<HonoEnv> {
	const routes = new Hono<HonoEnv>();
	routes.get('/faults', (c) => c.json(faults.list()));
	routes.post('/faults', async (c) => {
		const fault = await readBodyAs(c, faultSchema);
		const added = faults.add(fault);
		store.changes.emit('faults');
		return c.json(added, 201);
	});
	routes.delete('/faults/:id', (c) => {
		const { id } = parseInput(idInput, c.req.param());
		orNotFound(faults.remove(id) || undefined, `fault ${id} waiting`);
		store.changes.emit('faults');
		return c.json(faults.list());
	});
	routes.delete('/faults', (c) => {
		faults.clear();
		store.changes.emit('faults');
		return c.json(faults.list());
	});
	return routes;
}
