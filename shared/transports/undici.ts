import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type Dispatcher } from 'undici';
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

/** Creates a dispatcher that repeats no request, with connections that stay open. */
export function undiciDispatcher(): Dispatcher {
	return new Agent({ allowH2: false, maxResponseSize: MOST_BYTES });
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
	return tookTooLong ? timedOut(timeoutMs) : connectionFailure(systemFailure(error));
}

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
