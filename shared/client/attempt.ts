import { TransportError, type HttpRequest, type HttpResponse, type Transport } from '../transport';

/** Sends a request once. Every failure is a value. */
export async function attempt(transport: Transport, request: HttpRequest): Promise<HttpResponse | TransportError> {
	if (request.signal?.aborted || request.waitSignal?.aborted)
		return new TransportError('The request was canceled', 'no', undefined, true);
	try {
		return await transport.send(request);
	} catch (error) {
		if (error instanceof TransportError) return error;
		const message = error instanceof Error ? error.message : String(error);
		return new TransportError(message, 'maybe', undefined);
	}
}

/** Ends early and without an error if the signal is aborted; the next attempt checks the signal. */
export async function wait(transport: Transport, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
	await transport.sleep(milliseconds, signal).catch(() => undefined);
}
