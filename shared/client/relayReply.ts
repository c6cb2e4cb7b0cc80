import { z } from 'zod/v4';
import { isObject } from '../contract/find';
import type { HttpResponse } from '../transport';
import { parseJson } from '../reading/json';

/** The headers of a relay's response (docs/relay.md#responses), in lower case. */
const VERSION_HEADER = 'relay-version';
const OUTCOME_HEADER = 'relay-outcome';
const REPLAYED_HEADER = 'idempotent-replayed';

/** A recipient that the relay left out of a bulk send, because its idempotency key belongs to an earlier send. */
export interface SkippedByRelay {
	readonly to: string;
	/** Outcome of the earlier send. */
	readonly outcome: 'accepted' | 'unknown';
	readonly messageId?: string;
	/** The status in the response to the earlier send. */
	readonly status?: string;
	readonly batchId?: string;
}

/** The facts that a relay adds to the outcome of a call. */
export interface RelayFacts {
	/** Whether this call certainly sent nothing, because an earlier call has the key. Its outcome is also that of this one. */
	readonly replayed: boolean;
	/** The earlier call may be a lost attempt of this one. `replayed` is false then, and `skipped` may list own messages. */
	readonly maybeSentNow?: true;
	/** A person said in the relay that the message arrived. The output then has no fields of the service. */
	readonly settledBy?: 'person';
	/** Recipients left out of a bulk send with a key for each. They do not count for the outcome of the call. */
	readonly skipped?: readonly SkippedByRelay[];
}

/** A response of a relay. */
export interface RelayReply {
	/** The outcome of the message of the key; undefined if the relay does not know whether it was accepted earlier. */
	readonly outcome: 'accepted' | 'rejected' | 'unknown' | undefined;
	/** Whether it repeats the stored response. */
	readonly replayed: boolean;
	readonly settledBy: 'person' | undefined;
	/** The recipients left out; undefined if the response has no readable list of them. */
	readonly skipped: readonly SkippedByRelay[] | undefined;
	/** The relay's own error, if the response is one. */
	readonly error: RelayErrorBody | undefined;
	/** The response as the service gave it. */
	readonly response: HttpResponse;
}

/** An error of the relay itself. */
export interface RelayErrorBody {
	readonly code: string;
	readonly message: string;
	/** Why the outcome is unknown. */
	readonly cause?: string;
	/** The field at fault. */
	readonly field?: string;
	/** ID of the send that a person can settle. */
	readonly send?: string;
}

/** The relay got its own call. */
const LOOP = 'relay_loop';

/**
 * The code of an idempotency key that belongs to another message (docs/relay.md#responses).
 * @example if (error.code === KEY_REUSED) askForAnotherKey();
 */
export const KEY_REUSED = 'idempotency_key_reused';

/**
 * Finds the first recipient of a bulk send whose idempotency key belongs to another message. Others may have such a key, too.
 * @param recipients of the request, in its order
 * @returns undefined if the relay does not say which
 * @example reusedRecipient(error, ['+233201234567', '+233241234567'])
 */
export function reusedRecipient<One>(
	{ code, field }: { readonly code?: string; readonly field?: string },
	recipients: readonly One[],
): One | undefined {
	const place = code === KEY_REUSED ? /^idempotency_keys\.(\d+)$/.exec(field ?? '')?.[1] : undefined;
	return place === undefined ? undefined : recipients[Number(place)];
}

/** The codes of errors that the relay makes itself (docs/relay.md#responses). */
const RELAY_CODES: ReadonlySet<string> = new Set([
	...['idempotency_key_invalid', 'idempotency_keys_invalid', KEY_REUSED, 'idempotency_key_in_use'],
	...['api_key_rejected', 'api_key_unchecked', 'relay_token_given', 'not_found', 'too_large', 'rate_limited'],
	...['outcome_unknown', 'service_unreachable', 'incomplete_response', 'service_not_set', 'service_timeout'],
	...['not_forwarded', 'unavailable', 'attempt_invalid', 'attempt_overtaken', 'key_max_age_invalid', LOOP],
	...['invalid', 'unsupported_media_type'],
]);

/** These errors stay until a person changes the settings of the relay, so a repeat is of no use. */
const LASTING_CODES: ReadonlySet<string> = new Set(['service_not_set', LOOP]);

const relayError = z.object({
	error: z.object({
		code: z.string().refine((code) => RELAY_CODES.has(code)),
		message: z.string(),
		cause: z.string().optional(),
		field: z.string().optional(),
		send: z.string().optional(),
	}),
});

const skippedEntry = z
	.object({
		to: z.string(),
		outcome: z.enum(['accepted', 'unknown']),
		message_id: z.string().nullish(),
		// An older relay does not give these.
		status: z.string().nullish(),
		batch_id: z.string().nullish(),
	})
	.transform(({ to, outcome, message_id, status, batch_id }): SkippedByRelay => ({
		to,
		outcome,
		...(message_id && { messageId: message_id }),
		...(status && { status }),
		...(batch_id && { batchId: batch_id }),
	}));

const addedField = z.object({
	settled_by: z.literal('person').optional().catch(undefined),
	skipped: z.array(skippedEntry).optional().catch(undefined),
});

/** Whether a response comes from a relay. Its errors carry the header, too. */
export function isFromRelay({ headers }: HttpResponse): boolean {
	return (headers[VERSION_HEADER] ?? '').trim() !== '';
}

/**
 * Reads a response of a relay to a call with an idempotency key.
 * @param perRecipient whether each recipient has a key, so that the relay adds a field to the service's response
 * @returns undefined if it does not come from a relay
 */
export function readRelayReply(response: HttpResponse, perRecipient: boolean): RelayReply | undefined {
	if (!isFromRelay(response)) return undefined;
	const { headers } = response;
	const replayed = headers[REPLAYED_HEADER]?.trim() === 'true';
	const body = parseJson(response.body)?.value;
	const added = (replayed || perRecipient) && isObject(body) ? addedField.safeParse(body.relay).data : undefined;
	return {
		outcome: outcomeOf(headers[OUTCOME_HEADER]),
		replayed,
		settledBy: added?.settled_by,
		skipped: added?.skipped,
		error: response.status >= 400 ? relayError.safeParse(body).data?.error : undefined,
		response: added && isObject(body) ? { ...response, body: JSON.stringify({ ...body, relay: undefined }) } : response,
	};
}

/** Whether an error of the relay may pass by itself. */
export function mayRelayErrorPass({ error, response: { status } }: RelayReply): boolean {
	return (status === 429 || status >= 500) && !LASTING_CODES.has(error?.code ?? '');
}

/**
 * Whether a relay rejects a call because it has forwarded the call before. Then certainly nothing reached the service.
 * @example isRelayLoop({ status: 508, headers: { 'relay-version': '1.0.0', 'relay-outcome': 'rejected' }, body })
 */
export function isRelayLoop(response: HttpResponse): boolean {
	const reply = readRelayReply(response, false);
	return reply?.outcome === 'rejected' && reply.error?.code === LOOP;
}

function outcomeOf(header: string | undefined): RelayReply['outcome'] {
	const said = header?.trim().toLowerCase();
	if (said === undefined || said === '') return undefined;
	// A word that this version does not know must not become a rejection.
	return said === 'accepted' || said === 'rejected' ? said : 'unknown';
}
