import { errorText, UnknownOutcomeError, unknownHint, type Endpoint } from '../../shared/index';
import type { ApiKeys } from './apiKeys';
import type { GatewayErrorCode } from './errors';
import type { Forwarded, OutcomeName, ServiceResponse } from './service';

/** The response to a call. */
export interface Reply {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string | Uint8Array<ArrayBuffer> | null;
	/**
	 * The outcome of the message: that of this call or, with an idempotency key, of the send that has the key. Undefined if
	 * the relay does not know whether an earlier call with the key was accepted.
	 */
	readonly outcome: OutcomeName | undefined;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** Seconds after which a caller may try again. */
const RETRY_AFTER = '1';

/** The parts of an error. */
interface ErrorParts {
	readonly status: number;
	readonly code: GatewayErrorCode;
	readonly message: string;
	readonly outcome: OutcomeName | undefined;
	readonly retryAfter?: string;
	/** The field at fault. */
	readonly field?: string;
	/** The ID of the send that a person can settle. */
	readonly send?: string;
	/** Why the outcome is unknown, for a client that words the next step itself. */
	readonly cause?: string;
}

/** Makes a reply of the relay itself, in the form of all its errors. */
export function errorReply({ status, code, message, outcome, retryAfter, ...details }: ErrorParts): Reply {
	// JSON leaves out details that are undefined.
	const error = { code, message, ...details };
	const headers = { ...JSON_TYPE, ...(retryAfter !== undefined && { 'retry-after': retryAfter }) };
	return { status, headers, body: JSON.stringify({ error }), outcome };
}

/** A reply in JSON. */
export function jsonReply(status: number, body: string, outcome: OutcomeName, isReplay: boolean): Reply {
	return { status, headers: { ...JSON_TYPE, ...(isReplay && { 'idempotent-replayed': 'true' }) }, body, outcome };
}

/** Headers of the service that the caller gets. Cookies, for one, would belong to the relay's own pages. */
const PASSED = new Set([
	...['content-type', 'content-language', 'content-encoding', 'retry-after', 'location', 'link', 'etag'],
	...['last-modified', 'cache-control', 'www-authenticate', 'x-request-id', 'x-total-count'],
]);

const RATE_LIMIT = /^(x-)?rate-?limit/;

function passedHeaders({ headers }: ServiceResponse): Record<string, string> {
	const passed: Record<string, string> = {};
	for (const [name, value] of Object.entries(headers)) {
		if (value === undefined || !(PASSED.has(name) || RATE_LIMIT.test(name))) continue;
		passed[name] = Array.isArray(value) ? value.join(', ') : value;
	}
	return passed;
}

/** The outcome is unknown. The endpoint has its own words for the doubt. */
export function unknownReply(endpoint: Endpoint, cause: string, send?: string, status = 502): Reply {
	const error = new UnknownOutcomeError(cause, { endpoint: endpoint.id, sent: 'unknown', hint: unknownHint(endpoint) });
	const next = send === undefined ? '' : ` Then settle ${send} in the relay.`;
	return errorReply({
		status,
		code: 'outcome_unknown',
		message: `${errorText(error)}${next}`,
		outcome: 'unknown',
		cause,
		send,
	});
}

/**
 * Makes the reply to a forwarded call.
 * @param send the ID of its send, if it has an idempotency key
 * @param changed the body to return instead of the service's
 */
export function forwardedReply(endpoint: Endpoint, forwarded: Forwarded, send?: string, changed?: string): Reply {
	const { outcome } = forwarded;
	const isOnce = endpoint.repeat === 'once';
	const nothingSent = isOnce ? ' Nothing was sent or charged.' : '';
	switch (forwarded.kind) {
		case 'response': {
			const { status, bytes } = forwarded.response;
			const isComplete = bytes !== undefined && status >= 200 && status <= 599;
			if (isComplete) {
				const isEmpty = status === 204 || status === 205 || status === 304;
				return {
					status,
					headers: passedHeaders(forwarded.response),
					body: isEmpty ? null : (changed ?? bytes),
					outcome,
				};
			}
			if (outcome === 'unknown') return unknownReply(endpoint, 'The response of the service was incomplete', send);
			return errorReply({
				status: status >= 400 && status <= 599 ? status : 502,
				code: 'incomplete_response',
				message: `The response of the service (HTTP ${status}) was incomplete.${nothingSent}`,
				outcome,
			});
		}
		case 'no_response': {
			const { code = 'no response' } = forwarded.failure;
			const tookTooLong = code === 'TIMEOUT';
			const status = tookTooLong ? 504 : 502;
			if (outcome === 'unknown') {
				const cause = tookTooLong
					? 'The service did not respond in time'
					: `The connection to the service was lost (${code})`;
				return unknownReply(endpoint, cause, send, status);
			}
			return errorReply({
				status,
				code: tookTooLong ? 'service_timeout' : 'service_unreachable',
				message: tookTooLong
					? 'The service did not respond in time. Try again later.'
					: `The relay could not reach the service (${code}). Check RELAY_SERVICE_URL and the network of the relay.${nothingSent}`,
				outcome,
			});
		}
		case 'paused': {
			const seconds = Math.max(1, Math.ceil(forwarded.retryAfterMs / 1000));
			return errorReply({
				status: 429,
				code: 'rate_limited',
				message: `The rate limit of the account is reached. Try again later, and more slowly.${nothingSent}`,
				outcome,
				retryAfter: String(seconds),
			});
		}
		case 'late':
			return errorReply({
				status: 503,
				code: 'not_forwarded',
				message: `The relay did not forward this call, because its time was over or the relay stops. Try again.${nothingSent}`,
				outcome,
				retryAfter: RETRY_AFTER,
			});
	}
}

/** The key is in use by a call that is in flight. */
export function inUseReply(): Reply {
	return errorReply({
		status: 409,
		code: 'idempotency_key_in_use',
		message: 'Another call with this idempotency key is in flight. Wait, then repeat the call with the same key.',
		outcome: 'unknown',
		retryAfter: RETRY_AFTER,
	});
}

/**
 * A later attempt of the call was rejected, so this one is not forwarded. It has no outcome, because the attempts between
 * them may have one.
 */
export function overtakenReply(): Reply {
	return errorReply({
		status: 409,
		code: 'attempt_overtaken',
		message: 'A later attempt of this call was rejected, so the relay did not forward this one.',
		outcome: undefined,
	});
}

/** The response to a caller that only asks for a relay. Its headers are the response. */
export function presentReply(): Reply {
	return { status: 204, headers: { 'cache-control': 'no-store' }, body: null, outcome: undefined };
}

/** The call comes from this relay, so it would come back again without end. */
export function loopReply(endpoint: Endpoint): Reply {
	const nothingSent = endpoint.repeat === 'once' ? ' Nothing was sent or charged.' : '';
	return errorReply({
		status: 508,
		code: 'relay_loop',
		message: `RELAY_SERVICE_URL is an address of the relay itself, so the call came back to it. Set it to the base URL of the service, and restart the relay.${nothingSent}`,
		outcome: 'rejected',
	});
}

/** The header `Relay-Attempt` cannot be read. Without it, the relay could not keep the promise that it makes. */
export function invalidAttemptReply(): Reply {
	return errorReply({
		status: 400,
		code: 'attempt_invalid',
		message: 'The header Relay-Attempt does not look like 2;call="a1b2". Correct it, or leave it out.',
		outcome: undefined,
	});
}

/** The header Relay-Key-Max-Age cannot be read. Without it, the key would be kept for longer than its caller says. */
export function invalidMaxAgeReply(): Reply {
	return errorReply({
		status: 400,
		code: 'key_max_age_invalid',
		message:
			'The header Relay-Key-Max-Age is not a number of seconds from 1 to 999999, or the header Relay-Attempt is missing. Correct it, or leave it out.',
		outcome: undefined,
	});
}

/**
 * Makes the reply to a caller who may not learn about earlier sends.
 * @returns undefined if the caller may
 */
export function unprovedReply(proof: Awaited<ReturnType<ApiKeys['prove']>>): Reply | undefined {
	if (proof.kind === 'known') return undefined;
	if (proof.kind === 'rejected') {
		return errorReply({ status: 401, code: 'api_key_rejected', message: proof.message, outcome: undefined });
	}
	return errorReply({
		status: 503,
		code: 'api_key_unchecked',
		message: 'The relay could not check the API key with the service. Repeat the call with the same idempotency key.',
		outcome: undefined,
		retryAfter: RETRY_AFTER,
	});
}
