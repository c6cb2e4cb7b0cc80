import { Hono } from 'hono';
import type { HonoEnv } from '../http/env';
import { HttpError } from '../http/httpError';
import { readBytes } from '../http/readBytes';
import { errorResponse } from '../http/reply';
import { RELAY_VERSION } from '../version';
import { readCall } from './call';
import { errorReply, type Reply } from './reply';

/** Most bytes of a body. */
const MOST_BYTES = 2 * 1024 * 1024;

const PREFIX = '/api/v1';

/** Headers of every response. Adding them to a complete response would make another one of it for each. */
const OWN_HEADERS = {
	'relay-version': RELAY_VERSION,
	// The service's page must not run as a page of the relay.
	'content-security-policy': `default-src 'none'; sandbox`,
	'x-content-type-options': 'nosniff',
};

/**
 * The service's API, below `/api/v1`. Each call is forwarded with the caller's own key of the service. No token of the
 * relay is needed, because the service decides about the key.
 */
export function createGatewayRoutes(): Hono<HonoEnv> {
	const app = new Hono<HonoEnv>();
	app.onError((error, c) => {
		for (const [name, value] of Object.entries(OWN_HEADERS)) c.header(name, value);
		return errorResponse(c, error);
	});
	app.all('*', async (c) => {
		const { services, gateway } = await c.get('relay')();
		if (services.settings.serviceUrl === '') return toResponse(SERVICE_NOT_SET);
		const { url } = c.req;
		const whole = url.slice(url.indexOf('/', url.indexOf('://') + 3));
		const target = whole.startsWith(PREFIX) ? whole.slice(PREFIX.length) : undefined;
		// A path with encoded letters, such as /api/%761, matches the route too.
		if (target === undefined) throw notForwarded();
		const hasBody = c.req.method !== 'GET' && c.req.method !== 'HEAD';
		const bytes = hasBody ? await readBytes(c, MOST_BYTES) : new Uint8Array();
		const call = readCall({
			method: c.req.method,
			path: target.startsWith('/') ? target : `/${target}`,
			header: (name) => c.req.header(name),
			body: bytes.length > 0 ? bytes : undefined,
		});
		if (!call) throw notForwarded();
		if (/^(?:.* )?rly_/.test(call.apiKey.value)) return toResponse(RELAY_TOKEN_GIVEN);
		const waitSignals = [c.get('stopping'), c.req.raw.signal];
		const headers = {
			key: c.req.header('idempotency-key'),
			attempt: c.req.header('relay-attempt'),
			keyMaxAge: c.req.header('relay-key-max-age'),
			movedFrom: c.req.header('relay-moved-from'),
		};
		return toResponse(await gateway.handle(call, headers, waitSignals));
	});
	return app;
}

function notForwarded(): HttpError {
	return new HttpError(404, 'not_found', 'This path or method is not one of the service.');
}

const SERVICE_NOT_SET = errorReply({
	status: 503,
	code: 'service_not_set',
	message:
		'The relay does not know the service. Set RELAY_SERVICE_URL to the base URL of the service, and restart the relay.',
	outcome: undefined,
});

/** It would reach the service otherwise. */
const RELAY_TOKEN_GIVEN = errorReply({
	status: 401,
	code: 'relay_token_given',
	message: 'This is a token of the relay. Calls below /api/v1 need the API key of the service.',
	outcome: undefined,
});

function toResponse({ status, headers, body, outcome }: Reply): Response {
	const all = { ...headers, ...(outcome !== undefined && { 'relay-outcome': outcome }), ...OWN_HEADERS };
	return new Response(body, { status, headers: all });
}
