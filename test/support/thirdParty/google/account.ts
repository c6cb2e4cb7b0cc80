import { Hono, type MiddlewareHandler } from 'hono';
import { randomUUID } from 'node:crypto';
import { googleError } from './errors';

/** A Google account whose owner allows n8n to use it. */
export interface GoogleAccount {
	/** Serves `oauth2.googleapis.com`. */
	readonly app: Hono;
	/** Rejects a request without a token of this account, as every API of Google does. */
	readonly requireToken: MiddlewareHandler;
	/**
	 * Allows access, as a person does on Google's page.
	 * @param address of that page, to which n8n leads the browser
	 * @returns the address to which Google leads the browser back
	 * @throws Error if the page would not open
	 */
	readonly allow: (address: string) => string;
}

/** Opens an account. */
export function openGoogleAccount(): GoogleAccount {
	const codes = new Map<string, string>();
	const refreshTokens = new Set<string>();
	const tokens = new Set<string>();

	function grant(scope: string, refreshToken?: string) {
		const token = `ya29.${randomUUID()}`;
		tokens.add(token);
		return {
			access_token: token,
			expires_in: 3599,
			...(refreshToken !== undefined && { refresh_token: refreshToken }),
			scope,
			token_type: 'Bearer',
		};
	}

	const app = new Hono();
	app.post('/token', async (c) => {
		const form = await c.req.parseBody();
		const { grant_type: type, code, refresh_token: refresh } = form;
		if (type === 'authorization_code' && typeof code === 'string') {
			const scope = codes.get(code);
			codes.delete(code);
			if (scope !== undefined) {
				const refreshToken = `1//${randomUUID()}`;
				refreshTokens.add(refreshToken);
				return c.json(grant(scope, refreshToken));
			}
		}
		if (type === 'refresh_token' && typeof refresh === 'string' && refreshTokens.has(refresh)) return c.json(grant(''));
		return c.json({ error: 'invalid_grant', error_description: 'Bad Request' }, 400);
	});

	return {
		app,
		async requireToken(c, next) {
			const [scheme, token = ''] = (c.req.header('authorization') ?? '').split(' ');
			if (scheme === 'Bearer' && tokens.has(token)) {
				await next();
				return undefined;
			}
			return googleError(c, 401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
		},
		allow(address) {
			const page = new URL(address);
			const asked = (name: string) => page.searchParams.get(name) ?? '';
			if (page.origin + page.pathname !== 'https://accounts.google.com/o/oauth2/v2/auth') {
				throw new Error(`This is not Google's page: ${address}`);
			}
			if (asked('response_type') !== 'code' || asked('client_id') === '') throw new Error(`Google rejects ${address}`);
			const code = `4/${randomUUID()}`;
			codes.set(code, asked('scope'));
			const back = new URL(asked('redirect_uri'));
			back.search = new URLSearchParams({ state: asked('state'), code, scope: asked('scope') }).toString();
			return back.href;
		},
	};
}
