import type { Endpoint, InputOf, OutputOf } from '../contract/endpoint';
import { nowOf, TransportError, type HttpResponse } from '../transport';
import { attempt, wait } from './attempt';
import { checkInput } from './checkInput';
import type { CallOptions, Connection } from './connection';
import type { InputIssue } from './errors';
import { keyedParts } from './idempotencyKeys';
import { keyedCall } from './keyedCall';
import { failedByResponse, failedByConnection, failedByOption, type Outcome } from './outcome';
import { readResponse } from '../reading/response';
import { buildRequest } from './request';
import { decide, parseRetryAfter } from './retry';

/**
 * Makes one call under the retry rules of `retry.ts`, and returns its outcome; never throws for a failed call.
 * An input that the contract rejects is `rejected` with an `InputError`, and no request is made. Through a relay, a call
 * that may cost something has an idempotency key.
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
	options: CallOptions = {},
	query: Readonly<Record<string, string>> = {},
): Promise<CallWithResponse<OutputOf<E>>> {
	const {
		signal,
		waitSignal = signal,
		idempotencyKey,
		recipientKey,
		idempotencyKeys,
		keyMaxAgeSeconds,
		movedFrom,
	} = options;
	const checked = checkInput(endpoint, input);
	if (!checked.ok) return { outcome: checked.failed };
	const { data } = checked;
	const { relay } = connection;
	const relayOptions = [idempotencyKey, recipientKey, idempotencyKeys, keyMaxAgeSeconds, movedFrom];
	if (!relay && relayOptions.some((one) => one !== undefined)) {
		return { outcome: failedByOption(endpoint, NEEDS_RELAY) };
	}
	if (relay && endpoint.repeat === 'once') {
		const keys = keyedParts(endpoint, data, options);
		if ('issue' in keys) return { outcome: failedByOption(endpoint, keys.issue) };
		return await keyedCall(connection, relay, endpoint, data, keys, options);
	}

	const { transport, retry } = connection;
	const request = buildRequest(endpoint, { ...data, ...query }, connection.baseUrl, connection.timeoutMs);
	const authenticated = { ...request, headers: { ...request.headers, ...connection.headers }, signal, waitSignal };
	const { secrets, history } = connection;
	const about = () => ({ endpoint, input: data, secrets, keyWorked: history.keyWorked });
	const began = nowOf(transport);
	const decideOn = (attempt: Parameters<typeof decide>[1], number: number) =>
		decide(endpoint.repeat, attempt, number, nowOf(transport) - began, retry, Math.random());

	for (let number = 1; ; number++) {
		const result = await attempt(transport, authenticated);
		if (result instanceof TransportError) {
			const verdict = decideOn({ kind: 'no-response', left: result.left, aborted: result.aborted }, number);
			if (verdict.next !== 'retry') {
				return { outcome: failedByConnection(about(), result, verdict.next === 'unknown') };
			}
			await wait(transport, verdict.waitMs, waitSignal);
			continue;
		}
		const reading = readResponse(endpoint, result, data);
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

/** The service does not know idempotency keys, so it would send again. */
const NEEDS_RELAY: InputIssue = {
	field: 'idempotencyKey',
	message: 'works only through a relay: turn on the relay, or leave out the key',
};
