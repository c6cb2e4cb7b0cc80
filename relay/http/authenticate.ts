import type { MiddlewareHandler } from 'hono';
import type { HonoEnv } from './env';
import { HttpError } from './httpError';
import { sessionCaller } from './session';

/** Requires a token, `Authorization: Bearer rly_...`, or the cookie of the page. */
export const authenticate: MiddlewareHandler<HonoEnv> = async (c, next) => {
	const token = /^Bearer\s+(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
	const caller = token === undefined ? await sessionCaller(c) : await (await c.var.relay()).tokens.find(token);
	if (!caller) {
		c.header('www-authenticate', 'Bearer');
		throw new HttpError(
			401,
			'unauthorized',
			'The relay token is missing, wrong or revoked. Copy it again from the relay’s page.',
		);
	}
	c.set('caller', caller);
	await next();
};

/** Requires an admin token. */
export const requireAdmin: MiddlewareHandler<HonoEnv> = async (c, next) => {
	if (c.var.caller.kind !== 'admin') {
		throw new HttpError(403, 'forbidden', 'This needs an admin token. Create one on the relay’s page.');
	}
	await next();
};
