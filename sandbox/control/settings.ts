import { Hono } from 'hono';
import type { HonoEnv } from '../http/env';
import { features, settingsSchema } from '../store/settings';
import { readBodyAs } from './input';
import type { ControlServices } from './services';

const change = settingsSchema.partial();

/** `GET settings` · `PUT settings` changes the given ones · `GET settings/features` lists those with a switch. */
export function settingsRoutes({ store, phones }: ControlServices): Hono<HonoEnv> {
	const routes = new Hono<HonoEnv>();
	const read = () => ({ ...store.settings.read(), inbound_url: phones.inboundUrl() });
	routes.get('/settings', (c) => c.json(read()));
	routes.get('/settings/features', (c) => c.json(features));
	routes.put('/settings', async (c) => {
		store.settings.change(await readBodyAs(c, change));
		return c.json(read());
	});
	return routes;
}
