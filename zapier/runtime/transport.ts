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

/** Fills the port with Zapier's own HTTP client, so that every call shows in the HTTP logs of the Zap. */
export function zapierTransport(z: ZObject): Transport {
	return {
		send: (request) => send(z, request),
		sleep: async (milliseconds, signal) => await wait(milliseconds, undefined, { signal }),
	};
}

async function send(z: ZObject, request: HttpRequest): Promise<HttpResponse> {
	// Zapier's client notices no answer that breaks off, and its own `timeout` begins anew for the body: without a
	// limit of ours the step would be ended from outside, and nobody would learn that a text may be on its way.
	const timeout = new AbortController();
	const timer = setTimeout(() => timeout.abort(), request.timeoutMs);
	// Not written into the call, since the type of z.request does not know all of them.
	const options = {
		url: request.url,
		method: request.method,
		headers: { ...request.headers },
		body: request.body,
		// Merging would throw for a text that has {{bundle.…}} in it; a body that is an object would lose any {{…}}.
		merge: false,
		// The key must not follow a redirect to another host.
		redirect: 'manual' as const,
		// Every status is an answer, 429 included: our error for it has the service's words and reads dates.
		skipThrowForStatus: true,
		throwForThrottlingEarly: false,
		signal: request.signal ? AbortSignal.any([request.signal, timeout.signal]) : timeout.signal,
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

function toTransportError(error: unknown, request: HttpRequest, tookTooLong: boolean): TransportError {
	if (request.signal?.aborted) return new TransportError('The call was cancelled', 'maybe', undefined, true);
	if (tookTooLong) return timedOut(request.timeoutMs);
	const { code, message } = fieldsOf(error);
	// Zapier's client keeps the system's words behind the URL, and of the system call nothing but these words.
	const words = message?.split('reason: ').slice(1).join('reason: ');
	const syscall = words?.startsWith('connect ') ? 'connect' : undefined;
	return connectionFailure({ code, syscall, message: words || (code ?? 'the connection failed') });
}

function fieldsOf(error: unknown): { readonly code?: string; readonly message?: string } {
	// Node's own errors may come from another realm, so their fields are read instead of their class.
	const { code, message }: { code?: unknown; message?: unknown } =
		typeof error === 'object' && error !== null ? error : {};
	const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
	return { code: text(code), message: text(message) };
}
