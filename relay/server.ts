import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { Hono } from 'hono';
import { createIngest } from './events/ingestRoutes';
import { createApi } from './http/api';
import type { HonoEnv } from './http/env';
import { createHealth } from './http/health';
import { HttpError } from './http/httpError';
import { createMetricsRoutes } from './http/metricsRoutes';
import { createPages } from './http/pages';
import { errorResponse } from './http/reply';
import { createSession } from './http/session';
import { openRelay, type Relay } from './relay';
import { createGatewayRoutes } from './sends/gatewayRoutes';
import type { Settings } from './settings';

/** A running relay. */
export interface RunningRelay {
	/** Without a trailing slash, e.g. `http://127.0.0.1:4400`. */
	readonly url: string;
	/** Resolves after the database is open. */
	readonly opened: Promise<Relay>;
	/** Accepts no more requests, completes those in flight, and closes the database. Safe to call again. */
	stop(): Promise<void>;
}

/** How long a request waits for the database to open, in milliseconds. */
const OPEN_MS = 10_000;

/**
 * Starts a relay. It listens before the database is open, so that no sender meets a closed port during a restart.
 * @throws Error with code `EADDRINUSE` if the port is in use
 */
export async function startRelay(settings: Settings): Promise<RunningRelay> {
	const app = new Hono<HonoEnv>();
	const server = createAdaptorServer({ fetch: app.fetch });
	server.listen(settings.port, settings.host);
	await once(server, 'listening');
	const opened = openRelay(settings, urlOf(server, settings.host));
	const stopping = new AbortController();
	let open: Relay | undefined;
	opened.then(
		(relay) => (open = relay),
		() => undefined,
	);
	const waitForRelay = async (): Promise<Relay> => open ?? (await Promise.race([opened, notOpen()]));

	app.onError((error, c) => errorResponse(c, error));
	app.use(async (c, next) => {
		c.set('relay', waitForRelay);
		c.set('stopping', stopping.signal);
		await next();
	});
	app.route(
		'/',
		createHealth(() => open, settings.publicUrl),
	);
	app.route('/', createMetricsRoutes());
	if (settings.role !== 'worker') {
		app.route('/', createIngest());
		app.route('/v1', createApi());
		app.route('/api/v1', createGatewayRoutes());
		app.route('/', createSession());
		app.route('/', createPages());
	}
	// Without the path, because a path may have a secret.
	app.notFound((c) =>
		errorResponse(
			c,
			new HttpError(
				404,
				'not_found',
				'This path does not exist. The page is at /, and the API is described in /openapi.json.',
			),
		),
	);

	async function stop(): Promise<void> {
		stopping.abort();
		await close(server);
		const relay = await opened.catch(() => undefined);
		await relay?.close();
	}

	let stopped: Promise<void> | undefined;
	return { url: urlOf(server, settings.host), opened, stop: async () => await (stopped ??= stop()) };
}

async function notOpen(): Promise<never> {
	await new Promise((resolve) => setTimeout(resolve, OPEN_MS).unref());
	throw new HttpError(503, 'unavailable', 'The database is not open yet. Try again in a few seconds.');
}

/** How long requests in flight may take at the end, in milliseconds. */
const DRAIN_MS = 10_000;

async function close(server: ServerType): Promise<void> {
	const closed = once(server, 'close');
	server.close();
	if ('closeIdleConnections' in server) server.closeIdleConnections();
	// Hanging requests would otherwise keep the server open forever.
	const timer = setTimeout(() => {
		if ('closeAllConnections' in server) server.closeAllConnections();
	}, DRAIN_MS);
	await closed;
	clearTimeout(timer);
}

function urlOf(server: ServerType, host: string): string {
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('The relay listens on no TCP port');
	const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : isIPv6(host) ? `[${host}]` : host;
	return `http://${name}:${address.port}`;
}
