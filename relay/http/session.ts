import { Hono, type Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod/v4';
import type { Relay } from '../relay';
import type { Caller } from './caller';
import type { HonoEnv } from './env';
import { HttpError } from './httpError';
import { readJson } from './reply';

const COOKIE = 'relay_session';

/** How long a person stays logged in, in seconds. */
const SESSION_SECONDS = 12 * 3_600;

/** Methods that change nothing. */
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

const loginSchema = z.strictObject({ token: z.string().trim().min(1, 'paste an admin token') });

/** The content of the cookie. `purpose` keeps other encrypted values of the relay from being used as a session. */
const sessionSchema = z.strictObject({
	purpose: z.literal('session'),
	token: z.string(),
	/** Milliseconds since 1970. */
	until: z.number(),
});

/**
 * The login of the page. `POST /session { token }` sets a cookie, `DELETE /session` removes it,
 * and `GET /session` returns its token, or null. The cookie has the ID of
 * the token, encrypted, so it ends with the token. Scripts cannot read it, and other sites cannot send it.
 */
export function createSession(): Hono<HonoEnv> {
	const app = new Hono<HonoEnv>();
	app.post('/session', async (c) => {
		requireSameOrigin(c);
		const { token } = await readJson(c, loginSchema);
		const { tokens, services } = await c.var.relay();
		const caller = await tokens.find(token);
		if (!caller) {
			throw new HttpError(401, 'unauthorized', 'This token is wrong or revoked. Paste an admin token.', 'token');
		}
		if (caller.kind !== 'admin') {
			const message = `This is a token of kind ${caller.kind}. The page needs an admin token.`;
			throw new HttpError(403, 'forbidden', message, 'token');
		}
		const content: z.output<typeof sessionSchema> = {
			purpose: 'session',
			token: caller.id,
			until: Date.now() + SESSION_SECONDS * 1000,
		};
		setCookie(c, COOKIE, services.cipher.seal(JSON.stringify(content)), {
			path: '/',
			httpOnly: true,
			sameSite: 'Strict',
			secure: c.req.header('origin')?.startsWith('https:') ?? false,
			maxAge: SESSION_SECONDS,
		});
		return c.json({ token: caller });
	});
	app.get('/session', async (c) => c.json({ token: (await sessionCaller(c)) ?? null }));
	app.delete('/session', (c) => {
		requireSameOrigin(c);
		deleteCookie(c, COOKIE, { path: '/' });
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
	const sealed = getCookie(c, COOKIE);
	if (sealed === undefined) return undefined;
	if (!SAFE_METHODS.includes(c.req.method)) requireSameOrigin(c);
	const relay = await c.var.relay();
	const session = openSession(relay, sealed);
	return session && session.until > Date.now() ? await relay.tokens.get(session.token) : undefined;
}

function openSession({ services }: Relay, sealed: string): z.output<typeof sessionSchema> | undefined {
	try {
		return sessionSchema.parse(JSON.parse(services.cipher.open(sealed)));
	} catch {
		// It was made with another key, or changed.
		return undefined;
	}
}

/**
 * Another port of this machine is the same site for cookies, so SameSite alone does not keep its pages out. The scheme
 * is not compared, because a proxy may end https.
 */
function requireSameOrigin(c: Context<HonoEnv>): void {
	const origin = c.req.header('origin') ?? '';
	const own = c.req.header('host');
	if (own !== undefined && URL.canParse(origin) && new URL(origin).host === own) return;
	const message =
		'This request came from another page. Use the relay’s own page, or a token in the Authorization header.';
	throw new HttpError(403, 'forbidden', message);
}
