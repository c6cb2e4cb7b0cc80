import type { Endpoint, InputOf, OutputOf } from '../contract/endpoint';
import { presentOf, TransportError, type HttpRequest, type HttpResponse, type Transport } from '../transport';
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

/** Everything that the calls of one client have in common. */
export interface Connection {
	readonly transport: Transport;
	/** Ends with a slash. */
	readonly baseUrl: string;
	/** Headers that authenticate; empty where the host adds them. */
	readonly headers: Readonly<Record<string, string>>;
	/** Longest time for one attempt, in milliseconds. */
	readonly timeoutMs: number;
	readonly retry: RetryPolicy;
	readonly hooks: Hooks;
	/** What no error and no log may show: the key. */
	readonly secrets: readonly string[];
	/** What the calls so far have shown. */
	readonly shown: { keyWorked: boolean };
}

/** What a single call may be given beside its input. */
export interface CallOptions {
	/** Ends the call, its waits included. */
	readonly signal?: AbortSignal;
	/** Ends only what has not left: waits, and what would follow them. */
	readonly waitSignal?: AbortSignal;
}

/**
 * Makes one call under the rules of `retry.ts` and tells what became of it; never throws for a failed call.
 * An input that the contract refuses is `rejected` with an `InputError`, and nothing leaves this machine.
 */
export async function call<E extends Endpoint>(
	connection: Connection,
	endpoint: E,
	input: InputOf<E>,
	options?: CallOptions,
): Promise<Outcome<OutputOf<E>>> {
	return (await callWithResponse(connection, endpoint, input, options)).outcome;
}

/** What became of a call, and the last response to it; none if the call did not leave or no response came. */
export interface CallWithResponse<Output> {
	readonly outcome: Outcome<Output>;
	readonly response?: HttpResponse;
}

/**
 * Makes one call as {@link call} does, and gives the response too, in which a list says where it goes on.
 * @param query of a page, beside the input: the contract does not know it, because the service does not show it
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
	const { secrets, shown: history } = connection;
	const about = () => ({ endpoint, input: parsed.data, secrets, keyWorked: history.keyWorked });
	const began = presentOf(transport);
	const decideOn = (attempt: Parameters<typeof decide>[1], number: number) =>
		decide(endpoint.repeat, attempt, number, presentOf(transport) - began, retry, Math.random());

	for (let number = 1; ; number++) {
		const left = presentOf(transport);
		emitRequest(hooks, endpoint, number, request, parsed.data);
		const result = await attempt(transport, authenticated);
		emitResponse(hooks, about(), number, result, presentOf(transport) - left);
		if (result instanceof TransportError) {
			const verdict = decideOn({ kind: 'no-answer', left: result.left, aborted: result.aborted }, number);
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
		const readable = reading.kind === 'refusal';
		const retryAfterMs = parseRetryAfter(result.headers['retry-after'], Date.now());
		const verdict = decideOn({ kind: 'answer', status: result.status, readable, retryAfterMs }, number);
		if (verdict.next !== 'retry') {
			return { outcome: failedByResponse(about(), result, reading, verdict.next === 'unknown'), response: result };
		}
		await wait(transport, verdict.waitMs, waitSignal);
	}
}

/** A misspelt or misplaced field would be left out in silence, such as a time that a single send does not know. */
function unknownKeys({ input }: Endpoint, given: Readonly<Record<string, unknown>>): string[] {
	if (input.def.catchall) return [];
	return Object.keys(given).filter((key) => given[key] !== undefined && !Object.hasOwn(input.shape, key));
}

async function attempt(transport: Transport, request: HttpRequest): Promise<HttpResponse | TransportError> {
	if (request.signal?.aborted || request.waitSignal?.aborted)
		return new TransportError('The call was cancelled', 'no', undefined, true);
	try {
		return await transport.send(request);
	} catch (error) {
		if (error instanceof TransportError) return error;
		const message = error instanceof Error ? error.message : String(error);
		return new TransportError(message, 'maybe', undefined);
	}
}

/** Ends early, without an error, when the signal is aborted: the next attempt then sees it. */
async function wait(transport: Transport, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
	await transport.sleep(milliseconds, signal).catch(() => undefined);
}
