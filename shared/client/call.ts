import type { Endpoint, InputOf, OutputOf } from '../contract/endpoint';
import { nowOf, TransportError, type HttpRequest, type HttpResponse, type Transport } from '../transport';
import { emitRequest, emitResponse, type Hooks } from './hooks';
import {
	failedByResponse,
	failedByConnection,
	failedByInput,
	readResponse,
	unknownFields,
	type Outcome,
} from './outcome';
import { buildRequest } from './request';
import { decide, parseRetryAfter, type RetryPolicy } from './retry';

/** The settings that all calls of one client share. */
export interface Connection {
	readonly transport: Transport;
	/** Ends with a slash. */
	readonly baseUrl: string;
	/** Headers that authenticate; empty if the host adds them. */
	readonly headers: Readonly<Record<string, string>>;
	/** Time limit of one attempt, in milliseconds. */
	readonly timeoutMs: number;
	readonly retry: RetryPolicy;
	readonly hooks: Hooks;
	/** Values that errors and logs must not show: the key. */
	readonly secrets: readonly string[];
	/** Findings of earlier calls. */
	readonly history: { keyWorked: boolean };
}

/**
 * Options of one call.
 * @example await client.sms.send(input, { signal: AbortSignal.timeout(60_000) });
 */
export interface CallOptions {
	/** Ends the call, its waits included. */
	readonly signal?: AbortSignal;
	/** Ends waits and later attempts, but not a request in flight. */
	readonly waitSignal?: AbortSignal;
}

/**
 * Makes one call under the retry rules of `retry.ts`, and returns its outcome; never throws for a failed call.
 * An input that the contract rejects is `rejected` with an `InputError`, and no request is made.
 */
export async function call<E extends Endpoint>(
	connection: Connection,
	endpoint: E,
	input: InputOf<E>,
	options?: CallOptions,
): Promise<Outcome<OutputOf<E>>> {
	return (await callWithResponse(connection, endpoint, input, options)).outcome;
}

/** The outcome of a call, and the last response; none if no request left or no response came. */
export interface CallWithResponse<Output> {
	readonly outcome: Outcome<Output>;
	readonly response?: HttpResponse;
}

/**
 * Makes one call as {@link call} does, and also returns the response, which may name the next page of a list.
 * @param query of a page, beside the input; undocumented, so not in the contract (docs/api.md#lists)
 */
export async function callWithResponse<E extends Endpoint>(
	connection: Connection,
	endpoint: E,
	input: Readonly<Record<string, unknown>>,
	{ signal, waitSignal = signal }: CallOptions = {},
	query: Readonly<Record<string, string>> = {},
): Promise<CallWithResponse<OutputOf<E>>> {
	const parsed = endpoint.input.safeParse(input);
	if (!parsed.success) return { outcome: failedByInput(endpoint, parsed.error) };
	const unknown = unknownKeys(endpoint, input);
	if (unknown.length > 0) return { outcome: unknownFields(endpoint, unknown) };

	const { transport, retry, hooks } = connection;
	const request = buildRequest(endpoint, { ...parsed.data, ...query }, connection.baseUrl, connection.timeoutMs);
	const authenticated = { ...request, headers: { ...request.headers, ...connection.headers }, signal, waitSignal };
	const { secrets, history } = connection;
	const about = () => ({ endpoint, input: parsed.data, secrets, keyWorked: history.keyWorked });
	const began = nowOf(transport);
	const decideOn = (attempt: Parameters<typeof decide>[1], number: number) =>
		decide(endpoint.repeat, attempt, number, nowOf(transport) - began, retry, Math.random());

	for (let number = 1; ; number++) {
		const left = nowOf(transport);
		emitRequest(hooks, endpoint, number, request, parsed.data);
		const result = await attempt(transport, authenticated);
		emitResponse(hooks, about(), number, result, nowOf(transport) - left);
		if (result instanceof TransportError) {
			const verdict = decideOn({ kind: 'no-response', left: result.left, aborted: result.aborted }, number);
			if (verdict.next !== 'retry') {
				return { outcome: failedByConnection(about(), result, verdict.next === 'unknown') };
			}
			await wait(transport, verdict.waitMs, waitSignal);
			continue;
		}
		const reading = readResponse(endpoint, result, parsed.data);
		if (reading.kind === 'output') {
			history.keyWorked = true;
			return { outcome: { outcome: 'accepted', output: reading.output }, response: result };
		}
		const readable = reading.kind === 'rejection';
		const retryAfterMs = parseRetryAfter(result.headers['retry-after'], Date.now());
		const verdict = decideOn({ kind: 'response', status: result.status, readable, retryAfterMs }, number);
		if (verdict.next !== 'retry') {
			return { outcome: failedByResponse(about(), result, reading, verdict.next === 'unknown'), response: result };
		}
		await wait(transport, verdict.waitMs, waitSignal);
	}
}

/** Without this check, a misspelled or misplaced field would be ignored, such as a send time on a single send. */
function unknownKeys({ input }: Endpoint, given: Readonly<Record<string, unknown>>): string[] {
	if (input.def.catchall) return [];
	return Object.keys(given).filter((key) => given[key] !== undefined && !Object.hasOwn(input.shape, key));
}

async function attempt(transport: Transport, request: HttpRequest): Promise<HttpResponse | TransportError> {
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
async function wait(transport: Transport, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
	await transport.sleep(milliseconds, signal).catch(() => undefined);
}
