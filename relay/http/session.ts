import { Hono, type Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod/v4';
import type { Caller } from './caller';
import type { HonoEnv } from './env';
import { HttpError } from './httpError';
import { readJson } from './reply';

const COOKIE = 'relay_session';

/** How long a person stays logged in, in seconds. */
const SESSION_SECONDS = 12 * 3_600;

/**
 * Without a path, the browser limits the cookie to the folder of the page. Behind a proxy with a path prefix, other
 * programs of the host do not get it.
 */
const COOKIE_OPTIONS = { path: '', httpOnly: true, sameSite: 'Strict' } as const;

/** Methods that change nothing. */
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

const loginSchema = z.strictObject({ token: z.string().trim().min(1, 'paste an admin token') });

/**
 * The login of the page. `POST /session { token }` starts a session and sets its cookie, `DELETE /session` ends it, and
 * `GET /session` returns its token, or null. Scripts cannot read the cookie, and other sites cannot send it.
 */
export function createSession(): Hono<HonoEnv> {
	const app = new Hono<HonoEnv>();
	app.post('/session', async (c) => {
		await requireSameOrigin(c);
		const { token } = await readJson(c, loginSchema);
		const { tokens, sessions } = await c.var.relay();
		const caller = await tokens.find(token);
		if (!caller) {
			throw new HttpError(401, 'unauthorized', 'This token is wrong or revoked. Paste an admin token.', 'token');
		}
		if (caller.kind !== 'admin') {
			const message = `This is a token of kind ${caller.kind}. The page needs an admin token.`;
			throw new HttpError(403, 'forbidden', message, 'token');
		}
		setCookie(c, COOKIE, await sessions.start(caller.id, SESSION_SECONDS), {
			...COOKIE_OPTIONS,
			// The browser writes its own scheme here, so the relay need not trust a header of the proxy.
			secure: c.req.header('origin')?.startsWith('https:') ?? false,
			maxAge: SESSION_SECONDS,
		});
		return c.json({ token: caller });
	});
	app.get('/session', async (c) => c.json({ token: (await sessionCaller(c)) ?? null }));
	app.delete('/session', async (c) => {
		await requireSameOrigin(c);
		const secret = getCookie(c, COOKIE);
		if (secret !== undefined) await (await c.var.relay()).sessions.end(secret);
		deleteCookie(c, COOKIE, COOKIE_OPTIONS);
		return c.body(null, 204);
	});
	return app;
}

/**
 * Finds the token behind the cookie of a request.
 * @returns undefined without a cookie, after its end, and after the token was revoked
 * @throws HttpError 403 if another origin wants to change something
 */
export async function sessionCaller(c: Context<HonoEnv>): Promise<Caller | undefined> {
	const secret = getCookie(c, COOKIE);
	if (secret === undefined) return undefined;
	if (!SAFE_METHODS.includes(c.req.method)) await requireSameOrigin(c);
	const { sessions, tokens } = await c.var.relay();
	const token = await sessions.find(secret);
	return token === undefined ? undefined : await tokens.get(token);
}

/**
 * Another port of this machine is the same site for cookies, so SameSite alone does not keep its pages out. The scheme
 * is not compared, because a proxy may end https. A proxy may also change the host, so the public URL counts too.
 */
async function requireSameOrigin(c: Context<HonoEnv>): Promise<void> {
	const origin = c.req.header('origin') ?? '';
	const host = URL.canParse(origin) ? new URL(origin).host : '';
	if (host !== '' && host === c.req.header('host')) return;
	const { publicUrl } = (await c.var.relay()).services.settings;
	if (publicUrl !== '' && origin === new URL(publicUrl).origin) return;
	const message =
		'This request came from another address than the relay’s own page. Behind a proxy, set RELAY_PUBLIC_URL to the address of the page and restart the relay.';
	throw new HttpError(403, 'forbidden', message);
}
