import { Hono } from 'hono';
import type { HonoEnv } from '../http/env';
import { orNotFound } from './input';
import type { ControlServices } from './services';

/**
 * `POST reset` resets the sandbox · `GET snapshots` lists their names · `PUT snapshots/:name` saves the state until the
 * sandbox stops · `POST snapshots/:name/restore` restores it.
 */
export function stateRoutes(services: ControlServices): Hono<HonoEnv> {
	const { store, clock, apiKey, seededFaults } = services;
	const snapshots = new Map<string, ReturnType<typeof store.snapshot>>();
	const routes = new Hono<HonoEnv>();

	function forget(ahead: number): void {
		clock.reset(ahead);
		store.settings.saveClock({ ahead, stoppedAt: clock.stoppedAt() });
		services.faults.clear();
		services.rateLimit.reset();
		services.requestLog.clear();
	}

	routes.post('/reset', (c) => {
		clock.reset();
		store.reset(clock.now());
		store.keys.ensureFirst(apiKey, clock.now());
		forget(0);
		for (const fault of seededFaults) services.faults.add(fault);
		return c.json({ success: true });
	});
	routes.get('/snapshots', (c) => c.json([...snapshots.keys()]));
	routes.put('/snapshots/:name', (c) => {
		snapshots.set(c.req.param('name'), store.snapshot());
		return c.json([...snapshots.keys()], 201);
	});
	routes.post('/snapshots/:name/restore', (c) => {
		const name = c.req.param('name');
		store.restore(orNotFound(snapshots.get(name), `snapshot ${name}`));
		forget(store.settings.clock().ahead);
		return c.json({ success: true });
	});
	return routes;
}
