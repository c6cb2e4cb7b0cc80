import { Hono } from 'hono';
import { z } from 'zod/v4';
import { faultSchema } from '../behaviour/faults';
import type { Exchange } from '../http/exchange';
import { parseInput } from '../http/parse';
import { found, readBodyAs, wholeNumber } from './input';
import type { ControlServices } from './services';

const idInput = z.object({ id: wholeNumber });

/**
 * `GET faults` · `POST faults` adds one (`behaviour/faults.ts`) · `DELETE faults/:id` takes one back · `DELETE faults`
 * clears them · `GET requests`.
 */
export function faultRoutes({ store, faults, journal }: ControlServices): Hono<Exchange> {
	const routes = new Hono<Exchange>();
	routes.get('/faults', (c) => c.json(faults.list()));
	routes.post('/faults', async (c) => {
		const fault = await readBodyAs(c, faultSchema);
		const added = faults.add(fault);
		store.changes.tell('faults');
		return c.json(added, 201);
	});
	routes.delete('/faults/:id', (c) => {
		const { id } = parseInput(idInput, c.req.param());
		found(faults.remove(id) || undefined, `fault ${id} waiting`);
		store.changes.tell('faults');
		return c.json(faults.list());
	});
	routes.delete('/faults', (c) => {
		faults.clear();
		store.changes.tell('faults');
		return c.json(faults.list());
	});
	routes.get('/requests', (c) =>
		c.json(journal.list().map((entry) => ({ ...entry, at: new Date(entry.at).toISOString() }))),
	);
	return routes;
}
