import type { z } from 'zod/v4';
import type { Endpoint, InputOf, OutputOf } from '../contract/endpoint';
import type { ErrorCode } from '../contract/errors';
import { TransportError, type HttpResponse, type Transport } from '../transport';
import { findAnswer, parseJson, successFlag } from './answer';
import {
	ApiError,
	AuthError,
	ConnectionError,
	ContractError,
	InputError,
	InsufficientBalanceError,
	OptedOutError,
	RateLimitError,
	UnknownOutcomeError,
	type ServiceError,
} from './errors';
import { meaningOf, readRefusal, redact } from './refusal';
import { buildRequest } from './request';
import { decide, parseRetryAfter, type Attempt, type RetryPolicy } from './retry';

/** What became of a call. An `unknown` one may have been accepted and charged; it is never repeated by us. */
export type Outcome<Output> =
	| { readonly outcome: 'accepted'; readonly output: Output }
	| { readonly outcome: 'rejected'; readonly error: ServiceError }
	| { readonly outcome: 'unknown'; readonly error: ServiceError };

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
}

/** What a single call may be given beside its input. */
export interface CallOptions {
	/** Ends the call, its waits included. */
	readonly signal?: AbortSignal;
}

const UNKNOWN_HINT =
	'It may have been accepted and charged. Look for it in the message history of the dashboard before you send it again.';

/**
 * Makes one call under the rules of `retry.ts` and tells what became of it; never throws for a failed call.
 * An input that the contract refuses is `rejected` with an {@link InputError}, and nothing leaves this machine.
 */
export async function call<E extends Endpoint>(
	connection: Connection,
	endpoint: E,
	input: InputOf<E>,
	options: CallOptions = {},
): Promise<Outcome<OutputOf<E>>> {
	const parsed = endpoint.input.safeParse(input);
	if (!parsed.success) return { outcome: 'rejected', error: inputError(endpoint, parsed.error) };

	const { transport, retry } = connection;
	const request = buildRequest(endpoint, parsed.data, connection.baseUrl, connection.timeoutMs);
	const authenticated = { ...request, headers: { ...request.headers, ...connection.headers }, signal: options.signal };
	const began = Date.now();
	for (let number = 1; ; number++) {
		const result = options.signal?.aborted
			? new TransportError('The call was cancelled', 'no', undefined, true)
			: await attempt(transport, authenticated);
		const happened = result instanceof TransportError ? noAnswer(result) : answered(endpoint, result);
		const verdict = decide(endpoint.repeat, happened, number, Date.now() - began, retry, Math.random());
		if (verdict.next === 'retry') {
			await transport.sleep(verdict.waitMs, options.signal).catch(() => undefined);
			continue;
		}
		if (result instanceof TransportError) return failedConnection(endpoint, result, verdict.next === 'unknown');
		return readAnswer(endpoint, result, parsed.data, verdict.next);
	}
}

async function attempt(
	transport: Transport,
	request: Parameters<Transport['send']>[0],
): Promise<HttpResponse | TransportError> {
	try {
		return await transport.send(request);
	} catch (error) {
		if (error instanceof TransportError) return error;
		const message = error instanceof Error ? error.message : String(error);
		return new TransportError(message, 'maybe', undefined);
	}
}

function noAnswer(error: TransportError): Attempt {
	return { kind: 'no-answer', left: error.left, aborted: error.aborted };
}

function answered(endpoint: Endpoint, response: HttpResponse): Attempt {
	const json = parseJson(response.body);
	const readable =
		json !== undefined && (successFlag(json.value) === false || parseOutput(endpoint, json.value).success);
	const retryAfterMs = parseRetryAfter(response.headers['retry-after'], Date.now());
	return { kind: 'answer', status: response.status, readable, retryAfterMs };
}

function parseOutput(endpoint: Endpoint, body: unknown): z.ZodSafeParseResult<unknown> {
	return endpoint.output.safeParse(findAnswer(endpoint, body));
}

function readAnswer<E extends Endpoint>(
	endpoint: E,
	response: HttpResponse,
	input: Readonly<Record<string, unknown>>,
	verdict: 'done' | 'rejected' | 'unknown',
): Outcome<OutputOf<E>> {
	const { status } = response;
	if (status < 200 || status >= 300) return refused(endpoint, response, input, verdict === 'unknown');
	const json = parseJson(response.body);
	const flag = successFlag(json?.value);
	if (flag === false) return refused(endpoint, response, input, false);
	const output = endpoint.output.safeParse(findAnswer(endpoint, json?.value));
	// The schema of an endpoint is what its output type is inferred from; a generic E hides that from the compiler.
	if (json && output.success) return { outcome: 'accepted', output: output.data as OutputOf<E> };
	return unreadable(endpoint, status, json?.value ?? response.body, flag);
}

function refused(
	endpoint: Endpoint,
	response: HttpResponse,
	input: Readonly<Record<string, unknown>>,
	unknown: boolean,
): { outcome: 'rejected' | 'unknown'; error: ServiceError } {
	const { status } = response;
	if (status >= 300 && status < 400) return { outcome: 'rejected', error: redirected(endpoint, response) };
	const refusal = readRefusal(status, response.body);
	const meaning = meaningOf(endpoint, status, refusal);
	const retryAfterMs = parseRetryAfter(response.headers['retry-after'], Date.now());
	const message = redact(refusal.message, input);
	const details = { endpoint: endpoint.id, status, code: refusal.code, meaning, retryAfterMs };
	if (unknown) {
		return {
			outcome: 'unknown',
			error: new UnknownOutcomeError(message, { ...details, sent: 'unknown', hint: UNKNOWN_HINT }),
		};
	}
	const hint = hintFor(endpoint, meaning, retryAfterMs);
	return { outcome: 'rejected', error: new (errorClass(meaning))(message, { ...details, sent: 'no', hint }) };
}

function errorClass(meaning: ErrorCode | undefined): typeof ApiError {
	if (meaning === 'invalid_key') return AuthError;
	if (meaning === 'insufficient_balance') return InsufficientBalanceError;
	if (meaning === 'opted_out') return OptedOutError;
	if (meaning === 'rate_limited') return RateLimitError;
	return ApiError;
}

function hintFor(endpoint: Endpoint, meaning: ErrorCode | undefined, retryAfterMs: number | undefined): string {
	const free = endpoint.charges ? ' Nothing was charged.' : '';
	switch (meaning) {
		case 'invalid_key':
			return 'Check the API key: it may have been mistyped, rotated or revoked in the dashboard, or belong to another base URL.';
		case 'insufficient_balance':
			return `Top up the wallet, then send again.${free}`;
		case 'opted_out':
			return `The recipient has opted out of your messages: take the number off your list.${free}`;
		case 'not_found':
			return 'Check the ID, and that the base URL is the one of your service and ends in /api/v1/.';
		case 'rate_limited':
			return `Send more slowly${retryAfterMs === undefined ? '' : `, next in ${Math.ceil(retryAfterMs / 1000)} s`}.${free}`;
		case 'server_error':
			return 'The service has trouble of its own: try again later.';
		default:
			return `Correct what the service names, then try again.${free}`;
	}
}

function redirected(endpoint: Endpoint, response: HttpResponse): ServiceError {
	const { location } = response.headers;
	const target = location && URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
	return new ApiError(`The base URL is wrong: it redirects${target} instead of answering`, {
		endpoint: endpoint.id,
		sent: 'no',
		status: response.status,
		hint: 'Give the address that the service itself answers at, with https:// and up to /api/v1/. Nothing was sent on to the other address.',
	});
}

function unreadable(
	endpoint: Endpoint,
	status: number,
	answer: unknown,
	success: boolean | undefined,
): { outcome: 'rejected' | 'unknown'; error: ServiceError } {
	const details = { endpoint: endpoint.id, status };
	if (endpoint.repeat === 'safe') {
		const message = `The service answered ${status} in a shape that is not documented`;
		const hint = 'Check that the base URL is the one of your service and ends in /api/v1/.';
		return { outcome: 'rejected', error: new ContractError(message, { ...details, sent: 'no', hint }, answer) };
	}
	const accepted = success === true;
	const message = accepted
		? `The service accepted the call, but answered ${status} in a shape that is not documented`
		: `The service answered ${status}, but not with a result that can be read`;
	const sent = accepted ? 'yes' : 'unknown';
	return { outcome: 'unknown', error: new ContractError(message, { ...details, sent, hint: UNKNOWN_HINT }, answer) };
}

function failedConnection(
	endpoint: Endpoint,
	failure: TransportError,
	unknown: boolean,
): { outcome: 'rejected' | 'unknown'; error: ServiceError } {
	const details = { endpoint: endpoint.id, code: failure.code };
	if (unknown) {
		const message = `No answer came from the service: ${failure.message}`;
		return {
			outcome: 'unknown',
			error: new UnknownOutcomeError(message, { ...details, sent: 'unknown', hint: UNKNOWN_HINT }),
		};
	}
	const hint = failure.aborted
		? 'Nothing was sent and nothing was charged.'
		: 'Check the base URL and the network between here and the service. Nothing was charged.';
	const message = failure.aborted ? failure.message : `The service could not be reached: ${failure.message}`;
	return { outcome: 'rejected', error: new ConnectionError(message, { ...details, sent: 'no', hint }) };
}

function inputError(endpoint: Endpoint, error: z.ZodError): InputError {
	const issues = error.issues.map(({ path, message, code }) => {
		const field = path.join('.') || 'input';
		return { field, message: code === 'invalid_type' ? `is missing or of the wrong type (${message})` : message };
	});
	return new InputError(endpoint.id, issues);
}
