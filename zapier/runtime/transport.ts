import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import type { ZObject } from 'zapier-platform-core';
import {
	connectionFailure,
	timedOut,
	TransportError,
	type HttpRequest,
	type HttpResponse,
	type Transport,
} from '../../shared';
import { WITHOUT_API_KEY } from './apiKey';

/**
 * Connections are closed after each request. Zapier freezes the process between two runs, and a connection that the
 * network forgot meanwhile would end the next send with an unknown outcome.
 */
const AGENTS = {
	http: new HttpAgent({ keepAlive: false }),
	https: new HttpsAgent({ keepAlive: false }),
};

/** Sends requests through Zapier's own HTTP client, which shows every call in the Zap's HTTP logs. */
export function zapierTransport(z: ZObject): Transport {
	return {
		send: (request) => sendRequest(z, request.withoutKey ? { ...request, middlewareData: WITHOUT_API_KEY } : request),
		sleep: async (milliseconds, signal) => await wait(milliseconds, undefined, { signal }),
	};
}

/** A request to the service or to a relay. */
export interface ZapierRequest extends Omit<HttpRequest, 'method'> {
	readonly method: HttpRequest['method'] | 'DELETE';
	/** Data for the app's own middleware. It is not sent. */
	readonly middlewareData?: Readonly<Record<string, unknown>>;
}

/**
 * Sends one request, without following redirects or retrying.
 * @returns the response with any status
 * @throws TransportError if there is no response
 */
export async function sendRequest(z: ZObject, request: ZapierRequest): Promise<HttpResponse> {
	// Zapier's client does not notice a response that breaks off, and its `timeout` restarts for the body. Without our
	// own timeout, Zapier would end the step, and no error would say that the message may have been sent.
	const timeout = new AbortController();
	const timer = setTimeout(() => timeout.abort(), request.timeoutMs);
	// A variable, because the type of z.request rejects unknown options in a literal.
	const options = {
		url: request.url,
		method: request.method,
		headers: { ...request.headers },
		body: request.body,
		// With merge, a message with {{bundle.…}} would throw, and an object as body would lose any {{…}}.
		merge: false,
		// The key must not follow a redirect to another host.
		redirect: 'manual' as const,
		// Our client handles every status, 429 included: its errors have the service's message and read dates.
		skipThrowForStatus: true,
		throwForThrottlingEarly: false,
		agent: request.url.startsWith('https:') ? AGENTS.https : AGENTS.http,
		signal: request.signal ? AbortSignal.any([request.signal, timeout.signal]) : timeout.signal,
		middlewareData: { ...request.middlewareData },
	};
	try {
		const response = await z.request(options);
		return { status: response.status, headers: Object.fromEntries(response.headers), body: response.content };
	} catch (error) {
		throw toTransportError(error, request, timeout.signal.aborted);
	} finally {
		clearTimeout(timer);
	}
}

function toTransportError(error: unknown, request: ZapierRequest, tookTooLong: boolean): TransportError {
	if (request.signal?.aborted) return new TransportError('The call was canceled', 'maybe', undefined, true);
	if (tookTooLong) return timedOut(request.timeoutMs);
	const { code, message } = fieldsOf(error);
	// Zapier's client puts the system's message behind the URL. Only that message names the system call.
	const reason = message?.split('reason: ').slice(1).join('reason: ');
	const syscall = reason?.startsWith('connect ') ? 'connect' : undefined;
	return connectionFailure({ code, syscall, message: reason || (code ?? 'the connection failed') });
}

function fieldsOf(error: unknown): { readonly code?: string; readonly message?: string } {
	// Node's errors may come from another realm, so `instanceof` does not work.
	const { code, message }: { code?: unknown; message?: unknown } =
		typeof error === 'object' && error !== null ? error : {};
	const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
	return { code: text(code), message: text(message) };
}
