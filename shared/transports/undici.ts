import { Agent, request, type Dispatcher } from 'undici';
import { setTimeout as delay } from 'node:timers/promises';
import {
	connectionFailure,
	timedOut,
	TransportError,
	type HttpRequest,
	type HttpResponse,
	type SystemFailure,
	type Transport,
} from '../transport';

/** What an undici transport may be given. */
export interface UndiciTransportOptions {
	/** Where requests go through; an own keep-alive agent unless given. */
	readonly dispatcher?: Dispatcher;
}

/** Fills the port with undici, for plain Node: scripts, tests, the sandbox's outgoing calls, direct use. */
export function undiciTransport(options: UndiciTransportOptions = {}): Transport {
	const dispatcher = options.dispatcher ?? new Agent();
	return {
		send: (httpRequest) => send(dispatcher, httpRequest),
		sleep: async (milliseconds, signal) => {
			await delay(milliseconds, undefined, { signal });
		},
	};
}

async function send(dispatcher: Dispatcher, httpRequest: HttpRequest): Promise<HttpResponse> {
	const timeout = AbortSignal.timeout(httpRequest.timeoutMs);
	const signal = httpRequest.signal ? AbortSignal.any([httpRequest.signal, timeout]) : timeout;
	try {
		const response = await request(httpRequest.url, {
			dispatcher,
			method: httpRequest.method,
			headers: httpRequest.headers,
			body: httpRequest.body,
			signal,
		});
		const headers = Object.fromEntries(
			Object.entries(response.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
		);
		// A body that breaks off leaves a status that still says whether the call was refused.
		const body = await response.body.text().catch(() => undefined);
		return { status: response.statusCode, headers, body };
	} catch (error) {
		throw transportError(error, httpRequest, timeout.aborted);
	}
}

function transportError(error: unknown, { signal, timeoutMs }: HttpRequest, tookTooLong: boolean): TransportError {
	if (signal?.aborted) return new TransportError('The call was cancelled', 'maybe', undefined, true);
	return tookTooLong ? timedOut(timeoutMs) : connectionFailure(systemFailure(error));
}

function systemFailure(error: unknown): SystemFailure {
	// Node's own errors may come from another realm, so their fields are read instead of their class.
	const whole = fieldsOf(error);
	// Happy eyeballs: one error for each address that was tried; the first stands for all.
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
