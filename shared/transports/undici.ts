import { Agent, request, type Dispatcher } from 'undici';
import { setTimeout as delay } from 'node:timers/promises';
import { mayHaveLeft, TransportError, type HttpRequest, type HttpResponse, type Transport } from '../transport';

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

function transportError(error: unknown, { signal, timeoutMs }: HttpRequest, timedOut: boolean): TransportError {
	if (signal?.aborted) return new TransportError('The call was cancelled', 'maybe', undefined, true);
	if (timedOut) return new TransportError(`no answer within ${timeoutMs} ms`, 'maybe', 'TIMEOUT');
	const { code, syscall, message } = systemError(error);
	return new TransportError(message, mayHaveLeft(code, syscall), code);
}

function systemError(error: unknown): { code?: string; syscall?: string; message: string } {
	if (!(error instanceof Error)) return { message: String(error) };
	// Happy eyeballs: one error for each address that was tried.
	const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
	const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
	const syscall = first instanceof Error && 'syscall' in first ? String(first.syscall) : undefined;
	const message = error.message || (first instanceof Error ? first.message : 'connection failed');
	return { code, syscall, message };
}
