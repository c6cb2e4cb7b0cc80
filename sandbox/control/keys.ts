import { Hono } from 'hono';
import { z } from 'zod/v4';
import type { HonoEnv } from '../http/env';
import { parseInput } from '../http/parse';
import { toTimestamp } from '../http/timestamp';
import type { ApiKey, NewKey } from '../store/keys';
import { orNotFound, readBodyAs, wholeNumber } from './input';
import type { ControlServices } from './services';

const newKey = z.strictObject({ name: z.string().trim().min(1, 'is empty').max(60, 'has more than 60 characters') });
const idInput = z.object({ id: wholeNumber });

/**
 * `GET keys` · `POST keys {name}` · `POST keys/:id/rotate` · `POST keys/:id/revoke`. `api_key` appears only in the
 * response that creates the key.
 */
export function keyRoutes({ store, clock }: ControlServices): Hono<HonoEnv> {
	const { keys } = store;
	const routes = new Hono<HonoEnv>();
	routes.get('/keys', (c) => c.json(keys.list().map(toKey)));
	routes.post('/keys', async (c) =>
		c.json(toNewKey(keys.create((await readBodyAs(c, newKey)).name, clock.now())), 201),
	);
	routes.post('/keys/:id/rotate', (c) => {
		const { id } = parseInput(idInput, c.req.param());
		return c.json(toNewKey(orNotFound(keys.rotate(id, clock.now()), `key ${id} that is in use`)), 201);
	});
	routes.post('/keys/:id/revoke', (c) => {
		const { id } = parseInput(idInput, c.req.param());
		return c.json(toKey(orNotFound(keys.revoke(id, clock.now()), `key ${id}`)));
	});
	return routes;
}

/** An API key as the control routes return it. */
export type KeyRow = ReturnType<typeof toKey>;

/** A new key, with the secret. */
export type NewKeyRow = ReturnType<typeof toNewKey>;

function toKey({ id, name, hint, created_at, revoked_at }: ApiKey) {
	return {
		id,
		name,
		hint: `…${hint}`,
		created_at: toTimestamp(created_at),
		revoked_at: revoked_at === null ? null : toTimestamp(revoked_at),
	};
}

function toNewKey({ key, secret }: NewKey) {
	return { ...toKey(key), api_key: secret };
}
