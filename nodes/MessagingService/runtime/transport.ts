import type { IExecuteFunctions, IHttpRequestOptions, ILoadOptionsFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
import { mayHaveLeft, TransportError, type HttpRequest, type HttpResponse, type Transport } from '../../../shared';

/** The credential type that holds the API key. */
export const API_CREDENTIAL = 'messagingServiceApi';

/**
 * Fills the port with n8n's own HTTP client, so that its proxy, certificate and network settings hold. n8n adds the
 * header with the key from the credential.
 */
export function n8nTransport(context: IExecuteFunctions | ILoadOptionsFunctions): Transport {
	return {
		send: async (request) => {
			const options: IHttpRequestOptions = {
				method: request.method,
				url: request.url,
				headers: { ...request.headers },
				body: request.body,
				encoding: 'text',
				json: false,
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				disableFollowRedirect: true,
				timeout: request.timeoutMs,
			};
			return await context.helpers.httpRequestWithAuthentication
				.call(context, API_CREDENTIAL, options)
				.then(toResponse, async (error: unknown) => await Promise.reject(toTransportError(error, request)));
		},
		sleep: abortableSleep,
	};
}

/** Waits that many milliseconds with n8n's timer; rejects at once when the signal is aborted. */
export async function abortableSleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
	if (!signal) return await sleep(milliseconds);
	const aborted = new Promise<never>((_, reject) => {
		signal.addEventListener(
			'abort',
			() => reject(new TransportError('The call was cancelled', 'no', undefined, true)),
			{
				once: true,
			},
		);
	});
	await Promise.race([sleep(milliseconds), aborted]);
}

/**
 * Reads the full response of any of n8n's HTTP helpers.
 * @param response as the helper gave it
 */
export function toResponse(response: unknown): HttpResponse {
	const { statusCode, headers, body } = Object(response) as { statusCode?: unknown; headers?: unknown; body?: unknown };
	const named = Object.entries(Object(headers) as Record<string, unknown>).map(([name, value]) => [
		name.toLowerCase(),
		Array.isArray(value) ? String(value[0]) : String(value),
	]);
	return {
		status: Number(statusCode),
		headers: Object.fromEntries(named),
		body: typeof body === 'string' ? body : JSON.stringify(body ?? ''),
	};
}

/** Turns what n8n's HTTP helpers throw when no answer came into the port's error; reads the chain of causes. */
export function toTransportError(error: unknown, request: Pick<HttpRequest, 'signal' | 'timeoutMs'>): TransportError {
	const chain = causes(error);
	if (request.signal?.aborted) return new TransportError('The execution was cancelled', 'maybe', undefined, true);
	const code = firstText(chain, 'code');
	const syscall = firstText(chain, 'syscall');
	if (code === 'ECONNABORTED') return new TransportError(`no answer within ${request.timeoutMs} ms`, 'maybe', code);
	const message = firstText(chain.toReversed(), 'message') ?? 'the connection failed';
	return new TransportError(message, mayHaveLeft(code, syscall), code);
}

function causes(error: unknown): object[] {
	const chain: object[] = [];
	for (let next = error; typeof next === 'object' && next !== null && chain.length < 8 && !chain.includes(next); ) {
		chain.push(next);
		// Several addresses of one host were tried: the first failure stands for all.
		if (next instanceof AggregateError && next.errors[0]) chain.push(Object(next.errors[0]) as object);
		next = 'cause' in next ? next.cause : undefined;
	}
	return chain;
}

function firstText(chain: readonly object[], key: string): string | undefined {
	for (const link of chain) {
		const value: unknown = Reflect.get(link, key);
		if (typeof value === 'string' && value !== '') return value;
	}
	return undefined;
}
