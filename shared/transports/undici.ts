import type { IncomingHttpHeaders } from 'node:http';
import { Agent, EnvHttpProxyAgent, Pool, type Dispatcher } from 'undici';
import { setTimeout as delay } from 'node:timers/promises';
import {
	connectionFailure,
	timedOut,
	TransportError,
	type HttpRequest,
	type SystemFailure,
	type Transport,
} from '../transport';

/** Options of an undici transport. */
export interface UndiciTransportOptions {
	/**
	 * Dispatcher for all requests. Default: a new keep-alive agent. It must not repeat requests, as undici does over
	 * HTTP/2, because only the client may decide that.
	 */
	readonly dispatcher?: Dispatcher;
}

/** Maximum response size, larger than any response of the service. Protects the memory. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Implements the port with undici, for plain Node: scripts, tests, the sandbox's outgoing requests and direct use.
 * @example const client = createClient({ baseUrl, apiKey, transport: undiciTransport() });
 */
export function undiciTransport(options: UndiciTransportOptions = {}): Transport {
	const dispatcher = options.dispatcher ?? undiciDispatcher();
	return {
		send: async (httpRequest) => {
			const { status, headers, bytes } = await exchange(dispatcher, httpRequest);
			return { status, headers: firstValues(headers), body: bytes && new TextDecoder().decode(bytes) };
		},
		sleep: async (milliseconds, signal) => {
			await delay(milliseconds, undefined, { signal });
		},
	};
}

/** How long a proxy may take to connect, in milliseconds. */
const PROXY_MS = 10_000;

/** Hosts of this machine. No proxy could reach them. */
const THIS_MACHINE = ['localhost', '127.0.0.1', '::1'];

/**
 * Creates a dispatcher that repeats no request, with connections that stay open. Requests go through the proxy of the
 * variables HTTPS_PROXY and HTTP_PROXY, except to hosts of NO_PROXY and of this machine.
 * @param options of connections without a proxy
 */
export function undiciDispatcher(options: Pick<Agent.Options, 'connect'> = {}): Dispatcher {
	const agentOptions = { allowH2: false, maxResponseSize: MOST_BYTES, ...options };
	const { env } = process;
	const proxies = [env.https_proxy, env.HTTPS_PROXY, env.http_proxy, env.HTTP_PROXY];
	if (!proxies.some((url) => url !== undefined && url !== '')) return new Agent(agentOptions);
	const noProxy = [env.no_proxy ?? env.NO_PROXY ?? '', ...THIS_MACHINE].join(',');
	const clientFactory = (origin: URL, given: object) => new Pool(origin, { ...given, headersTimeout: PROXY_MS });
	return new EnvHttpProxyAgent({ ...agentOptions, noProxy, clientFactory });
}

/** A request of {@link exchange}: any method, and a body of text or bytes. */
export interface ExchangeRequest extends Omit<HttpRequest, 'method' | 'body' | 'waitSignal'> {
	readonly method: Dispatcher.HttpMethod;
	readonly body?: string | Uint8Array;
}

/** The response of {@link exchange}. */
export interface ExchangeResponse {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	/**
	 * The body. If the connection ends before, it is undefined, because the status alone may still show that the call was
	 * rejected.
	 */
	readonly bytes: Uint8Array<ArrayBuffer> | undefined;
}

/**
 * Makes one HTTP exchange, as the port requires it: no redirects, no repeats.
 * @throws TransportError if there was no response
 * @example const { status, bytes } = await exchange(undiciDispatcher(), request);
 */
export async function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Promise<ExchangeResponse> {
	const { signal, timeoutMs, url, method, headers, body } = request;
	let controller: Dispatcher.DispatchController | undefined;
	let isEnded = false;
	let tookTooLong = false;
	// A request that waits for a connection ends as soon as it has one.
	const end = () => {
		isEnded = true;
		controller?.abort(new Error('The exchange was ended'));
	};
	const timer = setTimeout(() => {
		tookTooLong = true;
		end();
	}, timeoutMs);
	signal?.addEventListener('abort', end, { once: true });
	try {
		// A stream, a signal and an async resource for each request, as undici's own request has, would double its time.
		return await new Promise<ExchangeResponse>((resolve, reject) => {
			let head: Omit<ExchangeResponse, 'bytes'> | undefined;
			const chunks: Buffer[] = [];
			dispatcher.dispatch(
				{ ...splitUrl(url), method, headers, body },
				{
					onRequestStart(started) {
						controller = started;
						if (isEnded) end();
					},
					onResponseStart(_, status, received) {
						// The response comes after those that only inform.
						if (status >= 200) head = { status, headers: received };
					},
					onResponseData: (_, chunk) => void chunks.push(chunk),
					onResponseEnd: () => head && resolve({ ...head, bytes: Buffer.concat(chunks) }),
					onResponseError: (_, error) => (head ? resolve({ ...head, bytes: undefined }) : reject(error)),
				},
			);
		});
	} catch (error) {
		throw transportError(error, request, tookTooLong);
	} finally {
		clearTimeout(timer);
		signal?.removeEventListener('abort', end);
	}
}

/** Split as text, because parsing a whole URL would take longer than the rest of the request's preparation. */
function splitUrl(url: string): { origin: string; path: string } {
	const slash = url.indexOf('/', url.indexOf('://') + 3);
	return slash < 0 ? { origin: url, path: '/' } : { origin: url.slice(0, slash), path: url.slice(slash) };
}

function firstValues(headers: IncomingHttpHeaders): Record<string, string | undefined> {
	const single: Record<string, string | undefined> = {};
	for (const name in headers) {
		const value = headers[name];
		single[name] = Array.isArray(value) ? value[0] : value;
	}
	return single;
}

function transportError(error: unknown, { signal, timeoutMs }: ExchangeRequest, tookTooLong: boolean): TransportError {
	if (signal?.aborted) return new TransportError('The request was canceled', 'maybe', undefined, true);
	if (tookTooLong) return timedOut(timeoutMs);
	const failure = systemFailure(error);
	const [, status] = TUNNEL_REJECTED.exec(failure.message) ?? [];
	if (status === undefined) return connectionFailure(failure);
	return new TransportError(`the proxy did not connect to it (HTTP ${status})`, 'no', 'PROXY_REJECTED');
}

/** undici's words for a proxy that does not connect. The request has not left then. */
const TUNNEL_REJECTED = /^Proxy response \((\d+)\) !== 200 when HTTP Tunneling/;

function systemFailure(error: unknown): SystemFailure {
	// Node's errors may come from another realm, so their fields are read instead of their class.
	const whole = fieldsOf(error);
	// Happy eyeballs: one error for each address that was tried. The first one is used.
	const first = Array.isArray(whole.errors) ? fieldsOf(whole.errors[0]) : whole;
	const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
	return {
		code: text(whole.code) ?? text(first.code),
		syscall: text(whole.syscall) ?? text(first.syscall),
		message: text(whole.message) ?? text(first.message) ?? 'the connection failed',
	};
}

function fieldsOf(error: unknown): { code?: unknown; syscall?: unknown; message?: unknown; errors?: unknown } {
	return typeof error === 'object' && error !== null ? error : { message: String(error) };
}
