import { Hono } from 'hono';
import { faultSchema } from '../behaviour/faults';
import type { Exchange } from '../http/exchange';
import { readBodyAs } from './input';
import type { ControlServices } from './services';

/** `GET faults` · `POST faults` adds one (`behaviour/faults.ts`) · `DELETE faults` clears them · `GET requests`. */
export function faultRoutes({ store, faults, journal }: ControlServices): Hono<Exchange> {
	const routes = new Hono<Exchange>();
	routes.get('/faults', (c) => c.json(faults.list()));
	routes.post('/faults', async (c) => {
		const fault = await readBodyAs(c, faultSchema);
		faults.add(fault);
		store.changes.tell('faults');
		return c.json(fault, 201);
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
