import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
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

/** What it holds. */
export interface ApiCredential extends ICredentialDataDecryptedObject {
	baseUrl: string;
	apiKey: string;
}

/** Where n8n runs a node that calls the service. */
export type CallingContext = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions | IWebhookFunctions;

/**
 * Fills the port with n8n's own HTTP client, so that its proxy, certificate and network settings hold. n8n adds the
 * header with the key from the credential.
 * @param credential as it was read for the run: n8n would fetch and decrypt it again for each request
 */
export function n8nTransport(context: CallingContext, credential: ApiCredential): Transport {
	const credentialsDecrypted = { id: '', name: API_CREDENTIAL, type: API_CREDENTIAL, data: credential };
	return {
		send: async (request) => {
			const options = toOptions(request);
			const sending = context.helpers.httpRequestWithAuthentication.call(context, API_CREDENTIAL, options, {
				credentialsDecrypted,
			});
			return await responseTo(request, sending);
		},
		sleep: abortableSleep,
	};
}

/** The same without a key, for what is open to everybody. */
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

/** Waits that many milliseconds with n8n's timer; rejects at once when the signal is aborted. */
export async function abortableSleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
	await unlessAborted(
		sleep(milliseconds),
		signal,
		() => new TransportError('The call was cancelled', 'no', undefined, true),
	);
}

/**
 * Reads what one of n8n's HTTP helpers gives for a request, as the port has it. The helper's own timeout counts idle
 * time only, so that a body that trickles in would hold the node for ever: here the whole exchange is bounded.
 * @param sending what the helper returned
 */
export async function responseTo(request: HttpRequest, sending: Promise<unknown>): Promise<HttpResponse> {
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

function toTransportError(error: unknown, { signal, timeoutMs }: HttpRequest): TransportError {
	if (signal?.aborted) return new TransportError('The execution was cancelled', 'maybe', undefined, true);
	const chain = causes(error);
	const [code, syscall] = [firstText(chain, 'code'), firstText(chain, 'syscall')];
	if (code === 'ECONNABORTED') return timedOut(timeoutMs);
	const message = firstText(chain.toReversed(), 'message') ?? 'the connection failed';
	// n8n's own guard against calls into its network, before anything leaves.
	if (chain.some(({ constructor }) => constructor.name.startsWith('Ssrf')))
		return new TransportError(message, 'no', code);
	return connectionFailure({ code, syscall, message });
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
