import type { TransportError, HttpResponse } from '../transport';
import { errorCodeOf, redact } from './errorBody';
import { errorFacts } from './errorText';
import type { RelayProof } from './connection';
import {
	ApiError,
	CanceledError,
	ConnectionError,
	ContractError,
	UnknownOutcomeError,
	type ServiceError,
} from './errors';
import { acceptedHint, NOTHING_CHARGED, unknownHint } from './hint';
import { errorClass, failedByResponse, type FailedCall, type FailedOutcome } from './outcome';
import type { Reading } from '../reading/response';
import { relayMissing } from './relayProof';
import type { RelayErrorBody, RelayReply } from './relayReply';
import { parseRetryAfter, type KeyedMeaning } from './retry';

/** One attempt of a call with an idempotency key. */
export type KeyedStep<Output = unknown> =
	| { readonly kind: 'no-relay'; readonly proof: Exclude<RelayProof, { kind: 'found' }> }
	| { readonly kind: 'no-response'; readonly failure: TransportError }
	/** The response of something between here and the relay. */
	| { readonly kind: 'not-relay'; readonly response: HttpResponse }
	| {
			readonly kind: 'reply';
			readonly reply: RelayReply;
			readonly reading: Reading<Output>;
			readonly meaning: KeyedMeaning;
	  };

const RELAY_ADVICE = `Check the base URL, and that the relay runs. ${NOTHING_CHARGED}`;

/**
 * The failure of a call that certainly sent nothing.
 * @param step its last attempt
 */
export function failedByKey(call: FailedCall, step: KeyedStep): FailedOutcome {
	return { outcome: 'rejected', error: rejection(call, step) };
}

function rejection(call: FailedCall, step: KeyedStep): ServiceError {
	const endpoint = call.endpoint.id;
	switch (step.kind) {
		case 'no-relay':
			return relayMissing(endpoint, step.proof);
		case 'no-response': {
			const { failure } = step;
			const words = redact(failure.message, call.input, call.secrets);
			const details = { endpoint, sent: 'no', code: failure.code } as const;
			if (failure.aborted) return new CanceledError(words, { ...details, hint: NOTHING_CHARGED });
			const message = `The relay could not be reached: ${words}`;
			return new ConnectionError(message, { ...details, hint: RELAY_ADVICE });
		}
		case 'not-relay': {
			const { status } = step.response;
			const hint = `Check the settings of the proxy. ${NOTHING_CHARGED}`;
			return new ApiError(notFromRelay(status), { endpoint, sent: 'no', status, hint });
		}
		case 'reply': {
			const { error, response } = step.reply;
			if (error) return relayError(call, error, response);
			if (step.reading.kind !== 'unreadable') return failedByResponse(call, response, step.reading, false).error;
			const message = 'The relay says that the service rejected this. The rest of the response cannot be read';
			return new ApiError(message, { endpoint, sent: 'no', status: response.status, hint: NOTHING_CHARGED });
		}
	}
}

/** A rejection in the relay's own words, which have the next step. */
function relayError(call: FailedCall, { code, message, field }: RelayErrorBody, response: HttpResponse): ServiceError {
	const { status, headers } = response;
	const words = redact(message, call.input, call.secrets).replace(NOTHING_CHARGED, '').trim();
	const errorBody = { code, message: words, hasReason: true, structured: true };
	const meaning = errorCodeOf(call.endpoint, status, errorBody);
	const retryAfterMs = parseRetryAfter(headers['retry-after'], Date.now());
	const details = { endpoint: call.endpoint.id, sent: 'no', status, code, meaning, retryAfterMs, field } as const;
	return new (errorClass(meaning))(words, { ...details, hint: NOTHING_CHARGED });
}

/**
 * The failure of a call that may have sent something.
 * @param step its last attempt
 * @param doubt the attempt that may have been accepted
 */
export function unknownByKey(call: FailedCall, step: KeyedStep, doubt: KeyedStep): FailedOutcome {
	const { endpoint } = call;
	const own = step.kind === 'reply' && step.meaning === 'unknown' ? step.reply : undefined;
	if (own && !own.error && step.kind === 'reply' && step.reading.kind !== 'output') {
		return failedByResponse(call, own.response, step.reading, true);
	}
	const status = statusOf(step);
	const code = codeOf(step);
	if (doubt.kind === 'reply' && doubt.meaning === 'accepted_unread') {
		const message = 'The relay says that the service accepted this, but the response cannot be read';
		const details = { endpoint: endpoint.id, sent: 'yes', status, code, hint: acceptedHint(endpoint) } as const;
		return { outcome: 'unknown', error: new ContractError(message, details, doubt.reply.response.body) };
	}
	const settle = own ? ` Then settle ${own.error?.send ?? 'it'} on the page of the relay.` : '';
	const details = {
		endpoint: endpoint.id,
		sent: 'unknown',
		status,
		code,
		hint: `${unknownHint(endpoint)}${settle}`,
	} as const;
	const later = step === doubt ? '' : `. A repeat did not show the outcome${errorFacts({ code, status })}`;
	return { outcome: 'unknown', error: new UnknownOutcomeError(`${doubtOf(call, doubt)}${later}`, details) };
}

/** Why the outcome is unknown. */
function doubtOf(call: FailedCall, step: KeyedStep): string {
	switch (step.kind) {
		case 'no-relay':
			return 'The relay was not found again';
		case 'no-response':
			return `No complete response, because ${redact(step.failure.message, call.input, call.secrets)}`;
		case 'not-relay':
			return notFromRelay(step.response.status);
		case 'reply': {
			const { meaning, reply } = step;
			if (meaning === 'in_use') return 'Another call with this idempotency key is in flight';
			return reply.error?.cause ?? 'The relay does not know whether the service accepted it';
		}
	}
}

function notFromRelay(status: number): string {
	return `The response (HTTP ${status}) does not come from the relay, but from something in between`;
}

function statusOf(step: KeyedStep): number | undefined {
	if (step.kind === 'reply') return step.reply.response.status;
	return step.kind === 'not-relay' ? step.response.status : undefined;
}

function codeOf(step: KeyedStep): string | undefined {
	if (step.kind === 'reply') return step.reply.error?.code;
	return step.kind === 'no-response' ? step.failure.code : undefined;
}
