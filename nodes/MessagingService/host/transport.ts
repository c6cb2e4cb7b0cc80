import {
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type ILoadOptionsFunctions,
	type IPollFunctions,
	type IWebhookFunctions,
	sleep,
} from 'n8n-workflow';
import {
	connectionFailure,
	timedOut,
	TransportError,
	type HttpRequest,
	type HttpResponse,
	type Transport,
} from '../../../shared';

/** The credential type that holds the API key. */
export const API_CREDENTIAL = 'messagingServiceApi';

/** The fields of this credential. */
export interface ApiCredential extends ICredentialDataDecryptedObject {
	baseUrl: string;
	apiKey: string;
}

/** The n8n contexts in which a node calls the service. */
export type CallingContext = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions | IWebhookFunctions;

/**
 * Makes a transport from n8n's own HTTP client, so that n8n's proxy, certificate and network settings apply. n8n adds
 * the header with the key from the credential.
 * @param credential the credential that was read for the run; without it, n8n would fetch and decrypt it for each
 * request
 */
export function n8nTransport(context: CallingContext, credential: ApiCredential): Transport {
	const credentialsDecrypted = { id: '', name: API_CREDENTIAL, type: API_CREDENTIAL, data: credential };
	return {
		send: async (request) => {
			const options = toOptions(request);
			if (request.withoutKey) return await responseTo(request, context.helpers.httpRequest(options));
			const sending = context.helpers.httpRequestWithAuthentication.call(context, API_CREDENTIAL, options, {
				credentialsDecrypted,
			});
			return await responseTo(request, sending);
		},
		sleep: abortableSleep,
	};
}

/** Makes a transport without a key, for public endpoints. */
export function openTransport(context: CallingContext): Transport {
	return {
		send: async (request) => await responseTo(request, context.helpers.httpRequest(toOptions(request))),
		sleep: abortableSleep,
	};
}

function toOptions(request: HttpRequest): IHttpRequestOptions {
	return {
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
}

/** Waits with n8n's timer. Rejects at once when the signal is aborted. */
export async function abortableSleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
	await unlessAborted(
		sleep(milliseconds),
		signal,
		() => new TransportError('The call was canceled', 'no', undefined, true),
	);
}

/**
 * Converts the result of n8n's HTTP helpers to a response of the transport. The helper's timeout counts only idle time,
 * so a slow body could block the node indefinitely. This limits the whole exchange.
 * @param sending the promise of the helper
 */
export async function responseTo(
	request: Pick<HttpRequest, 'signal' | 'timeoutMs'>,
	sending: Promise<unknown>,
): Promise<HttpResponse> {
	const answering = sending.then(
		toResponse,
		async (error: unknown) => await Promise.reject(toTransportError(error, request)),
	);
	return await unlessAborted(answering, AbortSignal.timeout(request.timeoutMs), () => timedOut(request.timeoutMs));
}

async function unlessAborted<T>(
	work: Promise<T>,
	signal: AbortSignal | undefined,
	reason: () => TransportError,
): Promise<T> {
	if (!signal) return await work;
	let abort: () => void = () => undefined;
	const aborted = new Promise<never>((_, reject) => {
		abort = () => reject(reason());
		if (signal.aborted) abort();
		else signal.addEventListener('abort', abort);
	});
	try {
		return await Promise.race([work, aborted]);
	} finally {
		signal.removeEventListener('abort', abort);
	}
}

function toResponse(response: unknown): HttpResponse {
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

function toTransportError(
	error: unknown,
	{ signal, timeoutMs }: Pick<HttpRequest, 'signal' | 'timeoutMs'>,
): TransportError {
	if (signal?.aborted) return new TransportError('The execution was canceled', 'maybe', undefined, true);
	const chain = causes(error);
	const [code, syscall] = [firstText(chain, 'code'), firstText(chain, 'syscall')];
	if (code === 'ECONNABORTED') return timedOut(timeoutMs);
	const message = firstText(chain.toReversed(), 'message') ?? 'the connection failed';
	// n8n's own protection against requests into its network: nothing was sent.
	if (chain.some(({ constructor }) => constructor.name.startsWith('Ssrf')))
		return new TransportError(message, 'no', code);
	return connectionFailure({ code, syscall, message });
}

function causes(error: unknown): object[] {
	const chain: object[] = [];
	for (let next = error; typeof next === 'object' && next !== null && chain.length < 8 && !chain.includes(next);) {
		chain.push(next);
		// Several addresses of one host failed. Use the first failure.
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
