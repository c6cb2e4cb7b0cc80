import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { Hono } from 'hono';
import { createApi } from './api';
import { createClock } from './behaviour/clock';
import { startDelivery } from './behaviour/delivery';
import { createFaults } from './behaviour/faults';
import { createRateLimit } from './behaviour/rateLimit';
import { createControl } from './control';
import { createInboundWebhook } from './gateway/inboundWebhook';
import { createPhones } from './gateway/phones';
import type { Exchange } from './http/exchange';
import { guard, refuseForeignPage } from './http/guard';
import { createJournal } from './http/journal';
import { Refusal } from './http/refusal';
import { failureReply, toResponse } from './http/reply';
import { createPages } from './pages';
import { openStore } from './store/store';

/** How to start a sandbox. */
export interface SandboxOptions {
	/** TCP port; 0, the default, takes a free one. */
	readonly port?: number;
	/** Host to listen on, by default 127.0.0.1: only this machine reaches it. */
	readonly host?: string;
	/** File that keeps the state, or `:memory:`, the default. */
	readonly data?: string;
	/** The one key that the API takes, by default `sk_sandbox_demo`. */
	readonly apiKey?: string;
	/** `stopped`: time stands still but for `POST /_sandbox/clock/advance`; by default it runs. */
	readonly clock?: 'running' | 'stopped';
}

/** A running sandbox. */
export interface Sandbox {
	/** Without a slash at the end, e.g. `http://127.0.0.1:4010`. */
	readonly url: string;
	/** Where the API is, with a slash at the end, e.g. `http://127.0.0.1:4010/api/v1/`. */
	readonly baseUrl: string;
	readonly apiKey: string;
	/** Closes every connection, keeps the state and frees port and file. May be called again. */
	stop(): Promise<void>;
}

const ANY_INTERFACE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

/**
 * Starts the messaging service on this machine; several may run in one process.
 * @returns when it answers
 * @throws Error with code `EADDRINUSE` where the port is taken; Error where the data file cannot be used
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const { port = 0, host = '127.0.0.1', data = ':memory:', apiKey = 'sk_sandbox_demo' } = options;
	const store = openStore(data);
	const clock = createClock(options.clock !== 'stopped', store.settings.clockAhead());
	store.seed(clock.now());

	const app = new Hono<Exchange>();
	const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
	try {
		await listen(server, port, host);
	} catch (error) {
		store.close();
		throw error;
	}
	const url = urlOf(server, host);
	const baseUrl = `${url}/api/v1/`;

	const stopping = new AbortController();
	const faults = createFaults();
	const journal = createJournal();
	const rateLimit = createRateLimit(clock, () => store.settings.read().requests_per_second);
	const phones = createPhones({ store, clock }, `${url}/webhooks/inbound/sms`);
	const delivery = startDelivery(store, clock);

	app.onError((error) => toResponse(failureReply(error)));
	app.notFound((c) => {
		const message = `There is nothing at ${c.req.path}. The API is below /api/v1/, the phone page at /phone.`;
		return toResponse(failureReply(new Refusal(404, 'not_found', message)));
	});
	app.route('/api/v1', createApi({ store, clock, apiKey, faults, rateLimit, journal, stopping: stopping.signal }));
	const asker = ({ method, headers }: Request) => ({
		method,
		host: headers.get('host') ?? undefined,
		origin: headers.get('origin') ?? undefined,
	});
	app.use('/webhooks/*', async (c, next) => {
		refuseForeignPage(asker(c.req.raw));
		await next();
	});
	app.route('/', createInboundWebhook({ store, clock }));
	app.use(async (c, next) => {
		guard(asker(c.req.raw), host);
		await next();
	});
	app.route('/_sandbox', createControl({ store, clock, phones, faults, rateLimit, journal }));
	app.route('/', createPages({ baseUrl, apiKey }));

	async function stop(): Promise<void> {
		stopping.abort();
		delivery.stop();
		await phones.stop();
		await close(server);
		store.close();
	}

	let stopped: Promise<void> | undefined;
	return { url, baseUrl, apiKey, stop: () => (stopped ??= stop()) };
}

async function listen(server: ServerType, port: number, host: string): Promise<void> {
	server.listen(port, host);
	await once(server, 'listening');
}

async function close(server: ServerType): Promise<void> {
	const closed = once(server, 'close');
	server.close();
	// Event streams and requests that a fault keeps hanging would otherwise hold the server open for ever.
	if ('closeAllConnections' in server) server.closeAllConnections();
	await closed;
}

function urlOf(server: ServerType, host: string): string {
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('the sandbox listens on no TCP port');
	const name = ANY_INTERFACE[host] ?? (isIPv6(host) ? `[${host}]` : host);
	return `http://${name}:${address.port}`;
}
