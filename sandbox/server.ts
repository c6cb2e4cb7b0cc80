import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { Hono } from 'hono';
import type { RecordedShapes } from '../shared/shapes/recordedShapes';
import { createApi } from './api';
import { createClock } from './simulation/clock';
import { createFaults } from './simulation/faults';
import { createRateLimit } from './simulation/rateLimit';
import { storeWork } from './simulation/sources';
import { startScheduler } from './simulation/scheduler';
import { createDispatcher } from './callbacks/dispatcher';
import { createCheckout } from './checkout/routes';
import { createControl } from './control';
import { startAutoReply } from './gateway/autoReply';
import { createInboundWebhook } from './gateway/inboundWebhook';
import { createWhatsappWebhook } from './gateway/whatsappWebhook';
import { createPhones } from './gateway/phones';
import type { HonoEnv } from './http/env';
import { shapesOfEnvironment } from './readShapes';
import { createHostCheck, rejectForeignPage } from './http/guard';
import { createRequestLog } from './http/requestLog';
import { HttpError } from './http/httpError';
import { failureReply, toResponse } from './http/reply';
import { createPages } from './pages';
import { accountOf, type Seed } from './seed/seed';
import { KEY_PREFIX } from './store/keys';
import { setUpSetting } from './store/settings';
import { openStore, type Store } from './store/store';

/** Options of {@link startSandbox}. */
export interface SandboxOptions {
	/** TCP port. 0, the default, chooses a free one. */
	readonly port?: number;
	/** Host to listen on. The default, 127.0.0.1, only accepts connections from this machine. */
	readonly host?: string;
	/** File that stores the state, or `:memory:`, the default. */
	readonly data?: string;
	/** The first API key, by default `sk_sandbox_demo`. More keys can be created while the sandbox runs. */
	readonly apiKey?: string;
	/**
	 * `stopped`: time only moves with `POST /_sandbox/clock/advance`. By default the clock runs, unless the data file
	 * was closed with the clock stopped.
	 */
	readonly clock?: 'running' | 'stopped';
	/** The account and the faults of a new sandbox, also after a reset. A data file that has an account keeps its own. */
	readonly seed?: Seed;
	/**
	 * Shapes of responses that the doctor recorded (docs/doctor.md). They come before those of the settings. By default those of
	 * the file that the environment variable `SANDBOX_SHAPES` names, so that tests can run against them.
	 */
	readonly shapes?: RecordedShapes;
}

/** A running sandbox. */
export interface Sandbox {
	/** Without a trailing slash, e.g. `http://127.0.0.1:4010`. */
	readonly url: string;
	/** URL of the API with a trailing slash, e.g. `http://127.0.0.1:4010/api/v1/`. */
	readonly baseUrl: string;
	readonly apiKey: string;
	/** Whether the data was new, so that the sandbox started with the seed or the usual account. */
	readonly isNew: boolean;
	/** Closes every connection, saves the state and releases port and file. Safe to call again. */
	stop(): Promise<void>;
}

const ANY_INTERFACE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

/**
 * Starts the messaging service on this machine. Several can run in one process.
 * @returns the sandbox, once it accepts requests
 * @throws Error if the key does not start with `sk_sandbox_`; Error with code `EADDRINUSE` if the port is in use;
 * DataFileError if the data file cannot be used; ShapesFileError if `SANDBOX_SHAPES` names a file that cannot be used
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const { port = 0, host = '127.0.0.1', data = ':memory:', apiKey = 'sk_sandbox_demo', seed = {} } = options;
	const shapes = options.shapes ?? shapesOfEnvironment();
	if (!apiKey.startsWith(KEY_PREFIX)) throw new Error(`API keys of the sandbox must start with ${KEY_PREFIX}.`);
	const store = openStore(data, accountOf(seed));
	const clock = createClock(store.settings.clock(), options.clock && options.clock === 'running');
	store.settings.saveClock({ ahead: clock.ahead(), stoppedAt: clock.stoppedAt() });
	const isNew = store.seed(clock.now());
	turnOffFeatures(store, shapes);
	store.keys.ensureFirst(apiKey, clock.now());

	const app = new Hono<HonoEnv>();
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
	const services = { store, clock, url, stopping: stopping.signal };
	const faults = createFaults();
	const seededFaults = seed.faults ?? [];
	if (isNew) for (const fault of seededFaults) faults.add(fault);
	const requestLog = createRequestLog();
	const checkHost = createHostCheck(host);
	const rateLimit = createRateLimit(clock, () => store.settings.read().requests_per_second);
	const phones = createPhones({ ...services, faults });
	const dispatcher = createDispatcher({ ...services, faults });
	const endReplies = startAutoReply(store, phones);
	const work = startScheduler([...storeWork(store), dispatcher], clock, store);

	async function settle(): Promise<void> {
		do {
			await work.settle();
			await Promise.all([dispatcher.idle(), phones.idle()]);
		} while (work.isDue());
	}

	app.onError((error) => toResponse(failureReply(error)));
	app.notFound((c) => {
		const message = `${c.req.path} does not exist. The API is below /api/v1/, the phone at /phone.`;
		return toResponse(failureReply(new HttpError(404, 'not_found', message)));
	});
	// Before the middleware, because the API has its own checks and commits.
	app.route('/', createApi({ ...services, checkHost, faults, rateLimit, requestLog, settle, recorded: shapes }));
	app.use((_c, next) => store.group.apart(next));
	app.use(async ({ req: { raw } }, next) => {
		const { method, headers } = raw;
		const host = headers.get('host') ?? undefined;
		checkHost(host);
		rejectForeignPage({ method, host, origin: headers.get('origin') ?? undefined });
		await next();
	});
	app.route('/', createInboundWebhook({ ...services, faults }));
	app.route('/', createWhatsappWebhook({ ...services, faults }));
	app.route(
		'/_sandbox',
		createControl({ ...services, apiKey, seededFaults, phones, work, settle, faults, rateLimit, requestLog }),
	);
	app.get('/healthz', (c) => c.json({ status: 'ok' }));
	app.route('/', createCheckout(services));
	app.route('/', createPages({ baseUrl, apiKey, currency: store.wallet.read().currency }));

	async function stop(): Promise<void> {
		stopping.abort();
		await work.stop();
		endReplies();
		await dispatcher.stop();
		await phones.stop();
		await close(server);
		store.close();
	}

	let stopped: Promise<void> | undefined;
	return { url, baseUrl, apiKey, isNew, stop: () => (stopped ??= stop()) };
}

/** Turns off the features that the service of the recorded shapes did not have. */
function turnOffFeatures({ settings }: Store, shapes: RecordedShapes | undefined): void {
	const missing = shapes?.errors.filter(({ code }) => code === 'channel_not_set_up') ?? [];
	settings.change(Object.fromEntries(missing.map(({ endpoint }) => [setUpSetting({ id: endpoint }), false])));
}

async function listen(server: ServerType, port: number, host: string): Promise<void> {
	server.listen(port, host);
	await once(server, 'listening');
}

async function close(server: ServerType): Promise<void> {
	const closed = once(server, 'close');
	server.close();
	// Event streams and hanging requests would otherwise keep the server open forever.
	if ('closeAllConnections' in server) server.closeAllConnections();
	await closed;
}

function urlOf(server: ServerType, host: string): string {
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('the sandbox listens on no TCP port');
	const name = ANY_INTERFACE[host] ?? (isIPv6(host) ? `[${host}]` : host);
	return `http://${name}:${address.port}`;
}
